import type { Finding } from "../../../messages/doctor/finding.ts";
import { waitsForPerson } from "../../../messages/node/unregistered.ts";
import { nodes } from "../../cluster/nodes.ts";
import { instances } from "../../ec2/instances.ts";
import { unregistered } from "../../unregistered.ts";
import type { DoctorCheck, DoctorFacts } from "../check.ts";

/**
 * Milliseconds for which a new instance is not reported: the ledger records it a moment after EC2's launch, so a minute
 * would be ample.
 */
const YOUNG_MS = 10 * 60_000;

async function observe({ context, configuration: { cluster } }: DoctorFacts): Promise<Finding[]> {
  const machines = await instances(context).ofCluster(cluster.id);
  const found = await unregistered(context).list(machines, await nodes(context).all(), cluster.name);
  const at = new Date(context.now()).toISOString();
  return found
    .filter(waitsForPerson)
    .filter(({ state, since }) => state !== "left" || context.now() - Date.parse(since) > YOUNG_MS)
    .map((machine): Finding => ({ kind: "unregistered-machine", machine, at }));
}

/** Finds machines that cost money and take a place in their pool, but are not nodes. */
export const unregisteredMachines: DoctorCheck = { area: "Nodes", what: "the machines that are not nodes", observe };
