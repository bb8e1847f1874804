import { afterEach, expect, test } from "vitest";
import type { NodeRecord } from "../../../../lambdas/records/records.ts";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { calls, expectSound, newest, nodeNamed, settled, spoken, wordsOf } from "../../evidence.ts";
import { asked, expectPutAway, impatient, launchedId, launchedName } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { injectFault, reached, terminateFromOutside } from "../../outside.ts";
import { dialogOf } from "../../reading.ts";
import { people } from "../../slack-users.ts";

let here: Journey;
afterEach(() => here.close());

/** A machine whose features cannot be installed, and the question about it. */
async function failing(): Promise<NodeRecord> {
  here = await startJourney({ configuration: impatient });
  await here.type("operator", "/win add web");
  injectFault(here, "feature-install-fails");
  return asked(here);
}

test("a failed machine is kept for whoever wants to look at it", async () => {
  await failing();
  await here.press("operator", "keep-instance");
  await settled(here);
  expect(wordsOf(spoken(here).channel[0] as never)).toContain("Kept for inspection by <@U0OPERATOR>");
  await expectPutAway(here, true);
});

test("a failed machine is terminated when nobody has decided in time", async () => {
  const { decideBy } = await failing();
  await here.until(() => Date.now() > Date.parse(decideBy ?? "") - 30_000, 30);
  expect(here.simulator.ec2.describe().at(-1)?.State?.Name).toBe("running");
  await settled(here);
  expect(wordsOf(spoken(here).channel[0] as never)).toContain(
    "erminated automatically, because no decision was made in time",
  );
  await expectPutAway(here, false);
});

test("who may not add may not decide, and who terminates what was just kept is asked in a dialog", async () => {
  await failing();
  const before = here.simulator.slack.messages().length;
  await here.press("visitor", "terminate-instance");
  const refusal = here.simulator.slack.messages().slice(before);
  expect(refusal).toMatchObject([{ onlyTo: "U0VISITOR0" }]);
  const { ts = "" } = spoken(here).channel[0] ?? {};
  const { ui } = here.simulator.slack;
  const channel = demo.slack.channelId;
  await here.drive(
    Promise.all([
      ui.press(people.operator, { channel, messageTs: ts, actionId: "keep-instance" }),
      ui.press(people.approver, { channel, messageTs: ts, actionId: "terminate-instance" }),
    ]),
  );
  await here.until(() => dialogOf(here, "approver") !== "", 2, "the removal's dialog");
  expect((await here.nodes((await here.operations()).at(-1)?.id ?? ""))[0]?.outcome).toBe(
    "kept for inspection by <@U0OPERATOR>",
  );
  expect(dialogOf(here, "approver")).toContain(launchedId(here));
  expect(calls(here, "ec2", "TerminateInstances")).toEqual([]);
});

test("an instance that EC2 gives up while it starts is told in EC2's words, once", async () => {
  here = await startJourney({ configuration: impatient });
  injectFault(here, "launch-fails");
  await here.type("operator", "/win add web");
  await settled(here);
  const words = wordsOf(spoken(here).channel[0] as never);
  expect(words.match(/EC2 says Server.InternalError: Internal error on launch/g)).toHaveLength(1);
  expect(words).toContain("EC2 terminated the instance");
  expect(words).not.toMatch(/somebody|CloudTrail/);
  await expectPutAway(here, false);
});

test("an instance that somebody else terminates asks nobody anything", async () => {
  here = await startJourney({ configuration: impatient });
  await here.type("operator", "/win add web");
  await reached(here, "payload");
  const instanceId = launchedId(here);
  await terminateFromOutside(here, instanceId);
  await settled(here);
  const words = wordsOf(spoken(here).channel[0] as never);
  expect(words).toMatch(
    new RegExp(`${instanceId} is (shutting-down|terminated): EC2 says Client.UserInitiatedShutdown`),
  );
  expect(words).toContain("he instance was terminated outside Casement");
  await expectPutAway(here, false);
});

test("a failed machine whose Node is Ready is never terminated", async () => {
  here = await startJourney({ configuration: impatient });
  await here.type("operator", "/win add web");
  await reached(here, "verify");
  injectFault(here, "agent-silent");
  await asked(here);
  await here.press("operator", "terminate-instance");
  await settled(here);
  expect(wordsOf(spoken(here).channel[0] as never)).toMatch(/Kept, because its Node .* is Ready/);
  expect(nodeNamed(here, launchedName(here))).toBeDefined();
  await expectPutAway(here, true);
});

test("a service that crashes once while the node joins is started again by Windows", async () => {
  here = await startJourney({ configuration: impatient });
  await here.type("operator", "/win add web");
  await reached(here, "network");
  injectFault(here, "service-crashes", { service: "kubelet" }, 1);
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(here.simulator.machines.logOf(launchedId(here)).join()).toContain("kubelet service terminated unexpectedly");
  await expectSound(here);
});
