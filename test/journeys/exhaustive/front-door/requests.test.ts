import { afterEach, expect, test } from "vitest";
import { expectSound, newest, settled } from "../../evidence.ts";
import { impatient, launchedName } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { approvesByHand, asksAsNode, reached } from "../../outside.ts";
import { requestState, threadOf } from "../../signing.ts";

let here: Journey;
afterEach(() => here.close());

const thread = (): string => threadOf(here);
const stateOf = (name: string): string => requestState(here, name);

test("another bootstrap token that asks for the node's name after the machine did is left pending, and told", async () => {
  here = await startJourney({ configuration: impatient });
  await here.type("operator", "/win add web");
  await reached(here, "client-csr");
  const foreign = await asksAsNode(here, launchedName(here));
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(stateOf(foreign)).toBe("pending");
  expect(thread()).toMatch(new RegExp(`${foreign} was left pending: it was made with another join token`));
  await expectSound(here);
});

test("a request of somebody else's that a person approves is called out loudly, and its Node is not taken for ours", async () => {
  here = await startJourney({ configuration: impatient });
  await here.type("operator", "/win add web");
  await reached(here, "configure");
  const foreign = await asksAsNode(here, launchedName(here));
  await approvesByHand(here, foreign);
  await settled(here);
  const said = thread();
  expect(said).toContain(`WRONGLY APPROVED: ${foreign} is not this machine's`);
  expect(said).toContain(`can act as ${launchedName(here)}`);
  const notices = here.simulator.topic.notifications();
  expect(JSON.stringify(notices)).toContain("WRONGLY APPROVED");
  await expectSound(here);
});
