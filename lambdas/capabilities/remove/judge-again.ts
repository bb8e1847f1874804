import type { Op } from "../../change/operation/op.ts";
import { checkOrigin } from "../../change/operation/requester.ts";
import { Refused } from "../../errors.ts";
import { answerAct } from "./answer.ts";
import { checkRemovable } from "./approval.ts";
import { type ChosenMachine, choose } from "./choose.ts";

/**
 * Judges requester and node once more, because minutes have passed since the question; from then on this judgement holds.
 * @throws Forbidden, or Refused if the node may not be removed any more
 */
export async function planAgain(op: Op, before: ChosenMachine): Promise<ChosenMachine> {
  const { steps, start } = op;
  await steps.audit.append({ operation: start.operation }, "answer", await answerAct(op, "submitted"));
  const chosen = await choose(op, before.name);
  await checkOrigin(op, await steps.runtime.rules(), chosen.facts.pool);
  checkRemovable(chosen);
  if (before.uid === null && chosen.uid !== null)
    throw new Refused("the machine registered as a node while the dialog was open");
  if (chosen.uid !== before.uid) throw new Refused("the Node was deleted and recreated while the dialog was open");
  return chosen;
}

/**
 * Judges requester and node once more, after a wait: what was removed meanwhile may leave this node the last of its Windows build.
 * @throws Forbidden, or Refused if the node may not be removed any more
 */
export async function judgeAgain(op: Op, before: ChosenMachine): Promise<void> {
  await checkOrigin(op, await op.steps.runtime.rules());
  const chosen = await choose(op, before.name);
  checkRemovable(chosen);
  if (chosen.uid !== before.uid) throw new Refused("the Node was deleted and recreated while its removal waited");
}
