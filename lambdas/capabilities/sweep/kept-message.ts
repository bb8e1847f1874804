import { typeThis } from "../../messages/command/syntax.ts";
import { failureButtons } from "../../messages/operation/failure.ts";
import type { MessageSettings } from "../../messages/operation/links.ts";
import { stageName } from "../../messages/operation/stages.ts";
import { between } from "../../messages/slack/age.ts";
import { section } from "../../messages/slack/blocks.ts";
import { sign } from "../../messages/slack/signs.ts";
import { code, mentionOf } from "../../messages/slack/text.ts";
import type { Message, NodeRecord } from "../../records/records.ts";

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
