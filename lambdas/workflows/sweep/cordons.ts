import { type CordonOutcome, cordonGivenBack } from "../../messages/node/cordon.ts";
import type { NodeRecord } from "../../records.ts";
import { isBusy } from "../../steps/client-errors.ts";
import { hasEnded } from "../../steps/ec2/instances.ts";
import type { OpenCordon } from "../../steps/ledger/cordons.ts";
import type { Steps } from "../../steps/steps.ts";
import { giveBackCordon } from "../node/cordon.ts";
import { type Found, ownStartUpTaint } from "../node/lost-node.ts";

/** Cordons that nothing will give back: their operation or their node has ended, and none of its code runs any more. */
export async function leftCordons(steps: Steps): Promise<OpenCordon[]> {
  const open = await steps.cordons.open();
  const left = await Promise.all(open.map(async (record) => ((await isLeft(steps, record)) ? [record] : [])));
  return left.flat();
}

async function isLeft(steps: Steps, { operation: id, index }: OpenCordon): Promise<boolean> {
  const operation = await steps.ledger.operation(id);
  const node = (await steps.ledger.nodes(id)).find((one) => one.index === index);
  if (operation?.endedAt === null && (node?.endedAt ?? null) === null) return false;
  const execution = node?.executionArn ?? operation?.executionArn ?? null;
  return execution === null || (await steps.executions.ending(execution)) !== null;
}

/** Finds out what became of a lost node's machine, and gives its Node back. */
export async function giveBackLostNode(steps: Steps, node: NodeRecord): Promise<Found> {
  const { instanceId } = node;
  if (!instanceId) return { machine: undefined, cordon: null };
  const machine = await steps.instances.describe(instanceId);
  const record = (await recordOf(steps, node)) ?? (await ownStartUpTaint(steps, node));
  const isEnding = !machine || hasEnded(machine);
  return { machine, cordon: record ? await giveBackCordon(steps, record.uid, record.operation, isEnding) : null };
}

const recordOf = async (steps: Steps, { operation, index }: NodeRecord): Promise<OpenCordon | undefined> =>
  (await steps.cordons.open()).find((one) => one.operation === operation && one.index === index);

/** Gives back a Node that an operation left when it ended. */
export async function giveBackLeft(steps: Steps, record: OpenCordon): Promise<CordonOutcome | null> {
  const machine = await steps.instances.describe(record.instanceId);
  return giveBackCordon(steps, record.uid, record.operation, !machine || hasEnded(machine));
}

/**
 * Reports the result in the operation's thread, and closes the record. If Slack refuses the message, the Event on the Node
 * already reports it.
 * @throws Retryable while Slack is unavailable
 */
export async function tellGivenBack(steps: Steps, record: OpenCordon, outcome: CordonOutcome): Promise<void> {
  const operation = await steps.ledger.operation(record.operation);
  if (operation) {
    const message = cordonGivenBack(operation, record, outcome);
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
      detail: { change: "give back the cordon", outcome },
    });
  await steps.cordons.close(record.uid, record.operation);
}
