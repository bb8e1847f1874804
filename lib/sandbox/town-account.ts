import type { IpPermission } from "@aws-sdk/client-ec2";
import { okdPorts, securityGroupRules } from "../../lambdas/desired/ports.ts";
import type { Place } from "../place.ts";
import type { Account } from "./aws/ec2/account.ts";
import { town } from "./town.ts";

const { windowsNodes, controlPlane, linuxNodes } = town.securityGroups;

/** The account as EC2 shows it: the Windows nodes' group takes exactly what the profile needs. */
export const account: Account = {
  ...town,
  inbound: {
    [windowsNodes]: securityGroupRules(okdPorts(4789), {
      "control-plane": controlPlane,
      "linux-nodes": linuxNodes,
      "windows-nodes": windowsNodes,
    }).map((rule) => ({ ...rule, UserIdGroupPairs: [...(rule.UserIdGroupPairs ?? [])] })) as IpPermission[],
  },
};

/** Place where the permissions of the town's stack apply. */
export const place: Place = {
  account: town.accountId,
  region: town.region,
  cluster: town.cluster.name,
  bucket: town.bucket,
  table: town.ledgerTable,
  clusterId: town.cluster.id,
  instanceTypes: town.instanceTypes,
  metadataTokens: ["required"],
  imageRepositories: [`arn:aws:ecr:*:${town.accountId}:repository/*`],
  instanceProfile: town.nodeRoleName,
  subnets: town.subnets.map(({ id }) => id),
  nodeGroup: windowsNodes,
  topic: town.topic,
  functionsInVpc: false,
};
