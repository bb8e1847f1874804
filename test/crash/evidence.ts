import type { Instance } from "@aws-sdk/client-ec2";
import type { V1Node } from "@kubernetes/client-node";
import { expect } from "vitest";
import { demo } from "../../lib/sandbox/demo.ts";
import { heldBack, joinSecrets } from "../outside/account.ts";
import { type Running, until } from "../outside/running.ts";

type State = Awaited<ReturnType<Running["control"]>> & { operations: unknown };
type SandboxState = Extract<State, { instances: unknown }>;

/** The operation there is, once there is one. */
export const operationIn = ({ operations }: SandboxState): SandboxState["operations"][number] | undefined =>
  operations[0];

/** Waits until the operation has ended. */
export const ended = (running: Running, ms: number): Promise<SandboxState> =>
  until(
    "the end of the operation",
    async () => {
      const state = await running.control("GET /state");
      const status = operationIn(state)?.status ?? "running";
      return status === "running" || status === "waiting" ? undefined : state;
    },
    ms,
  );

/** Every instance that an operation ever launched: terminated ones stay in sight for an hour. */
const launchedBy = (state: SandboxState, operation: string): Instance[] =>
  (state.instances as Instance[]).filter(({ Tags }) =>
    Tags?.some(({ Key, Value }) => Key === "casement:operation" && Value === operation),
  );

/** Messages that the bot sent to everybody, oldest first. */
async function spoken(running: Running) {
  const messages = await running.control("GET /messages");
  return messages.filter(({ user, onlyTo }) => user === demo.slack.botUserId && !onlyTo);
}

const admitted = (node: V1Node): boolean =>
  node.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true &&
  node.spec?.taints?.every(({ key }) => key === "os") === true;

/** One message that tells the end; in its thread each stage of each node once, and nothing that was lost on the way. */
async function expectOneStory(running: Running, names: readonly string[]): Promise<void> {
  const [message, ...others] = (await spoken(running)).filter(({ threadTs }) => !threadTs);
  expect(others).toEqual([]);
  expect(message?.text).toBe("✅ Add 2 nodes to web: done, 2 of 2 nodes done");
  for (const name of names) expect(JSON.stringify(message?.blocks)).toContain(name);
  const thread = (await spoken(running)).filter(({ threadTs }) => threadTs).map(({ text }) => text);
  expect(thread.filter((text) => text.includes(": Ready after"))).toHaveLength(2);
  expect(thread.filter((text) => text.includes("2 nodes are Ready. ("))).toHaveLength(1);
  expect(new Set(thread).size).toBe(thread.length);
}

/** Expects exactly one complete add after `/win add web 2`, whatever was killed on the way. */
export async function expectAddedOnce(running: Running, state: SandboxState): Promise<void> {
  const [operation, ...others] = state.operations;
  expect(others).toEqual([]);
  expect(operation).toMatchObject({ command: "add", status: "succeeded" });
  const instances = launchedBy(state, operation?.id ?? "");
  expect(instances.map(({ State }) => State?.Name)).toEqual(["running", "running"]);
  const names = operation?.nodes.map(({ name }) => name) ?? [];
  expect(instances.map(({ PrivateDnsName }) => PrivateDnsName).sort()).toEqual([...names].sort());
  const nodes = (state.nodes as unknown as V1Node[]).filter(({ metadata }) => names.includes(metadata?.name ?? ""));
  expect(nodes.map(admitted)).toEqual([true, true]);
  await expectOneStory(running, names);
  const ids = instances.map(({ InstanceId }) => InstanceId ?? "");
  expect((await joinSecrets(running)).filter((id) => ids.includes(id))).toEqual([]);
  expect(await heldBack(running)).toEqual([]);
}
