import { afterEach, expect, test } from "vitest";
import { expectSound, heldBack, newest, settled } from "../../evidence.ts";
import { asked, impatient, launchedName } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { asksAsNode, reached } from "../../outside.ts";
import { openly } from "../../reading.ts";
import { requestState, threadOf } from "../../signing.ts";

let here: Journey;
afterEach(() => here.close());

const thread = (): string => threadOf(here);
const stateOf = (name: string): string => requestState(here, name);

test("beside a person who approves everything, a node joins and the thread says who approved", async () => {
  here = await startJourney({ neighbours: { with: ["approves-all"] } });
  await here.type("operator", "/win add web");
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(thread()).toMatch(
    /csr-\w+ was approved by a kubectl user .*, not by Casement; it is this machine's request and valid/,
  );
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});

test("a request that is denied is named at once, with who and why; after three the stage ends", async () => {
  here = await startJourney({ neighbours: { with: ["denies-all"] } });
  await here.type("operator", "/win add web");
  await reached(here, "client-csr");
  const since = Date.now();
  await here.until(() => thread().includes("was denied by"), 2, "a word about the denial");
  const denied = /csr-\w+ was denied by the program gatekeeper \("new nodes are frozen until the audit is over"\)/;
  expect(thread()).toMatch(denied);
  expect(thread()).toContain("Next: allow requests for system:node:");
  await here.pass(1);
  expect(openly(here).at(-1)).toMatch(/was denied by the program gatekeeper[\s\S]*\[Cancel operation\]|failed at/);
  const node = await asked(here);
  expect(node.failure).toMatchObject({
    // The bot may approve the first request before the program sees it; the next one is denied.
    stage: expect.stringMatching(/^(client|serving)-csr$/),
    // A fourth request may have come before the poll that counts them.
    why: expect.stringMatching(/as were [34] requests in total/),
  });
  expect(Date.now() - since).toBeLessThan(3 * 60_000);
  await expectSound(here);
});

test("another bootstrap token that asks for the node's name first is left pending, and the machine joins", async () => {
  here = await startJourney({ configuration: impatient });
  await here.type("operator", "/win add web");
  await reached(here, "configure");
  const foreign = await asksAsNode(here, launchedName(here));
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(stateOf(foreign)).toBe("pending");
  expect(thread()).toMatch(new RegExp(`${foreign} was left pending: it was made with another join token`));
  await expectSound(here);
});
