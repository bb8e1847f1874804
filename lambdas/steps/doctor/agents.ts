import { isReportOverdue } from "../../health/agent-silence.ts";
import { atLeast } from "../../machine/versions.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import { poolOf } from "../../tags.ts";
import { instances, isOurs } from "../ec2/instances.ts";
import { machine } from "../machine/machine.ts";
import { machines } from "../machines/machines.ts";
import type { DoctorCheck, DoctorFacts } from "./check.ts";
import { seesStatus } from "./ec2-rights.ts";
import { sendsCommands } from "./rights.ts";

/**
 * Oldest supported version: since it, the agent receives its commands only through ssmmessages, and handles exit code
 * 3010 as Casement's reboots need it.
 */
const OLDEST_AGENT = "3.3";

/** Checks the agents of the running machines that Casement launched. */
async function agents({ context, configuration }: DoctorFacts): Promise<Finding[]> {
  const { name, id } = configuration.cluster;
  const all = await instances(context).ofCluster(id);
  const ours = all.filter((instance) => instance.state === "running" && isOurs(instance, name));
  const known = await machine(context).agents();
  const ids = ours.map(({ instanceId }) => instanceId);
  const at = new Date(context.now()).toISOString();
  const silent = ours.flatMap(({ instanceId, privateDnsName, tags, hasProfile }) => {
    const report = known.get(instanceId);
    // A machine whose agent never reported was never set up: it boots, or is found as a machine that is not a node.
    if (!report?.lastPingAt || !isReportOverdue(report, context.now())) return [];
    const bare = hasProfile === false ? ({ lacksProfile: true } as const) : {};
    return { node: privateDnsName || instanceId, pool: poolOf({ tags }), since: report.lastPingAt, ...bare };
  });
  const seen = await machines(context).seen.all();
  const proxied = ids
    .flatMap((instance) => seen.get(instance) ?? [])
    .filter(({ proxiedBy }) => proxiedBy !== undefined);
  const old = ids.filter((instance) => !atLeast(known.get(instance)?.version || OLDEST_AGENT, OLDEST_AGENT));
  return [
    ...(silent.length === 0 ? [] : [{ kind: "agents-silent", agents: silent, at } as const]),
    ...(proxied.length === 0 ? [] : [{ kind: "agents-proxied", nodes: proxied.map(({ node }) => node) } as const]),
    ...(old.length === 0 ? [] : [{ kind: "agents-old", machines: old, wanted: OLDEST_AGENT } as const]),
  ];
}

export const agentChecks: readonly DoctorCheck[] = [
  { area: "Nodes", what: "the SSM agents", observe: agents },
  { area: "Nodes", what: "EC2's status checks", observe: seesStatus },
  { area: "Nodes", what: "the right to look at machines", observe: sendsCommands },
];
