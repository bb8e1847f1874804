import { decideCordon, keepUnproven } from "../../change/node/lost-node.ts";
import { workRecord } from "../../change/operation/work-record.ts";
import { CORDONED_BY, QUARANTINED } from "../../cluster/node-keys.ts";
import { cordonGivenBack, cordonKept, type LeftCordonOutcome } from "../../messages/node/cordon.ts";
import { ifShown, isBusy } from "../../steps/client-errors.ts";
import { uncordonPatch } from "../../steps/cluster/cordon-rules.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import type { OpenCordon } from "../../steps/ledger/cordons.ts";
import type { Steps } from "../../steps/steps.ts";

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

/** Gives back a Node that an operation left when it ended; a cordon that is "unproven" is kept once that was told. */
export async function giveBackLeft(steps: Steps, record: OpenCordon): Promise<LeftCordonOutcome | null> {
  const machine = await steps.instances.describe(record.instanceId);
  return decideCordon(steps, record, await workRecord(steps, record), machine);
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
  if (isKept) await keepUnproven(steps, record);
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
