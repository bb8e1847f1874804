import type { Configuration } from "../../configuration.ts";
import { lostAuthority, sha256 } from "../../desired/authorities.ts";
import type { Bundle } from "../../desired/given.ts";
import { Refused } from "../../errors.ts";
import { isBusy, wordsOf } from "../../steps/client-errors.ts";
import { refusesCredential } from "../../steps/cluster/credential.ts";
import { instanceIdOf, isReady, isWindows, labelsOf } from "../../steps/cluster/node-facts.ts";
import type { Node } from "../../steps/cluster/nodes.ts";
import { ownershipOf } from "../../steps/cluster/ownership.ts";
import type { Machine } from "../../steps/ec2/instances.ts";
import type { Steps } from "../../steps/steps.ts";

/** Label of provisioning: a Node that carries it was given its authorities by Casement. */
const POOL = "casement.dev/pool";

/** The ledger says what each node was given; this often the files themselves are compared. */
const LOOK_AGAIN_MS = 6 * 3_600_000;

/** Outcome of reading the authority at a tick, with what people are to be told of it. */
export interface Reading {
  readonly bundle: Bundle | null;
  readonly why: string;
  readonly news: "bad" | "well" | null;
}

/** A node whose file may differ from what the cluster publishes. */
export interface DueNode {
  readonly instanceId: string;
  readonly name: string;
  readonly uid: string;
}

async function wholeBundle(steps: Steps): Promise<Bundle> {
  const bundle = await steps.kubeletAuthority.readPublished();
  const known = (await steps.given.all()).map(({ kubeletClients }) => kubeletClients.authorities);
  const lost = lostAuthority(bundle.authorities, known, steps.now());
  if (lost)
    throw new Refused(
      `ControllerConfig machine-config-controller holds fewer authorities than nodes were given: ${lost.subject}, valid until ${lost.notAfter}, is missing, so no node was changed`,
    );
  return bundle;
}

/** Reads what the cluster publishes; an empty, refused or damaged bundle is news for people and nothing for nodes. */
export async function readAuthority(steps: Steps, tick: string): Promise<Reading> {
  try {
    const bundle = await wholeBundle(steps);
    return { bundle, why: "", news: await steps.authorityWatch.note(tick, "read") };
  } catch (error) {
    // The credential watch calls people about a credential that the cluster refuses.
    const outcome = isBusy(error) || refusesCredential(error) ? "busy" : "refused";
    return { bundle: null, why: wordsOf(error), news: await steps.authorityWatch.note(tick, outcome) };
  }
}

const machineOf = (node: Node, machines: readonly Machine[]): Machine | undefined =>
  machines.find(({ instanceId }) => instanceId === instanceIdOf(node));

/** Finds the nodes that run, that are ours alone, and whose file may differ; Ready ones first, one that failed before last. */
export async function findDue(
  steps: Steps,
  { cluster }: Configuration,
  bundle: Bundle,
): Promise<{ readonly isWhole: boolean; readonly nodes: readonly DueNode[] }> {
  const watch = await steps.authorityWatch.read();
  const wanted = sha256(bundle.pem);
  if (watch.blocked?.sha256 === wanted && watch.blocked.until > steps.now()) return { isWhole: false, nodes: [] };
  const isWhole = steps.now() - watch.lookedAt >= LOOK_AGAIN_MS;
  const given = new Map((await steps.given.all()).map((one) => [one.instanceId, one.kubeletClients.sha256]));
  const ours = (await steps.nodes.all()).filter((node) => isWindows(node) && labelsOf(node)[POOL] !== undefined);
  const candidates = ours.filter((node) => isWhole || given.get(instanceIdOf(node) ?? "") !== wanted);
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
