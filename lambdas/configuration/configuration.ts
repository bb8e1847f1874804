import { z } from "zod";
import { otherProfile, profileNames } from "../profiles/names.ts";
import { RETENTION_DAYS } from "../records/retention.ts";
import { deadlinesSchema, withOldKeys } from "./deadlines.ts";
import { freezesSchema, maintenanceSchema } from "./maintenance.ts";

/** Limit in minutes that leaves an execution time for its stages, even if it asks for approval several times. */
const MOST_APPROVAL_MINUTES = 60;

/** Half an hour, which fits into a reboot's execution beside its deadlines. */
const MOST_SOAK_SECONDS = 1_800;

const cidr = z.cidrv4("must be a range of IPv4 addresses, 10.0.0.0/16");

const image = z
  .string()
  .regex(
    /^[\w.-]+(:\d+)?(\/[\w.-]+)+(:[\w.-]+|@sha256:[0-9a-f]{64})$/,
    "must be an image with its registry and a tag or digest",
  );

/** A host and a port. Nothing else may stand there, because a script names it. */
const HOST_AND_PORT = /^[a-zA-Z\d][\w.-]*:([1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])$/;

/** Slack ids; the first letter names the kind of object. */
const slackId = (letters: string) =>
  z.string().regex(new RegExp(`^[${letters}][A-Z0-9]{1,20}$`), `must be a Slack id that begins with ${letters}`);

/**
 * Seconds in which connections to a node's pods may end: a service controller takes some of them to change a load
 * balancer, and most requests end within this time. Also applies to nodes without a pool.
 */
export const CONNECTION_SECONDS = 30;

/** Roles that may use a command, by command. */
const policySchema = z.record(z.string(), z.array(z.string()));

/** Approvals that commands need; a rule here replaces the whole default of its command (commands/approvals.ts). */
const approvalsSchema = z.record(
  z.string(),
  z.strictObject({
    /** Number of people beside the requester. */
    needs: z.number().int().min(0).max(2).optional(),
    /** Roles of which an approver needs one; by default, the roles that may use `approve`. */
    roles: z.array(z.string()).min(1).optional(),
    /** Minutes until a request lapses. */
    minutes: z.number().int().min(1).max(MOST_APPROVAL_MINUTES).optional(),
    /** No approval is needed if all of these conditions hold. */
    unless: z
      .strictObject({
        nothingLost: z.boolean().optional(),
        noBudgetBlocks: z.boolean().optional(),
        podsAtMost: z.number().int().min(0).max(1_000).optional(),
      })
      .optional(),
  }),
);

const AT_LEAST_ONE = "must be at least 1, or a percentage such as 20%: with 0 no node could be drained";

/** One pool of the functions' configuration. */
export const poolSchema = z.strictObject({
  /** Windows Server release, which determines image, build label and the containers that can run. */
  windows: z.enum(["2019", "2022", "2025"]),
  /** Instance types in order of preference; the first with capacity is launched. */
  instanceTypes: z.array(z.string().regex(/^[a-z0-9-]+\.[a-z0-9-]+$/)).min(1),
  subnets: z.array(z.string().regex(/^subnet-[0-9a-f]+$/)).min(1),
  securityGroup: z.string().regex(/^sg-[0-9a-f]+$/),
  maximum: z.number().int().min(1).max(500),
  /** Number of nodes that may be out of service together, or a percentage of them, rounded down, but at least 1. */
  maxUnavailable: z
    .union([
      z.number().refine((count) => Number.isInteger(count) && count >= 1 && count <= 500, AT_LEAST_ONE),
      z.string().regex(/^([1-9][0-9]?|100)%$/, AT_LEAST_ONE),
    ])
    .default(1),
  /**
   * Seconds in which connections may end, after the node is taken out of the load balancers and before the first
   * eviction.
   */
  connectionSeconds: z.number().int().min(0).max(600).default(CONNECTION_SECONDS),
  /**
   * Action for a node whose eviction failed: uncordon it, leave it cordoned, or ask in its message and leave it
   * cordoned meanwhile.
   */
  afterFailedDrain: z.enum(["uncordon", "hold", "ask"]).default("uncordon"),
  /** Seconds for which a proven node is watched before it is uncordoned; 0 uncordons it right after the proof. */
  soakSeconds: z.number().int().min(0).max(MOST_SOAK_SECONDS).default(0),
  /**
   * Seconds that a rollout gives evicted pods to be ready elsewhere, before it begins its next node; 0 begins it without a
   * look at them.
   */
  settleSeconds: z.number().int().min(0).max(MOST_SOAK_SECONDS).default(0),
  /** Does a schedule check whether its machines wait for a reboot, and whether they booted unexpectedly? */
  rebootDue: z.boolean().default(true),
  /** Does a schedule probe its nodes, if there is an image for their release? */
  probe: z.boolean().default(true),
  maintenance: maintenanceSchema,
  freezes: freezesSchema,
  diskGiB: z.number().int().min(60).max(2048).default(120),
  labels: z.record(z.string(), z.string()).default({}),
  /** Taint with which nodes register; OKD's own is os=Windows:NoSchedule. */
  taint: z.strictObject({
    key: z.string(),
    value: z.string(),
    effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
  }),
  /**
   * "optional" is only needed where WMCO runs beside Casement, because it calls the metadata service without a token.
   */
  metadataTokens: z.enum(["required", "optional"]).default("required"),
  /** Roles that may use a command on this pool's nodes, by command; replaces the general policy of that command. */
  policy: policySchema.optional(),
  /** Approval that a command needs on this pool's nodes, by command; replaces the general rule of that command. */
  approvals: approvalsSchema.optional(),
});

