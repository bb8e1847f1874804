import type { IpPermission } from "@aws-sdk/client-ec2";
import { securityGroupRules } from "../../lambdas/machine/ports.ts";
import { profileOf } from "../../lambdas/profiles/list.ts";
import { scriptDocuments } from "../constructs/script-document.ts";
import type { Place } from "../place.ts";
import { permissionsFor } from "../role-permissions.ts";
import type { Account } from "./aws/ec2/account.ts";
import { memoize } from "./core/memoize.ts";
import { demo } from "./demo.ts";

const { windowsNodes, controlPlane, linuxNodes } = demo.securityGroups;

/** The account as EC2 shows it: the Windows nodes' group takes exactly what the profile needs. */
export const account: Account = {
  ...demo,
  inbound: {
    [windowsNodes]: securityGroupRules(profileOf(demo).ports({ hybridOverlayPort: 4789 }), {
      "control-plane": controlPlane,
      "linux-nodes": linuxNodes,
      "windows-nodes": windowsNodes,
    }).map((rule) => ({ ...rule, UserIdGroupPairs: [...(rule.UserIdGroupPairs ?? [])] })) as IpPermission[],
  },
};

/** Place where the permissions of the demo stack apply. */
export const place: Place = {
  account: demo.accountId,
  region: demo.region,
  cluster: demo.cluster.name,
  bucket: demo.bucket,
  table: demo.ledgerTable,
  clusterId: demo.cluster.id,
  instanceTypes: demo.instanceTypes,
  metadataTokens: ["required"],
  machineTags: Object.keys(demo.machineTags),
  imageRepositories: [`arn:aws:ecr:*:${demo.accountId}:repository/*`],
  imageCaches: [`arn:aws:ecr:*:${demo.accountId}:repository/hub/*`],
  instanceProfile: demo.nodeRoleName,
  subnets: demo.subnets.map(({ id }) => id),
  nodeGroup: windowsNodes,
  topic: demo.topic,
  topicKey: `arn:aws:kms:${demo.region}:${demo.accountId}:key/5c1e0f00-0000-4000-8000-00000000a001`,
  functionsInVpc: false,
};

const permissionsOf = memoize((json) => permissionsFor(JSON.parse(json)));

/** Returns the permissions at a place, made once for each: tests build the account hundreds of times. */
export const permissionsAt = (here: Place): ReturnType<typeof permissionsFor> => permissionsOf(JSON.stringify(here));

/** Returns the SSM documents of a cluster, by its name, made once for each. */
export const documentsOf = memoize(scriptDocuments);
