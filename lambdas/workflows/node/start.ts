import type { Start } from "../../commands/command.ts";
import { ownerOf } from "../../node-work.ts";
import { newNodeRecord, type Published } from "../../records.ts";
import type { NodeWorkflow, StageName } from "../../stages.ts";
import type { Lease } from "../../steps/ledger/leases.ts";
import type { ReleaseDocument } from "../../steps/runtime.ts";
import type { Steps } from "../../steps/steps.ts";
import type { Begun } from "../operation/lifecycle.ts";
import { postFirst } from "../operation/publisher.ts";
import type { ChosenNode } from "./choose.ts";

/** Index of the only node of an operation. */
export const INDEX = 0;

/**
 * Index of the node that an execution works on: the only one of its operation, or one of a rollout. One that was put back before
 * has another index, because audit and commands are named by it.
 */
export const indexOf = ({ part, again = INDEX }: Pick<Start, "part" | "again">): number => part?.index ?? again;

/** An operation on one node that holds its lease and has posted its message. */
export interface Started {
  readonly runtime: ReleaseDocument;
  readonly lease: Lease;
  /** Null for a node of a rollout: the rollout's own execution publishes. */
  readonly published: Published | null;
}

/**
 * Takes the lease of an operation's only node, writes its record and posts the operation's message.
 * @throws Refused when another operation holds the node
 */
export async function startOnOneNode(
  steps: Steps,
  start: Pick<Start, "operation" | "part" | "again">,
  begun: Begun,
  { workflow, stage }: { readonly workflow: NodeWorkflow; readonly stage: StageName },
  { instanceId, name }: Pick<ChosenNode, "instanceId" | "name">,
): Promise<Started> {
  const { operation } = start;
  const index = indexOf(start);
  const runtime = await steps.runtime.read(begun.runtimeVersion);
  const lease = await steps.leases.take(instanceId, ownerOf({ operation, index }));
  await steps.ledger.recordNode({
    ...newNodeRecord(workflow, operation, index, steps.timestamp()),
    status: "running",
    stage,
    instanceId,
    nodeName: name,
  });
  await steps.ledger.changeOperation(operation, { status: "running", callbacks: {} });
  return { runtime, lease, published: await postFirst(steps, operation, null, begun) };
}

/**
 * Takes the lease of one node of a rollout and writes that its work has begun.
 * @throws Refused when another operation holds the node
 */
export async function startPart(
  steps: Steps,
  start: Start,
  begun: Begun,
  stage: StageName,
  { instanceId, name }: Pick<ChosenNode, "instanceId" | "name">,
): Promise<Started> {
  const { operation } = start;
  const index = indexOf(start);
  const runtime = await steps.runtime.read(begun.runtimeVersion);
  const lease = await steps.leases.take(instanceId, ownerOf({ operation, index }));
  await steps.ledger.changeNode(operation, index, { status: "running", stage, instanceId, nodeName: name });
  return { runtime, lease, published: null };
}
