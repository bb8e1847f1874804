import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Start } from "../../commands/command.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import { cordonPlanCard } from "../../messages/node/cordon.ts";
import type { Steps } from "../../steps/steps.ts";
import { type ChosenNode, judgeNode } from "../node/choose.ts";
import { approve } from "../operation/approval.ts";
import type { Begun } from "../operation/lifecycle.ts";
import { endUnapproved } from "../operation/unapproved.ts";

/**
 * Asks for the approval that a cordon or uncordon needs where the configuration demands one; by default it needs none.
 * @returns whether the change may begin; if not, the operation has ended and its message says why
 * @throws Refused when the node may not be changed any more
 */
export async function approved(
  ctx: DurableContext,
  steps: Steps,
  start: Start,
  begun: Begun,
  command: "cordon" | "uncordon",
  { name, pool }: ChosenNode,
): Promise<boolean> {
  const end = await approve(ctx, steps, {
    ...{ operation: start.operation, command, pool, settings: begun },
    judge: async () => {
      const { chosen } = await judgeNode(steps, start, begun, command, name);
      const { uid, bootId, instanceId, isCordoned } = chosen;
      return {
        record: { action: command, options: {}, nodes: [{ uid, bootId, instanceId }], losses: [], blockers: [] },
        pods: 0,
        card: cordonPlanCard(command, name, isCordoned),
      };
    },
  });
  if ("record" in end) return true;
  if (end.kind === "undecided") throw new Error("a cordon waits for no slot, so its approval is decided or lapses");
  await endUnapproved(ctx, steps, start.operation, begun, end, typeThis(command, name));
  return false;
}