/**
 * The functions' configuration in the release document: the reviewed file, and the resources that the deployment
 * created.
 */
export const configurationSchema = z.strictObject({
  cluster: z.strictObject({
    /** The name that people see, and the value of the tag casement:cluster. */
    name: z.string().regex(/^[a-z0-9-]{1,34}$/, "must be at most 34 of a-z, 0-9 and -: names of rules contain it"),
    /** The infrastructure id, part of the tag kubernetes.io/cluster/<id>. */
    id: z.string().regex(/^[a-z0-9-]{1,40}$/),
    profile: z.enum(profileNames, otherProfile),
    /** Kubernetes version of the Windows payload, "1.34.2". */
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must be an AWS region, such as us-west-2"),
    /** The API server's address for machines, https://api-int… */
    apiServer: z.url({ protocol: /^https$/, message: "must be an address that begins with https://" }),
    /** PEM of the API server's authority, which every machine gets. */
    certificateAuthority: z.string(),
    /**
     * PEM of the authorities that sign the API server's client certificates for kubelets; needed if the cluster
     * publishes none in ControllerConfig.
     */
    kubeletClientAuthority: z.string().optional(),
    serviceNetwork: cidr,
    /** Address of the cluster's DNS Service, where it is not the tenth of the service network. */
    dnsAddress: z.ipv4().optional(),
    clusterNetwork: cidr,
    machineNetwork: cidr,
    hybridOverlayPort: z.number().int().min(1).max(65_535).default(4789),
    /**
     * Launches nodes although the Windows Machine Config Operator runs, which then no longer maintains its own nodes.
     */
    besideWmco: z.boolean().default(false),
    /**
     * Kinds of owners that create another pod in place of an evicted one, beside Kubernetes' own: a pod of any other
     * owner that is not restarted is lost by an eviction.
     */
    recreatingOwners: z
      .array(z.string().regex(/^[a-z0-9.-]+\/[A-Z][A-Za-z0-9]*$/, "must name group and kind: example.com/GameServer"))
      .default([]),
    /**
     * Source of what machines must have beside their pool: the cluster's own objects (OpenShift), the ConfigMap
     * casement/inputs, or none. It is never discovered: reading nothing changes nothing.
     */
    inputs: z.enum(["none", "openshift", "configmap"]).default("none"),
  }),
  command: z
    .string()
    .regex(/^\/[a-z0-9-]{1,31}$/)
    .default("/win"),
  /** Address of the runbook for the buttons of failures; it must have the headings of docs/runbook.md. */
  runbook: z
    .url({ protocol: /^https$/, message: "must be an address that begins with https://" })
    .regex(/^[^#]+$/, "must not name a section: each stage has its own")
    .optional(),
  slack: z.strictObject({
    teamId: slackId("TE"),
    appId: slackId("A"),
    botUserId: slackId("UW"),
    botId: slackId("B"),
    /** The cluster's channel; in other channels, a command gets a private answer that names this channel. */
    channel: slackId("CG"),
  }),
  /** Slack user ids or user group ids (S…) per role. Empty means that no person has the role. */
  people: z.record(z.string(), z.array(slackId("UWS"))).default({}),
  /** Roles that may use a command, by command; nobody may use a missing command. */
  policy: policySchema.default({}),
  /** Approvals that commands need; a missing command has its default. */
  approvals: approvalsSchema.default({}),
  pools: z.record(z.string().regex(/^[a-z0-9-]{1,30}$/), poolSchema),
  /** Freezes of all pools and of nodes without a pool. */
  freezes: freezesSchema,
  bucket: z.string(),
  ledgerTable: z.string(),
  /** Instance profile of the Windows nodes. */
  instanceProfileArn: z.string(),
  /** ARN of the customer-managed key that encrypts the nodes' volumes; by default, the account's default key. */
  volumeKey: z.string().optional(),
  /** Tags that instances and volumes carry beside Casement's own. */
  machineTags: z.record(z.string(), z.string()).optional(),
  /** ARN of the customer-managed key of the stack's resources; by default, the services' own keys. */
  key: z.string().optional(),
  deadlines: deadlinesSchema.prefault({}),
  /** Percentage of the Windows nodes that may be NotReady: while more are, Casement disturbs no Ready node. */
  mostNotReady: z
    .string()
    .regex(/^([1-9][0-9]?|100)%$/, "must be a percentage from 1% to 100%")
    .default("30%"),
  /** Images of the pods that probe a node's data plane; nodes of a release without an image are not probed. */
  probe: z
    .strictObject({
      images: z
        .strictObject({
          "2019": image.optional(),
          "2022": image.optional(),
          "2025": image.optional(),
          linux: image.optional(),
        })
        .prefault({}),
      /** Host outside of the cluster that pods on a node must reach; by default, none is tried. */
      outside: z.string().regex(HOST_AND_PORT, "must be a host and a port: registry.example.com:443").optional(),
      /** Windows images by registry: the first node pulls one to prove a change of its mirrors. */
      registries: z.record(z.string(), image).default({}),
    })
    .prefault({}),
  retention: z
    .strictObject({
      /** Days for which the ledger keeps an operation after its end. */
      operations: z.number().int().min(30).max(3_650).default(RETENTION_DAYS),
    })
    .prefault({}),
});

/** The rules of one pool, which are read by themselves: a fault in them does not affect other pools. */
export const poolRulesSchema = poolSchema.pick({ policy: true, approvals: true });

/** Faults of a pool's rules in a published configuration; then nobody may act on its nodes. */
const rulesFault = z.string().optional();

/** The rules of a published configuration, as `readRules` reads them. */
export const rulesSchema = configurationSchema
  .pick({ command: true, slack: true, people: true, policy: true, approvals: true })
  .extend({ pools: z.record(z.string(), poolRulesSchema.extend({ rulesFault })) });

/** A published configuration, as `readConfiguration` reads it. */
export const readSchema = configurationSchema.extend({
  pools: z.record(z.string(), poolSchema.extend({ rulesFault })),
});

/** The part of a configuration that is needed to check people's rights and to answer them. */
export type Rules = z.infer<typeof rulesSchema>;

/** The validated configuration. */
export type Configuration = z.infer<typeof readSchema>;

/** One pool of the configuration. */
export type Pool = Configuration["pools"][string];

/** The message of an issue; for a wrong key of a table, the message of the rule for its keys. */
const messageOf = (issue: z.core.$ZodIssue): string =>
  issue.code === "invalid_key" ? issue.issues.map(({ message }) => message).join("; ") : issue.message;

/** Lists every wrong value with its path, one per line. */
export const faultsOf = (error: z.ZodError): string =>
  error.issues.map((issue) => `  ${issue.path.join(".") || "(top)"}: ${messageOf(issue)}`).join("\n");

/**
 * Validates a value.
 * @throws Error that lists every wrong value with its path
 */
export function validated<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw new Error(`The configuration is not valid:\n${faultsOf(error)}`);
}

/**
 * Validates a configuration before it is deployed or published; an unknown key is an error.
 * @param value the parsed file
 * @returns the configuration with its defaults
 * @throws Error that lists every wrong value with its path
 */
export const configurationOf = (value: unknown): Configuration => validated(configurationSchema, value);

/** The configuration in the form that the last release can read too, whose executions still run. */
export const publishedConfiguration = (configuration: Configuration): object => ({
  ...configuration,
  deadlines: withOldKeys(configuration.deadlines),
});
