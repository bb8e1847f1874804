import { afterEach, expect, test } from "vitest";
import { type StageName, stagesOf } from "../../../../lambdas/stages.ts";
import {
  calls,
  expectSound,
  heldBack,
  joinSecrets,
  launchedBy,
  newest,
  nodeNamed,
  settled,
  spoken,
  wordsOf,
} from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { injectFault, reached } from "../../outside.ts";
import { people } from "../../slack-users.ts";

let here: Journey;
afterEach(() => here.close());

/** Last message to this person alone, empty when there is none. */
const privateTo = (user: keyof typeof people): string =>
  here.simulator.slack
    .messages()
    .filter(({ onlyTo }) => onlyTo === people[user])
    .at(-1)?.text ?? "";

/** A person stopped it: nothing of it is left anywhere, and everybody can read who it was. */
async function expectCancelled(by: string): Promise<void> {
  const { operation, nodes } = await newest(here);
  expect(operation).toMatchObject({ status: "cancelled", cancelledBy: by, callbacks: {} });
  expect(operation.endedAt).not.toBeNull();
  for (const node of nodes) expect(node).toMatchObject({ status: "cancelled", callbacks: {} });
  const instances = launchedBy(here, operation.id);
  expect(instances.map(({ State }) => State?.Name).filter((state) => state !== "terminated")).toEqual([]);
  for (const { PrivateDnsName } of instances) expect(nodeNamed(here, PrivateDnsName)).toBeUndefined();
  expect(joinSecrets(here)).toEqual([]);
  expect(await heldBack(here)).toEqual([]);
  const [message, ...more] = spoken(here).channel;
  expect(more).toEqual([]);
  const words = wordsOf(message as never);
  expect(words).toContain("⏹️");
  expect(words).toContain(`cancelled by <@${by}>`);
  expect(operation.summary).toContain(instances.length > 0 ? "terminated)" : "(no instance was launched)");
  await expectSound(here);
}

const beforeTheReturn = stagesOf("provision")
  .filter(({ cancellable }) => cancellable)
  .map(({ name }) => name);

/** Without these the data plane is not probed, and the stage is over at once. */
const images = { "2022": "mcr.microsoft.com/windows/servercore:ltsc2022", linux: "docker.io/library/busybox:1.37" };

test.for(beforeTheReturn)("cancelled in stage %s, everything is taken away", async (stage: StageName) => {
  here = await startJourney({ configuration: { probe: { images } } });
  // Two of the last stages may be over within a moment: a busy API server holds them up.
  const labelling = { verb: "patch", resource: "nodes", principal: "system:serviceaccount:casement:join" };
  if (stage === "ready" || stage === "verify") injectFault(here, "kubernetes-5xx", labelling, 3);
  await here.type("operator", "/win add web");
  await reached(here, stage);
  await here.type("approver", `/win cancel ${(await newest(here)).operation.id}`);
  expect(privateTo("approver")).toContain("Cancelling");
  await settled(here);
  await expectCancelled(people.approver);
});

test("cancelled in the last stage, the node is finished", async () => {
  here = await startJourney();
  await here.type("operator", "/win add web");
  await reached(here, "admit");
  await here.type("operator", `/win cancel ${(await newest(here)).operation.id}`);
  expect(privateTo("operator")).toMatch(/^Too late to cancel .* past the point of no return: pods are being admitted/);
  await settled(here);
  const { operation, nodes } = await newest(here);
  expect(operation).toMatchObject({ status: "succeeded", cancelledBy: people.operator });
  expect(nodeNamed(here, nodes[0]?.nodeName)?.spec?.taints).toEqual([
    { key: "os", value: "Windows", effect: "NoSchedule" },
  ]);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});

test("cancelled by the button before EC2 was asked, nothing is launched at all", async () => {
  here = await startJourney();
  injectFault(here, "aws-slow", { service: "ssm", action: "GetParameter" }, 1);
  await here.type("operator", "/win add web 2");
  await here.until(() => spoken(here).channel.length > 0, 2);
  await here.press("operator", "cancel-operation");
  await settled(here);
  await expectCancelled(people.operator);
  expect(calls(here, "ec2", "TerminateInstances").length).toBe(
    launchedBy(here, (await newest(here)).operation.id).length,
  );
});

test("cancelled while it asks what becomes of a failed machine, the machine goes", async () => {
  here = await startJourney();
  injectFault(here, "feature-install-fails");
  await here.type("operator", "/win add web");
  await here.until(async () => (await newest(here)).operation.status === "waiting", 60);
  await here.type("operator", `/win cancel ${(await newest(here)).operation.id}`);
  await settled(here);
  const { operation, nodes } = await newest(here);
  expect(operation).toMatchObject({ status: "cancelled", cancelledBy: people.operator });
  expect(nodes[0]).toMatchObject({ status: "cancelled", failure: { stage: "features" } });
  expect(launchedBy(here, operation.id).map(({ State }) => State?.Name)).toEqual(["terminated"]);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});

test("everybody sees within seconds that an operation is being cancelled", async () => {
  here = await startJourney();
  await here.type("operator", "/win add web");
  await reached(here, "agent");
  await here.press("operator", "cancel-operation");
  const message = () => wordsOf(spoken(here).channel[0] as never);
  await here.until(() => message().includes(`Cancelled by <@${people.operator}>`), 0.05, "the word in the message");
  await settled(here);
  await expectCancelled(people.operator);
});

test("who has no right to cancel is told so in private, and it goes on", async () => {
  here = await startJourney();
  await here.type("operator", "/win add web");
  await reached(here, "agent");
  const { id } = (await newest(here)).operation;
  await here.type("visitor", `/win cancel ${id}`);
  expect(privateTo("visitor")).not.toBe("");
  await here.press("visitor", "cancel-operation");
  await settled(here);
  expect((await newest(here)).operation).toMatchObject({ status: "succeeded", cancelledBy: null });
  expect(wordsOf(spoken(here).channel[0] as never)).not.toContain(people.visitor);
  await expectSound(here);
});

test("what is unknown or has ended cannot be cancelled, and what is cancelled already says by whom", async () => {
  here = await startJourney();
  await here.type("operator", "/win cancel add-00000000");
  expect(privateTo("operator")).toContain("Operation `add-00000000` not found");
  await here.type("operator", "/win add web");
  await reached(here, "agent");
  const { id } = (await newest(here)).operation;
  await here.type("operator", `/win cancel ${id}`);
  await here.type("approver", `/win cancel ${id}`);
  expect(privateTo("approver")).toContain(`is already being cancelled by <@${people.operator}>`);
  await settled(here);
  await here.type("approver", `/win cancel ${id}`);
  expect(privateTo("approver")).toContain("has already ended");
  await expectCancelled(people.operator);
});
