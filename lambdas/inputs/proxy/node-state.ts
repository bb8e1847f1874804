import { type InputContent, needsInput } from "../input.ts";
import type { RecordedNode } from "../recorded-node.ts";
import { proxyInput } from "./input.ts";

/**
 * State of a node: the variables are missing, or services run without them, or nobody has looked since they were
 * written, or services use them.
 */
export type ProxyState = "missing" | "pending" | "unchecked" | "in-force";

/** Finds the state of a node from its records. */
export function proxyStateOf({ sent, seen }: RecordedNode, content: InputContent): ProxyState {
  if (needsInput(proxyInput, content)(sent)) return "missing";
  if (sent === undefined) return "in-force";
  if (seen === undefined || Date.parse(seen.seenAt) < Date.parse(sent.at)) return "unchecked";
  return seen.reasons.includes("proxy") ? "pending" : "in-force";
}
