import { giveBackCordon } from "../../change/node/cordon.ts";
import { type LostNode, ownStartUpTaint } from "../../change/node/lost-node.ts";
import { workRecord } from "../../change/operation/work-record.ts";
import { CORDONED_BY, QUARANTINED } from "../../cluster/node-keys.ts";
import { cordonGivenBack, cordonKept, type LeftCordonOutcome } from "../../messages/node/cordon.ts";
import type { NodeRecord } from "../../records/records.ts";
import type { StageName } from "../../stages.ts";
import { ifShown, isBusy } from "../../steps/client-errors.ts";
import { uncordonPatch } from "../../steps/cluster/cordon-rules.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { hasEnded, type Machine } from "../../steps/ec2/instances.ts";
import type { OpenCordon } from "../../steps/ledger/cordons.ts";
import type { Steps } from "../../steps/steps.ts";

/** Stages in which the machine or its services may have been restarted, and nothing has proven yet that it works. */
const UNPROVEN: ReadonlySet<StageName | null> = new Set<StageName>(["reboot", "restart", "prove"]);

/** Did the work on the node end between the order to its machine and the proof of that? */
const isUnproven = ({ workflow, stage }: NodeRecord): boolean => workflow !== "proving" && UNPROVEN.has(stage);

/** Cordons that nothing will give back: their operation or their node has ended, and none of its code runs any more. */
export async function leftCordons(steps: Steps): Promise<OpenCordon[]> {
  const open = await steps.cordons.open();
  const left = await Promise.all(open.map(async (record) => ((await isLeft(steps, record)) ? [record] : [])));
  return left.flat();
}

async function isLeft(steps: Steps, { operation: id, index }: OpenCordon): Promise<boolean> {
  const operation = await steps.ledger.operation(id);
  const node = await workRecord(steps, { operation: id, index });
  if (operation?.endedAt === null && (node?.endedAt ?? null) === null) return false;
  const execution = node?.executionArn ?? operation?.executionArn ?? null;
  // One that Lambda refuses to show may run: the sweep reports it.
  return execution === null || (await ifShown(steps.executions.ending(execution), null)) !== null;
}

/** Finds out what became of a lost node's machine, and gives its Node back. */
export async function giveBackLostNode(steps: Steps, node: NodeRecord): Promise<LostNode> {
  const { instanceId } = node;
  if (!instanceId) return { machine: undefined, cordon: null };
  const machine = await steps.instances.describe(instanceId);
  const record = (await recordOf(steps, node)) ?? (await ownStartUpTaint(steps, node));
  if (!record) return { machine, cordon: null };
  const cordon = await judge(steps, record, node, machine);
  if (cordon === "unproven") await keep(steps, record);
  return { machine, cordon };
}

/**
 * Gives a Node back that an execution left, unless it is still cordoned for a reboot that was not proven: that one waits for a
 * proof. @returns "unproven" where the caller has to keep the cordon
 */
async function judge(
  steps: Steps,
  record: OpenCordon,
  work: NodeRecord | undefined,
  machine: Machine | undefined,
): Promise<LeftCordonOutcome | null> {
  const isEnding = !machine || hasEnded(machine);
  // A proof has decided about a kept cordon that is given back.
  const awaitsProof = !isEnding && record.keptAt === undefined && work !== undefined && isUnproven(work);
  if (awaitsProof && (await isStillCordoned(steps, record))) return "unproven";
  return giveBackCordon(steps, record.uid, record.operation, isEnding);
}

async function isStillCordoned(steps: Steps, { node: name, uid }: OpenCordon): Promise<boolean> {
  const node = await steps.nodes.read(name);
  return node?.metadata?.uid === uid && node.spec?.unschedulable === true;
}

/** Leaves the cordon to a later proof. Which boot must be over is not known any more: any boot that works is proven. */
const keep = (steps: Steps, { uid, operation }: OpenCordon) => steps.cordons.keep(uid, operation, { before: null });

const recordOf = async (steps: Steps, { operation, index }: NodeRecord): Promise<OpenCordon | undefined> =>
  (await steps.cordons.open()).find((one) => one.operation === operation && one.index === index);

/** Gives back a Node that an operation left when it ended; a cordon that is "unproven" is kept once that was told. */
export async function giveBackLeft(steps: Steps, record: OpenCordon): Promise<LeftCordonOutcome | null> {
  const machine = await steps.instances.describe(record.instanceId);
  return judge(steps, record, await workRecord(steps, record), machine);
}

/**
 * Reports the result in the operation's thread, and closes or keeps the record. If Slack refuses the message, the Event on the
 * Node already reports it.
 * @throws Retryable while Slack is unavailable
 */
export async function tellGivenBack(steps: Steps, record: OpenCordon, outcome: LeftCordonOutcome): Promise<void> {
  const operation = await steps.ledger.operation(record.operation);
  const isKept = outcome === "unproven";
  if (operation) {
    const message = isKept ? cordonKept(operation, record) : cordonGivenBack(operation, record, outcome);
    const mark = `cordon ${record.uid} ${record.operation}`;
    await steps.thread.post(operation.channel, message, mark, operation.messageTs ?? undefined).catch((error) => {
      if (isBusy(error)) throw error;
    });
  }
  if (operation?.audit)
    await steps.audit.append({ operation: operation.id }, `sweep ${record.uid}`, {
      what: "changed",
      by: { rule: "sweep" },
      node: { name: record.node, uid: record.uid, instanceId: record.instanceId },
      detail: { change: isKept ? "keep the cordon" : "give back the cordon", outcome },
    });
  if (isKept) await keep(steps, record);
  else await steps.cordons.close(record.uid, record.operation);
}

/**
 * Takes Casement's marks off nodes that stayed cordoned for a person and that someone has uncordoned with kubectl: the label
 * would keep them out of load balancers. A node whose reboot is unproven keeps its record for a later proof, and its marks while
 * it is labelled as quarantined. Call inside a step.
 * @param nodes all nodes of the cluster
 */
export async function clearUncordoned(steps: Steps, nodes: readonly Node[]): Promise<void> {
  for (const node of nodes) {
    const { uid, annotations, labels } = node.metadata ?? {};
    if (!uid || node.spec?.unschedulable || !annotations?.[CORDONED_BY]) continue;
    const record = await steps.cordons.find(uid);
    if (!record || record.keptAt === undefined || (record.unproven && labels?.[QUARANTINED] !== undefined)) continue;
    await steps.nodes.change(node, uncordonPatch(node, record));
    if (!record.unproven) await steps.cordons.forget(uid);
  }
}
