import { type OriginFields, originOf } from "../../records/origin.ts";
import { code, plain, prose } from "../slack/text.ts";

const schedule = (rule: string): string => `started by the schedule ${code(rule)}`;

/** Names the requester or the schedule of an operation, without a mention: for messages that are updated often. */
export function originLine(operation: OriginFields): string {
  const origin = originOf(operation);
  return origin.by === "person" ? `requested by ${plain(origin.requester.userName, 80)}` : schedule(origin.rule);
}

/** Names the requester or the schedule of an operation, with a mention of the person. */
export function originMention(operation: OriginFields): string {
  const origin = originOf(operation);
  return origin.by === "person" ? `requested by ${prose(`<@${origin.requester.userId}>`)}` : schedule(origin.rule);
}
