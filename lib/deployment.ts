import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { configurationSchema, faultsOf, poolSchema } from "../lambdas/configuration/configuration.ts";
import { oldKeyWarnings } from "../lambdas/configuration/deadlines.ts";
import { networksOverlap } from "../lambdas/machine/network-address.ts";
import { deadlineFaults } from "./deadline-faults.ts";
import {
  account,
  authority,
  awsId,
  clusterName,
  distinct,
  instanceType,
  labelValue,
  overlaps,
  ownKey,
  poolName,
  region,
  tagKey,
} from "./deployment-values.ts";
import { egressFaults, egressSchema } from "./egress.ts";
import { FILL_IN, unfilled } from "./fill-in.ts";
import { keyArn, keyFaults } from "./key-arns.ts";
import { messageOf } from "./message-of.ts";
import { type Fault, ruleFaults } from "./rule-faults.ts";

/** Days that CloudWatch Logs can keep (API PutRetentionPolicy). */
export const LOG_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1827, 3653] as const;

const NO_WAY_OUT =
  "name the NAT gateway (nat-…), transit gateway (tgw-…) or network interface of a firewall (eni-…) by which these subnets reach Slack and AWS: Slack has no endpoint inside a VPC";

/** Functions that call Kubernetes, placed where they reach a private API server. */
const functionsNetwork = z.strictObject({
  subnets: distinct(awsId("subnet")),
  /** Target of the subnets' default route. Without a default route the functions could reach neither Slack nor AWS. */
  wayOut: z.string(NO_WAY_OUT).regex(/^(nat|tgw|eni)-[0-9a-f]{8,17}$/, NO_WAY_OUT),
});

const NOBODY_NOTIFIED =
  "list e-mail addresses to notify when something is wrong, or write none if something else subscribes to the topic";

/** ARNs of repositories in ECR. */
const repositories = z.array(
  z.string().regex(/^arn:aws[a-z-]*:ecr:[a-z0-9*-]+:\d{12}:repository\/.+$/, "must be arn:aws:ecr:…:repository/…"),
);

/** EC2 takes 50 tags of a resource (User Guide, "Tag restrictions"), and a launch sets six of its own. */
const MOST_TAGS = 44;

/** The AWS account that the stack is deployed into, and the resources that the account already has. */
const aws = z.strictObject({
  account,
  vpc: awsId("vpc"),
  /** The cluster's security groups: their machines may reach the Windows nodes, whose overlay must reach them. */
  securityGroups: z.strictObject({ controlPlane: awsId("sg"), linuxNodes: awsId("sg") }),
  /** The customer-managed key that encrypts the nodes' volumes; default: the account's default key. */
  volumeKey: keyArn.optional(),
  /** The customer-managed key of table, bucket, secrets, topic, queues and logs; default: the services' own keys. */
  key: keyArn.optional(),
  /** Repositories that nodes may pull from; default: all repositories of the account. */
  imageRepositories: repositories.min(1).optional(),
  /** Repositories of pull-through caches, which the first pull of a node may create and fill. */
  imageCaches: repositories.default([]),
  /** Only for a private API server; if it is left out, no function is placed in a VPC. */
  functionsNetwork: functionsNetwork.optional(),
  egress: egressSchema.default({}),
  /** Number of requests that the front door answers concurrently; 100 must stay unreserved (Lambda quotas). */
  frontDoorConcurrency: z.number().int().min(1).max(1_000).default(10),
  /** E-mail addresses that are notified of everything that needs a human; each must confirm its subscription. */
  notify: z.union([z.array(z.email()).min(1, NOBODY_NOTIFIED), z.literal("none")], NOBODY_NOTIFIED),
  /** Tags that the account's own rules require on every resource, machines and their volumes too. */
  tags: z
    .record(tagKey, z.string().max(256))
    .refine((tags) => Object.keys(tags).length <= MOST_TAGS, {
      error: `may be ${MOST_TAGS} at most: machines get six more`,
    })
    .default({}),
  /** Keeps CloudFormation from deleting the stack. Switch it on after the first deployment: one that failed must be deletable. */
  terminationProtection: z.boolean().default(false),
  /** Days for which the functions' logs are kept; default: as long as the audit's entries. */
  logRetentionDays: z.literal(LOG_DAYS).optional(),
  /**
   * Retention that S3 enforces for every version in the bucket, including the copies of the audit; set it at the first
   * deployment. A configuration without it keeps its bucket as it is.
   */
  audit: z
    .strictObject({
      objectLock: z.union([
        z.strictObject({
          mode: z.enum(["governance", "compliance"]),
          /** S3's own limit is 36,500 days. */
          days: z.number().int().min(1).max(36_500),
        }),
        z.literal("none"),
      ]),
    })
    .optional(),
  /** Path of the uploaded payload's manifest, relative to this file. Leave it out until the payload is uploaded. */
  payloadManifest: z.string().optional(),
});

