import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { type Bundle, lostAuthority, sha256 } from "../../cluster/authorities.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { everyChunk, numbered, pageAfter } from "../../engine/chunks.ts";
import { step } from "../../engine/durable.ts";
import { Refused } from "../../errors.ts";
import { isBusy, wordsOf } from "../../steps/client-errors.ts";
import { refusesCredential } from "../../steps/cluster/credential.ts";
import { instanceIdOf, isReady, isWindows, labelsOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { ownershipOf } from "../../steps/cluster/ownership.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import type { Steps } from "../../steps/steps.ts";

/** Label that Casement sets when it provisions a Node: Casement gave such a Node its authorities. */
const POOL = "casement.dev/pool";

/** Interval at which the files on the nodes are compared; in between, the ledger says which bundle each node has. */
const COMPARE_AGAIN_MS = 6 * 3_600_000;

/** Outcome of reading the authority and the nodes at a tick, with the news for people. */
export interface AuthorityReading {
  readonly bundle: Bundle | null;
  readonly due: Due;
  readonly why: string;
  readonly news: "bad" | "well" | null;
}

/** Nodes whose file may differ; `isWhole` when every node was considered. */
export interface Due {
  readonly isWhole: boolean;
  readonly nodes: readonly DueNode[];
}

/** A node whose file may differ from what the cluster publishes. */
export interface DueNode {
  readonly instanceId: string;
  readonly name: string;
  readonly uid: string;
}

async function wholeBundle(steps: Steps): Promise<Bundle> {
  const bundle = await steps.kubeletAuthority.readPublished();
  const known = [...(await steps.machines.given.all()).values()].map(
    ({ kubeletClients }) => kubeletClients?.authorities ?? [],
  );
  const lost = lostAuthority(bundle.authorities, known, steps.now());
  if (lost)
    throw new Refused(
      `ControllerConfig machine-config-controller holds fewer authorities than nodes were given: ${lost.subject}, valid until ${lost.notAfter}, is missing, so no node was changed`,
    );
  return bundle;
}

/** May the next tick succeed without a person? About a refused credential, the credential watch calls people. */
const isForAnother = (error: unknown): boolean => isBusy(error) || refusesCredential(error);

/** @throws Refused when a service permanently refuses to list the nodes */
async function dueOrRefused(steps: Steps, configuration: Configuration, bundle: Bundle): Promise<Due> {
  try {
    return await findDue(steps, configuration, bundle);
  } catch (error) {
    if (isForAnother(error)) throw error;
    const why = `the nodes that need it cannot be listed: ${wordsOf(error)}, so no node was changed`;
    throw new Refused(why, { cause: error });
  }
}

/**
 * Reads the bundle that the cluster publishes, and the nodes that are due. If the bundle is empty, refused or damaged,
 * or the nodes cannot be listed, people are notified and no node is changed.
 */
export async function readAuthority(
  steps: Steps,
  configuration: Configuration,
  tick: string,
): Promise<AuthorityReading> {
  try {
    const bundle = await wholeBundle(steps);
    const due = await dueOrRefused(steps, configuration, bundle);
    return { bundle, due, why: "", news: await steps.authorityWatch.note(tick, "read") };
  } catch (error) {
    const news = await steps.authorityWatch.note(tick, isForAnother(error) ? "busy" : "refused");
    return { bundle: null, due: { isWhole: false, nodes: [] }, why: wordsOf(error), news };
  }
}

const uidOf = ({ uid }: DueNode): string => uid;

/**
 * Reads the same, with 50 nodes per step. The nodes are listed once, and again only if an interruption lost the list.
 */
export async function readInPages(
  ctx: DurableContext,
  steps: Steps,
  configuration: Configuration,
  tick: string,
): Promise<AuthorityReading> {
  const name = "read the authority";
  let listed: readonly DueNode[] | undefined;
  const first = await step(ctx, name, async () => {
    const { due, ...read } = await readAuthority(steps, configuration, tick);
    listed = due.nodes;
    const { items, ...more } = pageAfter(due.nodes, [], uidOf);
    return { ...read, due: { isWhole: due.isWhole, nodes: items, ...more } };
  });
  const { bundle, due } = first;
  if (!bundle) return first;
  const nodes = await everyChunk<DueNode>(async (at, before) => {
    if (at === 0) return { ...due, items: due.nodes };
    return step(ctx, numbered(name, at), async () => {
      listed ??= (await findDue(steps, configuration, bundle)).nodes;
      return pageAfter(listed, before, uidOf);
    });
  });
  return { ...first, due: { isWhole: due.isWhole, nodes } };
}

const machineOf = (node: Node, machines: readonly Machine[]): Machine | undefined =>
  machines.find(({ instanceId }) => instanceId === instanceIdOf(node));

/**
 * Finds running nodes that only Casement manages and whose file may differ. Ready nodes come first; a node that failed
 * before comes last.
 */
async function findDue(steps: Steps, { cluster }: Configuration, bundle: Bundle): Promise<Due> {
  const watch = await steps.authorityWatch.read();
  const wanted = sha256(bundle.pem);
  if (watch.blocked?.sha256 === wanted && watch.blocked.until > steps.now()) return { isWhole: false, nodes: [] };
  const isWhole = steps.now() - watch.comparedAt >= COMPARE_AGAIN_MS;
  const given = await steps.machines.given.all();
  const provisioned = (await steps.nodes.all()).filter((node) => isWindows(node) && labelsOf(node)[POOL] !== undefined);
  const candidates = provisioned.filter(
    (node) => isWhole || given.get(instanceIdOf(node) ?? "")?.kubeletClients?.sha256 !== wanted,
  );
  if (candidates.length === 0) return { isWhole, nodes: [] };
  const machines = await steps.instances.ofCluster(cluster.id);
  const [claimed, agents] = [await steps.claims.all(), await steps.machine.agents()];
  const reachable = candidates.filter((node) => {
    const machine = machineOf(node, machines);
    const isManaged = ownershipOf(machine, cluster.name, claimed) === "managed";
    return machine?.state === "running" && isManaged && agents.get(machine.instanceId)?.online;
  });
  const lastOnes = (node: Node): number => {
    const failedBefore = watch.blocked?.sha256 === wanted && watch.blocked.instanceId === instanceIdOf(node);
    return Number(failedBefore) * 2 + Number(!isReady(node));
  };
  const nodes = reachable.toSorted((one, other) => lastOnes(one) - lastOnes(other));
  return {
    isWhole,
    nodes: nodes.map((node) => ({
      instanceId: instanceIdOf(node) ?? "",
      name: node.metadata?.name ?? "",
      uid: node.metadata?.uid ?? "",
    })),
  };
}
