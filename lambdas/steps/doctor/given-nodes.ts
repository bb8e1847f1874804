import { contentHash, type Input, type InputContent, needsInput } from "../../inputs/input.ts";
import type { ExaminedInput, Finding } from "../../messages/doctor/finding.ts";
import type { MachineInputs } from "../../records/machine-record.ts";
import { claims } from "../cluster/claims.ts";
import { managedNodes } from "../cluster/managed-nodes.ts";
import { instanceIdOf } from "../cluster/node-facts.ts";
import { type Node, nodes } from "../cluster/nodes.ts";
import { ownersOf } from "../cluster/ownership.ts";
import { instances } from "../ec2/instances.ts";
import { type InputWatch, isBlocked } from "../input-watches.ts";
import type { DoctorFacts } from "./check.ts";

/** Milliseconds that a schedule has for every node: it runs every five minutes, and leaves out nodes that are off. */
const LATE_MS = 3_600_000;

/** A node that gets the inputs of the cluster. */
export interface GivenNode {
  readonly name: string;
  readonly instanceId: string | null;
  /** As the Node reports it: "containerd://1.7.27". */
  readonly runtime: string;
}

const givenNode = (node: Node): GivenNode => ({
  name: node.metadata?.name ?? "",
  instanceId: instanceIdOf(node),
  runtime: node.status?.nodeInfo?.containerRuntimeVersion ?? "",
});

/** Names nodes. */
export const namesOf = (some: readonly GivenNode[]): string[] => some.map(({ name }) => name);

/** Finds the nodes that get the inputs of the cluster. */
export async function givenNodes({ context, configuration }: DoctorFacts): Promise<GivenNode[]> {
  const [all, launched, claimed] = await Promise.all([
    nodes(context).all(),
    instances(context).ofCluster(configuration.cluster.id),
    claims(context).all(),
  ]);
  return managedNodes(launched, ownersOf(configuration, { nodes: all, claimed })).map(givenNode);
}

/** Records by which nodes are examined. */
interface GivenRecords {
  /** Inputs of each machine, by instance id. */
  readonly given: ReadonlyMap<string, MachineInputs>;
  /** State of the input's schedule. */
  readonly watch: Pick<InputWatch, "stored" | "storedAt" | "blocked">;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Findings about nodes that lack what the cluster wants: at once if the schedule has stopped writing it, otherwise after
 * an hour.
 */
export function lackingFindings(
  input: Input & { readonly name: ExaminedInput },
  content: InputContent,
  examined: readonly GivenNode[],
  { given, watch, now }: GivenRecords,
): Finding[] {
  const { name } = input;
  const sentTo = ({ instanceId }: GivenNode) => given.get(instanceId ?? "")?.[name];
  const needs = needsInput(input, content);
  const lacking = examined.filter((node) => needs(sentTo(node)));
  if (lacking.length === 0) return [];
  if (isBlocked(watch, content.sha256, now)) {
    const failed = examined.find(({ instanceId }) => instanceId === watch.blocked?.instanceId);
    return [{ kind: "input-blocked", input: name, failed: failed?.name ?? null, nodes: namesOf(lacking) }];
  }
  const isOld = (at: number): boolean => now - at > LATE_MS;
  const isOpen = (node: GivenNode): boolean => sentTo(node)?.unconfirmed !== undefined;
  const unconfirmed = lacking.filter((node) => isOpen(node) && isOld(Date.parse(sentTo(node)?.at ?? "")));
  const isLate = watch.stored === contentHash(content) && isOld(watch.storedAt);
  const late = isLate ? lacking.filter((node) => !isOpen(node)) : [];
  return [
    ...(late.length > 0 ? [{ kind: "input-late", input: name, nodes: namesOf(late) } as const] : []),
    ...(unconfirmed.length > 0
      ? [{ kind: "input-unconfirmed", input: name, nodes: namesOf(unconfirmed) } as const]
      : []),
  ];
}