/** A pool's taint. The effect NoExecute is refused: it would evict other owners' DaemonSet pods that already run. */
const taint = poolSchema.shape.taint.extend({
  key: ownKey,
  value: labelValue,
  effect: poolSchema.shape.taint.shape.effect.refine((effect): boolean => effect !== "NoExecute", {
    error: "must be NoSchedule or PreferNoSchedule: NoExecute evicts what runs",
  }),
});

/** A pool in the file, without created resources. Its values are checked more strictly than those of a release. */
const pool = poolSchema.omit({ securityGroup: true }).extend({
  instanceTypes: distinct(instanceType),
  subnets: distinct(awsId("subnet")),
  labels: z.record(ownKey, labelValue).default({}),
  taint,
});

const pools = z
  .record(poolName, pool)
  .refine((all) => Object.keys(all).length > 0, { error: "name at least one pool" });

/** @param now milliseconds since the epoch: certificates must be valid */
const clusterAt = (now: number) =>
  configurationSchema.shape.cluster.extend({
    name: clusterName,
    region,
    certificateAuthority: authority(now),
    kubeletClientAuthority: authority(now).optional(),
  });

/** The reviewed file: the functions' configuration, without resources that the stack creates, and the AWS account. */
const deploymentSchema = (now: number) =>
  configurationSchema
    .omit({ bucket: true, ledgerTable: true, instanceProfileArn: true, volumeKey: true, machineTags: true, key: true })
    .extend({ cluster: clusterAt(now), pools, aws })
    .superRefine((whole, { addIssue }) => {
      for (const { path, message } of faultsAcross(whole)) addIssue({ code: "custom", path: [...path], message });
    });

/** A deployment, validated. */
export type Deployment = z.infer<ReturnType<typeof deploymentSchema>>;

/** Finds values that are valid separately but not together. */
const faultsAcross = (whole: Deployment): Fault[] => [
  ...networkFaults(whole),
  ...windowsFaults(whole),
  ...deadlineFaults(whole),
  ...ruleFaults(whole),
  ...keyFaults(whole),
  ...egressFaults(whole),
];

/** IPv4's reserved class: Linux can use it, Windows drops its packets (Microsoft, "Reserved IP addresses": class E). */
const CLASS_E = "240.0.0.0/4";

function networkFaults({ cluster: { serviceNetwork, clusterNetwork, machineNetwork } }: Deployment): Fault[] {
  const networks = { serviceNetwork, clusterNetwork, machineNetwork };
  const both = overlaps(networks).map(([one, other]) => ({
    path: ["cluster", one],
    message: `overlaps with cluster.${other}: the cluster cannot have both`,
  }));
  const reserved = Object.entries(networks)
    .filter(([, network]) => networksOverlap(network, CLASS_E))
    .map(([name]) => ({ path: ["cluster", name], message: `is in ${CLASS_E}, which Windows does not use` }));
  return [...both, ...reserved];
}

const windowsFaults = ({ pools: all, cluster: { hybridOverlayPort } }: Deployment): Fault[] =>
  Object.keys(all)
    .filter((name) => all[name]?.windows === "2019" && hybridOverlayPort !== 4789)
    .map((name) => ({
      path: ["pools", name, "windows"],
      message: `Windows Server 2019 cannot use the overlay port ${hybridOverlayPort}, only 4789`,
    }));

/**
 * Checks the content of a configuration file.
 * @param value the file, parsed
 * @param now milliseconds since the epoch
 * @throws Error that lists every wrong value with its path
 */
export function deploymentOf(value: unknown, now: number): Deployment {
  const checked = deploymentSchema(now).safeParse(value);
  if (checked.success) return checked.data;
  throw new Error(`The configuration is not valid:\n${faultsOf(checked.error)}`);
}

/** @throws Error that lists every value that a person must still fill in */
function refuseUnfilled(file: unknown): void {
  const paths = unfilled(file);
  if (paths.length === 0) return;
  const list = paths.map((path) => `  ${path}`).join("\n");
  throw new Error(
    `The configuration is not complete. Replace ${FILL_IN}; the comment behind it says why it is there:\n${list}`,
  );
}

/**
 * Reads a configuration file, YAML or JSON.
 * @param now milliseconds since the epoch: certificates must be valid
 * @param warn called with one sentence for each key that has been renamed
 * @throws Error that names the file and what is wrong with it
 */
export function readDeployment(
  path: string,
  now: number,
  warn: (sentence: string) => void = () => undefined,
): Deployment {
  try {
    const file: unknown = parse(readFileSync(path, "utf8"));
    refuseUnfilled(file);
    const deployment = deploymentOf(file, now);
    for (const sentence of oldKeyWarnings((file as { deadlines?: unknown }).deadlines)) warn(sentence);
    return deployment;
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}
