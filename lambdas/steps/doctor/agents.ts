import { paginateDescribeInstanceInformation } from "@aws-sdk/client-ssm";
import { atLeast } from "../../desired/versions.ts";
import type { Finding } from "../../messages/finding.ts";
import { instances } from "../instances.ts";
import type { Check, Patient } from "./check.ts";

/** From here on the agent takes its commands over ssmmessages alone and reports 3010 as our reboots need it. */
const OLDEST_AGENT = "3.3";

/** The agents of the machines that we launched and that run. */
async function agents({ world, configuration }: Patient): Promise<Finding[]> {
  const { name, id } = configuration.cluster;
  const ours = (await instances(world).ofCluster(id)).filter(
    ({ state, tags }) =>
      state === "running" && tags["casement:launched"] === "true" && tags["casement:cluster"] === name,
  );
  const known = new Map<string, { version: string; online: boolean }>();
  for await (const page of paginateDescribeInstanceInformation({ client: world.clients.ssm, pageSize: 50 }, {}))
    for (const { InstanceId = "", AgentVersion = "", PingStatus } of page.InstanceInformationList ?? [])
      known.set(InstanceId, { version: AgentVersion, online: PingStatus === "Online" });
  const ids = ours.map(({ instanceId }) => instanceId);
  const silent = ids.filter((instance) => known.get(instance)?.online !== true);
  const old = ids.filter((instance) => !atLeast(known.get(instance)?.version || OLDEST_AGENT, OLDEST_AGENT));
  return [
    ...(silent.length === 0 ? [] : [{ kind: "agents-silent", machines: silent } as const]),
    ...(old.length === 0 ? [] : [{ kind: "agents-old", machines: old, wanted: OLDEST_AGENT } as const]),
  ];
}

export const agentChecks: readonly Check[] = [{ area: "Nodes", what: "the SSM agents", look: agents }];
