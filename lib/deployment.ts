import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { configurationSchema, faultsOf, poolSchema } from "../lambdas/configuration/configuration.ts";
import { minutesTogether, oldKeyWarnings } from "../lambdas/configuration/deadlines.ts";
import { networksOverlap } from "../lambdas/machine/network-address.ts";
import { type NodeWorkflow, nodeWorkflows } from "../lambdas/stages.ts";
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
import { functions } from "./functions.ts";
import { messageOf } from "./message-of.ts";
import { type Fault, ruleFaults } from "./rule-faults.ts";

/** Days that CloudWatch Logs can keep (API PutRetentionPolicy). */
const RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1827, 3653] as const;

const NO_WAY_OUT =
  "name the NAT gateway (nat-…), transit gateway (tgw-…) or network interface of a firewall (eni-…) by which these subnets reach Slack and AWS: Slack has no endpoint inside a VPC";

/** Functions that call Kubernetes, placed where they reach a private API server. */
const functionsNetwork = z.strictObject({
  subnets: distinct(awsId("subnet")),
  /** The subnets' default route. Without one the functions could reach neither Slack nor AWS. */
  wayOut: z.string(NO_WAY_OUT).regex(/^(nat|tgw|eni)-[0-9a-f]{8,17}$/, NO_WAY_OUT),
});

const NOBODY_TOLD =
  "list mail addresses that are told when something is wrong, or write none if something else subscribes to the topic";

/** The account that everything is put into, and what is there already. */
const aws = z.strictObject({
  account,
  vpc: awsId("vpc"),
  /** The cluster's security groups: those that may reach the Windows nodes, and those that the nodes' overlay must reach. */
  securityGroups: z.strictObject({ controlPlane: awsId("sg"), linuxNodes: awsId("sg") }),
  /** The customer-managed key that encrypts the nodes' volumes; left out, the account's default key does. */
  volumeKey: z
    .string()
    .regex(
      // A multi-Region key has an id of another form (KMS developer guide, "How multi-Region keys work").
      /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/([0-9a-f-]{36}|mrk-[0-9a-f]{32})$/,
      "must be the ARN of a key: arn:aws:kms:…:key/…",
    )
    .optional(),
  /** Repositories that nodes may pull from; left out, all of the account's. */
  imageRepositories: z
    .array(
      z.string().regex(/^arn:aws[a-z-]*:ecr:[a-z0-9*-]+:\d{12}:repository\/.+$/, "must be arn:aws:ecr:…:repository/…"),
    )
    .min(1)
    .optional(),
  /** Only where the API server is private; left out, no function sits in a VPC. */
  functionsNetwork: functionsNetwork.optional(),
  /** Requests answered at the same moment; the account must keep 100 unreserved (Lambda quotas). */
  frontDoorConcurrency: z.number().int().min(1).max(1_000).default(10),
  /** Addresses that get mail about everything that needs a human; each must confirm its subscription. */
  notify: z.union([z.array(z.email()).min(1, NOBODY_TOLD), z.literal("none")], NOBODY_TOLD),
  /** Tags that your own rules want on every resource. */
  tags: z.record(tagKey, z.string().max(256)).default({}),
  logRetentionDays: z.literal(RETENTION_DAYS).default(90),
  /** Retention that S3 enforces for every version in the bucket, the copies of the audit among them; set it at the first deployment. */
  audit: z
    .strictObject({
      objectLock: z.strictObject({
        mode: z.enum(["governance", "compliance"]),
        /** S3's own limit is 36,500 days. */
        days: z.number().int().min(1).max(36_500),
      }),
    })
    .optional(),
  /** The manifest of the uploaded payload, relative to this file. Left out until it has been uploaded. */
  payloadManifest: z.string().optional(),
});

/** Minutes of an execution that deadlines leave free: for retries, answers and putting things back. */
const ROOM_MINUTES = 30;

