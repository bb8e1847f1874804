import type { Message, NodeRecord } from "../../records/records.ts";
import { typeThis } from "../command/syntax.ts";
import { between } from "../slack/age.ts";
import { section } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code, mentionOf } from "../slack/text.ts";
import { failureButtons } from "./failure.ts";
import type { MessageSettings } from "./links.ts";
import { stageName } from "./stages.ts";

/**
 * Reminds of a kept machine, with its buttons.
 * @param called ids of user groups (S…) and people who may terminate it
 * @param now ISO 8601
 */
export function keptReminder(
  node: NodeRecord,
  called: readonly string[],
  settings: MessageSettings,
  now: string,
): Message {
  const { instanceId, keptAt, failure } = node;
  const id = instanceId ?? "";
  const stage = failure ? ` It failed at ${stageName(failure.stage)}.` : "";
  const text =
    `${called.map(mentionOf).join(" ")} ${sign.warning} ${code(id)} has been kept for ${between(keptAt ?? now, now)} and is still billed.${stage} To terminate it: ${typeThis("remove", id)}`.trim();
  return { text, blocks: [section(text), ...failureButtons(node, settings, now)] };
}
