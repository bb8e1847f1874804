import type { OtherRequest } from "../../records/approval.ts";
import { sign } from "../slack/signs.ts";
import { code, plain, some } from "../slack/text.ts";

const states: Readonly<Record<OtherRequest["state"], string>> = {
  asked: "waits for an approval",
  confirming: "waits in its dialog",
  scheduled: "waits for its time",
  working: "is at work",
};

const named = ({ id, title, by, state }: OtherRequest): string =>
  `${code(id)} (${plain(title, 100)}) by ${plain(by, 80)}, ${states[state]}`;

/**
 * Names other operations on the nodes of a plan: only one of them can work on a node at a time.
 * @param nodes number of the plan's nodes
 * @returns no line if there are none
 */
export const othersNote = (others: readonly OtherRequest[], nodes: number): string[] =>
  others.length > 0
    ? [
        `${sign.warning} Also requested for ${nodes === 1 ? "this node" : "some of these nodes"}: ${some(others.map(named), 5)}. Only one operation at a time works on a node.`,
      ]
    : [];
