import type { Message } from "../../records/records.ts";
import { typeThis } from "../command/syntax.ts";
import { between } from "../slack/age.ts";
import { context, header, limits, section, sections } from "../slack/blocks.ts";
import { withoutPlaceholder } from "../slack/command-word.ts";
import { code, codeLine, fenced, plain, some } from "../slack/text.ts";
import type { NodeRow } from "./nodes-table.ts";
import { dueFact } from "./reboot-due.ts";

/** One node in full, from Kubernetes and EC2. */
export interface NodeDetails extends NodeRow {
  readonly addresses: readonly string[];
  readonly osImage: string;
  readonly containerRuntime: string;
  readonly instanceType: string | null;
  readonly zone: string | null;
  /** EC2's name for the instance's state: "running". */
  readonly instanceState: string | null;
  /** Ownership of its machine: "managed", "assisted", "observed", or "observed: " with the reason. */
  readonly ownership: string;
  /** "os=Windows:NoSchedule" */
  readonly taints: readonly string[];
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly since: string;
  }[];
  /** "namespace/name" */
  readonly pods: readonly string[];
  /** The operation that holds the node. */
  readonly heldBy: string | null;
}

/** Most pods named in the message. */
const MOST_PODS = 30;

const facts = (node: NodeDetails, now: string): [string, string][] => [
  ["Name", node.name],
  ["Status", node.status],
  ["Roles", node.roles.join(",")],
  ["Pool", node.pool ?? ""],
  ["Age", between(node.createdAt, now)],
  ["Version", node.version],
  ["Build", node.build ?? ""],
  ["OS image", node.osImage],
  ["Runtime", node.containerRuntime],
  ["Addresses", node.addresses.join(", ")],
  [
    "Instance",
    [node.instanceId, node.instanceType, node.zone, node.instanceState].filter((fact) => fact !== null).join(", "),
  ],
  ["Ownership", node.ownership],
  ["Taints", node.taints.join(", ")],
  ["Held by", node.heldBy ?? ""],
  ["Reboot due", dueFact(node.rebootDue, now)],
];

const factLines = (node: NodeDetails, now: string): string[] =>
  facts(node, now).map(([name, value]) =>
    codeLine(`${`${name}:`.padEnd(12)}${withoutPlaceholder(value.slice(0, 300)) || "<none>"}`),
  );

const conditionLines = (node: NodeDetails, now: string): string[] =>
  node.conditions
    .slice(0, 15)
    .map(({ type, status, reason, since }) =>
      codeLine(
        `${type.slice(0, 40).padEnd(20)} ${status.slice(0, 10).padEnd(8)} ${between(since, now).padEnd(8)} ${withoutPlaceholder(reason.slice(0, 60))}`,
      ),
    );

/**
 * One node, like `kubectl describe node`.
 * @param now ISO 8601
 */
export function nodeMessage(node: NodeDetails, now: string): Message {
  const pods =
    node.pods.length > 0
      ? some(
          node.pods.map((pod) => plain(pod, 80)),
          MOST_PODS,
        )
      : "none";
  const heldBy = node.heldBy
    ? [context(`${code(node.heldBy)} is working on this node; ${typeThis("cancel", node.heldBy)} stops it.`)]
    : [];
  return {
    text: `${plain(node.name)}: ${plain(node.status)}`,
    blocks: [
      header(node.name),
      ...sections(factLines(node, now), fenced),
      ...sections(["Condition            Status   Since    Reason", ...conditionLines(node, now)], fenced),
      section(`*Pods (${node.pods.length}):* ${pods}`.slice(0, limits.section)),
      ...heldBy,
    ],
  };
}
