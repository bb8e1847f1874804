import { type OriginFields, originOf } from "../../records/origin.ts";
import { code, plain, prose } from "../slack/text.ts";

const schedule = (rule: string): string => `started by the schedule ${code(rule)}`;

/** Says who requested an operation by name, or which schedule started it: for messages that are rewritten often. */
export function originLine(operation: OriginFields): string {
  const origin = originOf(operation);
  return origin.by === "person" ? `requested by ${plain(origin.requester.userName, 80)}` : schedule(origin.rule);
}

/** Says the same, and mentions the person. */
export function originMention(operation: OriginFields): string {
  const origin = originOf(operation);
  return origin.by === "person" ? `requested by ${prose(`<@${origin.requester.userId}>`)}` : schedule(origin.rule);
}
