import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";
import { commands } from "../lambdas/commands/list.ts";
import { configurationSchema, faultsOf, poolSchema } from "../lambdas/configuration.ts";
import { functions } from "./functions.ts";
import { messageOf } from "./message-of.ts";

const id = (prefix: string) => z.string().regex(new RegExp(`^${prefix}-[0-9a-f]{8,17}$`), `must be ${prefix}-…`);

/** Days that CloudWatch Logs can keep (API PutRetentionPolicy). */
const RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1827, 3653] as const;

const NO_WAY_OUT =
  "name the NAT gateway (nat-…), transit gateway (tgw-…) or network interface of a firewall (eni-…) by which these subnets reach Slack and AWS: Slack has no endpoint inside a VPC";

/** Functions that call Kubernetes, placed where they reach a private API server. */
const functionsNetwork = z.strictObject({
  subnets: z.array(id("subnet")).min(1),
  /** The subnets' default route. Without one the functions could reach neither Slack nor AWS. */
  wayOut: z.string(NO_WAY_OUT).regex(/^(nat|tgw|eni)-[0-9a-f]{8,17}$/, NO_WAY_OUT),
});

/** The account that everything is put into, and what is there already. */
const aws = z.strictObject({
  account: z.string().regex(/^\d{12}$/, "must be an account id of twelve digits"),
  vpc: id("vpc"),
  /** The cluster's own groups: who may reach the Windows nodes, and whom the nodes' overlay must reach. */
  securityGroups: z.strictObject({ controlPlane: id("sg"), linuxNodes: id("sg") }),
  /** Only where the API server is private; left out, no function sits in a VPC. */
  functionsNetwork: functionsNetwork.optional(),
  /** Requests answered at the same moment; the account must keep 100 unreserved (Lambda quotas). */
  frontDoorConcurrency: z.number().int().min(1).max(1_000).default(10),
  /** Who is told of what needs a human; each address must confirm its subscription. */
  notify: z.array(z.email()).default([]),
  logRetentionDays: z.literal(RETENTION_DAYS).default(90),
  /** The manifest of the uploaded payload, relative to this file. Left out until it has been uploaded. */
  payloadManifest: z.string().optional(),
});

/** Nothing runs when an execution times out: whoever waits for people must be able to wait to the end. */
const LONGEST_WAIT_SECONDS = Math.min(
  functions["provision-node"].executionSeconds,
  functions["remove-node"].executionSeconds,
);

const pem = z.string().includes("-----BEGIN CERTIFICATE-----", { message: "must be a certificate in PEM" });

/** Kubernetes' rules for labels (docs: "Labels and Selectors", syntax); those for taints are the same. */
const labelKey = z
  .string()
  .regex(/^([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/, "must be a label's key");
const labelValue = z.string().regex(/^([A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?)?$/, "must be a label's value");

/** What the stack makes is not in the file; what a person typed is judged more strictly than what was judged once. */
const pool = poolSchema.omit({ securityGroup: true }).extend({
  labels: z.record(labelKey, labelValue).default({}),
  taint: poolSchema.shape.taint.extend({ key: labelKey, value: labelValue }),
});
const cluster = configurationSchema.shape.cluster.extend({ certificateAuthority: pem, kubeletClientAuthority: pem });

/** The reviewed file: what functions go by, without what the stack makes, and where it is deployed. */
const deploymentSchema = configurationSchema
  .omit({ bucket: true, ledgerTable: true, instanceProfileArn: true })
  .extend({ cluster, pools: z.record(z.string().regex(/^[a-z0-9-]{1,30}$/), pool), aws })
  .superRefine(({ policy, people, deadlines, pools, cluster: { hybridOverlayPort } }, context) => {
    for (const name of Object.keys(pools).filter((one) => pools[one]?.windows === "2019" && hybridOverlayPort !== 4789))
      context.addIssue({
        code: "custom",
        path: ["pools", name, "windows"],
        message: `Windows Server 2019 cannot use the overlay port ${hybridOverlayPort}, only 4789`,
      });
    const minutes = Object.values(deadlines).reduce((sum, each) => sum + each, 0);
    if (minutes * 60 > LONGEST_WAIT_SECONDS) {
      const message = `all of them together are ${minutes} minutes; an execution ends after ${LONGEST_WAIT_SECONDS / 60}`;
      context.addIssue({ code: "custom", path: ["deadlines"], message });
    }
    for (const [command, roles] of Object.entries(policy)) {
      if (!commands.some(({ name }) => name === command))
        context.addIssue({ code: "custom", path: ["policy", command], message: "there is no such command" });
      for (const role of roles.filter((name) => !(name in people)))
        context.addIssue({ code: "custom", path: ["policy", command], message: `nobody is given the role ${role}` });
    }
  });

/** A deployment, validated. */
export type Deployment = z.infer<typeof deploymentSchema>;

/**
 * Checks the content of a configuration file.
 * @param value the file, parsed
 * @throws Error that lists every wrong value with its path
 */
export function deploymentOf(value: unknown): Deployment {
  const checked = deploymentSchema.safeParse(value);
  if (checked.success) return checked.data;
  throw new Error(`The configuration is not valid:\n${faultsOf(checked.error)}`);
}

/**
 * Reads a configuration file, YAML or JSON.
 * @throws Error that names the file and what is wrong with it
 */
export function readDeployment(path: string): Deployment {
  try {
    return deploymentOf(parse(readFileSync(path, "utf8")));
  } catch (error) {
    throw new Error(`${path}: ${messageOf(error)}`, { cause: error });
  }
}
