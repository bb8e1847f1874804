import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { lambdaName } from "../../../../lib/sandbox/simulator.ts";
import { expectSound, heldBack, joinSecrets, launchedBy, newest, settled, spoken } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { injectFault } from "../../outside.ts";

let here: Journey;
beforeEach(() => {
  // The SDK writes every refused checkpoint to the log.
  vi.spyOn(console, "error").mockReturnValue(undefined);
});
afterEach(async () => {
  vi.restoreAllMocks();
  await here.close();
});

/** Every step of the coordinator, and of a node's execution at least one of each stage. */
const steps = {
  "add-nodes": ["begin", "find room", "post the message", "start node 1", "look 1", "look 2", "end", "settle the pool"],
  "provision-node": [
    "begin",
    "enter launch",
    "a place is free",
    "launch m6i.xlarge in subnet-0a10000000000000a",
    "take the lease",
    "the instance runs",
    "enter agent",
    "the agent is online",
    "plan: install the guard",
    "send install the guard, try 1",
    "poll install the guard 1",
    "send verify the guard, try 1",
    "send install features, try 1",
    "send reboot, try 1",
    "poll reboot 1",
    "send install the payload, try 1",
    "read the kubelets' client authority",
    "record what it was given",
    "make the join token",
    "send configure, try 1",
    "send start the kubelet, try 1",
    "the client certificate is approved 1",
    "the Node exists",
    "registered",
    "the serving certificate is approved",
    "send start the network, try 1",
    "the overlay has announced itself",
    "the Node is Ready",
    "label the Node",
    "the Node is as it must be",
    "delete the join secret",
    "send remove the join material, try 1",
    "take off the start-up taint",
    "announce it",
    "done",
    "release the lease",
    "delete what is left of the join secret",
  ],
} as const;

const duplicates = (texts: readonly string[]): string[] => texts.filter((text, at) => texts.indexOf(text) !== at);

/** Marks of the commands that were sent, each as often as it was. */
const commandsSent = (): string[] =>
  here.simulator.simulation.store
    .collection<{ comment: string }>("ssm-commands")
    .values()
    .map(({ comment }) => comment);

test.for([
  ["handler-crash", "before"],
  ["handler-crash", "after"],
  ["handler-crash-at-start", "before"],
  ["handler-crash-at-start", "after"],
] as const)("a node is added though its handlers die at every step (%s, %s)", async ([kind, when]) => {
  here = await startJourney();
  for (const [workflow, operations] of Object.entries(steps))
    for (const operation of operations) injectFault(here, kind, { function: lambdaName(workflow), operation, when }, 1);
  await here.type("operator", "/win add web");
  await settled(here);

  expect(here.simulator.simulation.faults.inForce().map(({ match }) => match.operation)).toEqual([]);
  const { operation } = await newest(here);
  expect(operation.status).toBe("succeeded");
  expect(launchedBy(here, operation.id)).toHaveLength(1);
  expect(duplicates(commandsSent())).toEqual([]);
  const { channel, thread } = spoken(here);
  expect(channel.map(({ text }) => text)).toEqual(["✅ Add 1 node to web: done, 1 of 1 node done"]);
  expect(duplicates(thread.map(({ text }) => text))).toEqual([]);
  expect(thread.filter(({ text }) => text.includes(": Ready after"))).toHaveLength(1);
  expect(thread.filter(({ text }) => text.includes("<@U0OPERATOR> 1 node is Ready. ("))).toHaveLength(1);
  expect(joinSecrets(here)).toEqual([]);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});
