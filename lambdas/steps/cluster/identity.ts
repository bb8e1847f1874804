import type { V1Node } from "@kubernetes/client-node";
import type { Configuration } from "../../configuration/configuration.ts";
import type { Assistance } from "../../machine/assistance.ts";
import type { IdentityFault } from "../../messages/node/identity.ts";
import { profileOf } from "../../profiles/list.ts";
import type { Profile } from "../../profiles/profile.ts";
import { hasEnded, isOurs, type Machine } from "../ec2/instances.ts";
import { instanceIdOf } from "./node-facts.ts";

/** Facts of the whole cluster by which the Node of a machine is judged. */
export interface Identities {
  /** Name of the cluster. */
  readonly cluster: string;
  /** Every Node of the cluster: a second one that names the same instance may run any system. */
  readonly nodes: readonly V1Node[];
  /** Derives the name of a machine's Node from EC2's description of the instance. */
  readonly nodeName: Profile["nodeName"];
  /** The ledger's approvals; omitted if only managed machines matter to the caller. */
  readonly assisted?: readonly Assistance[];
}

/** Joins the Nodes of a cluster with its name and the names that its kind gives to Nodes. */
export const identitiesOf = <Facts extends Omit<Identities, "cluster" | "nodeName">>(
  configuration: Pick<Configuration, "cluster">,
  facts: Facts,
): Facts & Identities => ({
  ...facts,
  cluster: configuration.cluster.name,
  nodeName: profileOf(configuration).nodeName,
});

const named = ({ metadata }: V1Node): string => metadata?.name ?? "";

/**
 * Name that a machine's Node must have: EC2's for a machine that Casement launched, the approved one for a machine that
 * it assists. Null for any other machine, which is never changed by its Node.
 */
function wantedName(machine: Machine, { cluster, nodeName, assisted = [] }: Identities): string | null {
  const record = assisted.find(({ instanceId }) => instanceId === machine.instanceId);
  if (record) return record.node ?? nodeName(machine);
  return isOurs(machine, cluster) ? nodeName(machine) : null;
}

/**
 * Judges whether a machine and its Node belong together. A kubelet writes `spec.providerID` when it registers its Node,
 * and the API server accepts any value, so that the Node's name, which a certificate proves, must be the machine's, and
 * no second Node may name the instance. EC2 reports no name of an instance that has ended, so there only the number of
 * Nodes is judged.
 * @returns null if they belong together, or if no Node names the instance
 */
export function identityFaultOf(machine: Machine, identities: Identities): IdentityFault | null {
  const { instanceId } = machine;
  const { nodes } = identities;
  const wanted = wantedName(machine, identities);
  const [own, ...others] = nodes.filter((node) => instanceIdOf(node) === instanceId);
  if (own && others.length > 0)
    return { kind: "several-nodes", instanceId, nodes: [own, ...others].map(named), wanted: wanted ?? "" };
  if (wanted === null || (wanted === "" && hasEnded(machine))) return null;
  if (own) return named(own) === wanted ? null : { kind: "other-name", instanceId, node: named(own), wanted };
  const namesake = nodes.find((node) => named(node) === wanted);
  const providerId = namesake?.spec?.providerID;
  return providerId ? { kind: "other-instance", instanceId, node: wanted, providerId } : null;
}
