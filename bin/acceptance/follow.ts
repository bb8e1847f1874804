import { awaitsApproval, endedBadly, tooLong, unanswered } from "../../lambdas/messages/acceptance/words.ts";
import { stageDoing } from "../../lambdas/messages/operation/stages.ts";
import type { NodeRecord, OperationRecord } from "../../lambdas/records/records.ts";
import { wordsOf } from "../../lambdas/steps/client-errors.ts";
import { type Scene, StepFailed } from "./scene.ts";

const MINUTE = 60_000;

/** Polls in a row that may fail, for example during a short network outage. */
const FAILED_POLLS = 10;

interface Seen {
  readonly operation: OperationRecord;
  readonly nodes: readonly NodeRecord[];
}

async function poll({ ledger }: Scene, id: string): Promise<Seen> {
  const [operation, nodes] = await Promise.all([ledger.operation(id), ledger.nodes(id)]);
  if (!operation) throw new StepFailed(`the ledger has no operation ${id}`);
  return { operation, nodes };
}

/** Polls an operation, and repeats the poll if the ledger could not be read. */
async function patientPoll(scene: Scene, id: string): Promise<Seen> {
  for (let failed = 1; ; failed += 1) {
    try {
      return await poll(scene, id);
    } catch (error) {
      if (error instanceof StepFailed || failed >= FAILED_POLLS) throw error;
      scene.say(`  the ledger cannot be read (${wordsOf(error)}); trying again`);
      await scene.pause();
    }
  }
}

/** Prints each line only once. */
function once(say: (line: string) => void) {
  const said = new Set<string>();
  return (key: string, line: string): void => {
    if (said.has(key)) return;
    said.add(key);
    say(line);
  };
}

/** Refuses to wait for a failed machine about which a person must decide in Slack. @throws StepFailed for such a one */
function refuseDecision({ operation, nodes }: Seen): void {
  const failed = nodes.find(({ status }) => status === "deciding");
  if (!failed) return;
  throw new StepFailed(
    `${operation.id} failed at the stage ${failed.stage}: ${failed.failure?.why ?? ""}. Decide about the machine in its message in Slack`,
  );
}

/** Does the operation wait for a person: for an approval, or for the answer in a dialog? */
const waitsForPerson = ({ operation }: Seen): boolean =>
  operation.status === "waiting" || operation.approval?.state === "open";

/**
 * Measures the time that an operation has worked, and the time that it has waited for people.
 * @param began milliseconds since the epoch
 */
function patience({ place, waitMinutes }: Scene, id: string, minutes: number, began: number) {
  const spent = { worked: 0, waited: 0 };
  let last = began;
  /** @throws StepFailed once one of the two times is too long */
  return (now: number, isWaiting: boolean): void => {
    spent[isWaiting ? "waited" : "worked"] += now - last;
    last = now;
    if (spent.waited > waitMinutes * MINUTE) throw new StepFailed(unanswered(id, waitMinutes, place.commandWord));
    if (spent.worked > minutes * MINUTE) throw new StepFailed(tooLong(id, minutes));
  };
}

/** Has the operation succeeded? @throws StepFailed if it ended differently, or a failed machine waits for a decision */
function isOver(seen: Seen): boolean {
  if (seen.operation.status === "succeeded") return true;
  if (seen.operation.endedAt !== null) throw new StepFailed(endedBadly(seen.operation));
  refuseDecision(seen);
  return false;
}

/**
 * Follows an operation to its end and prints its stages.
 * @param minutes after which it should have ended, without the time in which it waits for people
 * @param onPoll called with the nodes after each poll
 * @throws StepFailed if it does not succeed in time, or if no person answers
 */
export async function follow(
  scene: Scene,
  id: string,
  minutes: number,
  onPoll: (nodes: readonly NodeRecord[]) => void = () => undefined,
): Promise<void> {
  const { place, waitMinutes } = scene;
  const say = once(scene.say);
  const spend = patience(scene, id, minutes, await scene.now());
  for (;;) {
    const seen = await patientPoll(scene, id);
    const { operation, nodes } = seen;
    onPoll(nodes);
    for (const { stage } of nodes) if (stage) say(stage, `  ${stageDoing(stage)}`);
    if (isOver(seen)) return;
    const { approval } = operation;
    if (approval?.state === "open")
      say(`approval ${approval.asking}`, awaitsApproval(operation, place.commandWord, waitMinutes));
    spend(await scene.now(), waitsForPerson(seen));
    await scene.pause();
  }
}
