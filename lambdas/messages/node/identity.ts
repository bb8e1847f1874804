import type { Message } from "../../records/records.ts";
import { sections } from "../slack/blocks.ts";
import { sign } from "../slack/signs.ts";
import { code, counted } from "../slack/text.ts";

/** Reason why a Node and the machine that its provider id names do not belong together. */
export type IdentityFault =
  /** Several Nodes name the same instance. `wanted` is the name of the machine's own Node; empty if it is not known. */
  | {
      readonly kind: "several-nodes";
      readonly instanceId: string;
      readonly nodes: readonly string[];
      readonly wanted: string;
    }
  /** The only Node that names the instance has another name than the Node of this machine. */
  | { readonly kind: "other-name"; readonly instanceId: string; readonly node: string; readonly wanted: string }
  /** The Node with the machine's name names another instance. */
  | {
      readonly kind: "other-instance";
      readonly instanceId: string;
      readonly node: string;
      readonly providerId: string;
    };

/** Most names in one sentence. */
const MOST_NAMES = 5;

/** Longest provider id in a sentence: a kubelet writes it. */
const MOST_CHARACTERS = 80;

/**
 * Explains in a clause why a Node and its machine do not belong together.
 * @param quote marks names as code; identity for text that is code already
 */
export function identityReason(fault: IdentityFault, quote: (text: string) => string = code): string {
  const instance = quote(fault.instanceId);
  switch (fault.kind) {
    case "several-nodes":
      return `several Nodes name the instance ${instance}: ${fault.nodes.slice(0, MOST_NAMES).map(quote).join(", ")}`;
    case "other-name": {
      const wanted =
        fault.wanted === ""
          ? "EC2 reports no name of that machine"
          : `the Node of that machine is ${quote(fault.wanted)}`;
      return `${quote(fault.node)} names the instance ${instance}, and ${wanted}`;
    }
    case "other-instance":
      return `the Node ${quote(fault.node)} has the name of the instance ${instance}, and names another one: ${quote(fault.providerId.slice(0, MOST_CHARACTERS))}`;
  }
}

/** Next step against such a fault, as a clause. */
export function identityRemedy(fault: IdentityFault): string {
  if (fault.kind === "several-nodes") {
    const own = fault.wanted === "" ? "the one that runs on the machine" : code(fault.wanted);
    return `keep ${own}, and delete the others with ${code("kubectl delete node")}`;
  }
  return `find out who registered it, then delete it: ${code(`kubectl delete node ${fault.node}`)}`;
}

/** Text of a fault, with the next step. */
export const identityLine = (fault: IdentityFault): string =>
  `${identityReason(fault)}. Casement changes neither. Next: ${identityRemedy(fault)}.`;

/** Most faults that one message shows. */
const MOST_FAULTS = 5;

/** Puts the machines whose Node does not belong to them above the rest of a message. */
export function withIdentityFaults(message: Message, faults: readonly IdentityFault[]): Message {
  const more = faults.length - MOST_FAULTS;
  const lines = [
    ...faults.slice(0, MOST_FAULTS).map((fault) => `${sign.warning} ${identityLine(fault)}`),
    ...(more > 0 ? [`${sign.warning} The same holds for ${counted(more, "more machine")}.`] : []),
  ];
  return { ...message, blocks: [...sections(lines), ...message.blocks] };
}
