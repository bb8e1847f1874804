import type { Start } from "../../commands/command.ts";
import { Refused } from "../../errors.ts";
import { messageSettings } from "../../messages/operation/links.ts";
import { removalRefusal, removalRefusedText } from "../../messages/remove/refusal.ts";
import { ownerOf } from "../../node-work.ts";
import { type NodeRecord, newNodeRecord, type Published } from "../../records.ts";
import type { Lease } from "../../steps/ledger/leases.ts";
import type { ReleaseDocument } from "../../steps/runtime.ts";
import type { Steps } from "../../steps/steps.ts";
import { indexOf } from "../node/start.ts";
import type { Begun } from "../operation/lifecycle.ts";
import { postFirst } from "../operation/publisher.ts";
import { checkOrigin } from "../operation/requester.ts";
import { answerAct } from "./answer.ts";
import { type Chosen, choose } from "./choose.ts";

/** The node to remove, held by its lease. */
export interface Held {
  readonly lease: Lease;
  readonly chosen: Chosen;
  readonly runtime: ReleaseDocument;
}

/**
 * Judges requester and node again, because minutes have passed since the question, and takes the lease. From here on
 * the later judgement counts.
 * @throws Forbidden, or Refused if the node may not be removed any more or another operation holds it
 */
export async function takeLease(steps: Steps, start: Start, begun: Begun, before: Chosen): Promise<Held> {
  await steps.audit.append({ operation: start.operation }, "answer", await answerAct(steps, start, "submitted"));
  const chosen = await choose(steps, start, begun, before.name);
  await checkOrigin(steps, start, await steps.runtime.rules(), chosen.facts.pool);
  if (chosen.refusal) throw new Refused(removalRefusedText(chosen.name, removalRefusal(chosen.refusal)));
  if (before.uid === null && chosen.uid !== null)
    throw new Refused("the machine registered as a node while the dialog was open");
  if (chosen.uid !== before.uid) throw new Refused("the Node was deleted and recreated while the dialog was open");
  const runtime = await steps.runtime.read(begun.runtimeVersion);
  const lease = await steps.leases.take(
    chosen.facts.instanceId,
    ownerOf({ operation: start.operation, index: indexOf(start) }),
  );
  return { lease, chosen, runtime };
}

/**
 * Judges requester and node once more, after a wait: what went meanwhile may leave this node the last of its
 * Windows build.
 * @throws Forbidden, or Refused if the node may not be removed any more
 */
export async function judgeAgain(steps: Steps, start: Start, runtime: ReleaseDocument, before: Chosen): Promise<void> {
  await checkOrigin(steps, start, await steps.runtime.rules());
  const begun = { runtimeVersion: runtime.version, ...messageSettings(runtime.configuration) };
  const { name, uid, refusal } = await choose(steps, start, begun, before.name);
  if (refusal) throw new Refused(removalRefusedText(name, removalRefusal(refusal)));
  if (uid !== before.uid) throw new Refused("the Node was deleted and recreated while its removal waited");
}

/** Writes the node's record and posts the operation's message. */
export async function postMessage(steps: Steps, start: Start, begun: Begun, { facts }: Chosen): Promise<Published> {
  const record: NodeRecord = {
    ...newNodeRecord("remove", start.operation, indexOf(start), steps.timestamp()),
    status: "running",
    stage: facts.node ? "slot" : "terminate",
    instanceId: facts.instanceId,
    nodeName: facts.node,
  };
  await steps.ledger.recordNode(record);
  await steps.ledger.changeOperation(start.operation, { status: "running", callbacks: {} });
  return postFirst(steps, start.operation, null, begun);
}