/** A NoExecute taint would evict what DaemonSets of others already run there. */
const taint = poolSchema.shape.taint.extend({
  key: ownKey,
  value: labelValue,
  effect: poolSchema.shape.taint.shape.effect.refine((effect): boolean => effect !== "NoExecute", {
    error: "must be NoSchedule or PreferNoSchedule: NoExecute evicts what runs",
  }),
});

/** Pool as the file has it, without what the stack makes. Typed values are judged more strictly than values judged once. */
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

/** The reviewed file: what functions go by, without what the stack makes, and where it is deployed. */
const deploymentSchema = (now: number) =>
  configurationSchema
    .omit({ bucket: true, ledgerTable: true, instanceProfileArn: true, volumeKey: true })
    .extend({ cluster: clusterAt(now), pools, aws })
    .superRefine((whole, { addIssue }) => {
      for (const { path, message } of faultsAcross(whole)) addIssue({ code: "custom", path: [...path], message });
    });

/** A deployment, validated. */
export type Deployment = z.infer<ReturnType<typeof deploymentSchema>>;

/** Finds the faults between values that are right by themselves. */
const faultsAcross = (whole: Deployment): Fault[] => [
  ...networkFaults(whole),
  ...windowsFaults(whole),
  ...deadlineFaults(whole),
  ...ruleFaults(whole),
  ...keyFaults(whole),
];

/** EC2 encrypts a volume only with a key of the same region; with another one the instance ends during its launch. */
function keyFaults({ aws: { volumeKey }, cluster: { region } }: Deployment): Fault[] {
  const [, , , keyRegion] = volumeKey?.split(":") ?? [];
  if (keyRegion === undefined || keyRegion === region) return [];
  return [{ path: ["aws", "volumeKey"], message: `is in ${keyRegion}, and the nodes are in ${region}` }];
}

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

/** Minutes that a drain, a removal or an assistance may wait for approvals beside its stages: three askings of at most an hour, and what is between them. */
const APPROVAL_MINUTES = 240;

/** Workflows whose functions have other names. */
const functionsOfWorkflows = {
  assisting: "assist-node",
  authority: "update-authority",
  guarding: "guard-node",
  proving: "reboot-node",
} as const;

const isRenamed = (workflow: NodeWorkflow): workflow is keyof typeof functionsOfWorkflows =>
  workflow in functionsOfWorkflows;

const functionOfWorkflow = (workflow: NodeWorkflow) =>
  isRenamed(workflow) ? functionsOfWorkflows[workflow] : (`${workflow}-node` as const);

/**
 * Nothing runs when an execution times out: a workflow must be able to wait to its end, for people too. Deadlines that are not
 * valid are no numbers yet: Zod asks all checks, also after one has failed.
 */
function deadlineFaults({ deadlines }: Deployment): Fault[] {
  return nodeWorkflows.flatMap((workflow) => {
    const minutes = minutesTogether(deadlines, workflow);
    const room = ROOM_MINUTES + (["remove", "drain", "reboot", "assisting"].includes(workflow) ? APPROVAL_MINUTES : 0);
    const most = functions[functionOfWorkflow(workflow)].executionSeconds / 60 - room;
    if (minutes <= most) return [];
    const message = `together they are ${minutes} minutes, and may be ${most}: an execution ends ${ROOM_MINUTES} minutes after that`;
    return [{ path: ["deadlines", workflow], message }];
  });
}

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

/**
 * Reads a configuration file, YAML or JSON.
 * @param now milliseconds since the epoch: certificates must be valid
 * @param warn called with one sentence for each key that has another name by now
 * @throws Error that names the file and what is wrong with it
 */
export function readDeployment(
  path: string,
  now: number,
  warn: (sentence: string) => void = () => undefined,
): Deployment {
  try {
    const file: unknown = parse(readFileSync(path, "utf8"));
    const deployment = deploymentOf(file, now);
    for (const sentence of oldKeyWarnings((file as { deadlines?: unknown }).deadlines)) warn(sentence);
    return deployment;
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}
