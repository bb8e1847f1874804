import { z } from "zod";
import { knownPart } from "../machine/known-part.ts";
import { profileNames } from "../profiles/names.ts";
import { RETENTION_DAYS } from "../records/retention.ts";
import { deadlinesSchema, withOldKeys } from "./deadlines.ts";
import { freezesSchema, maintenanceSchema } from "./maintenance.ts";

/** Minutes; with the askings that one execution makes, approvals leave room for the deadlines of the stages. */
const MOST_APPROVAL_MINUTES = 60;

/** Half an hour: a reboot's execution has room for that beside its deadlines. */
const MOST_SOAK_SECONDS = 1_800;

const cidr = z.cidrv4("must be a range of IPv4 addresses, 10.0.0.0/16");

const image = z
  .string()
  .regex(
    /^[\w.-]+(:\d+)?(\/[\w.-]+)+(:[\w.-]+|@sha256:[0-9a-f]{64})$/,
    "must be an image with its registry and a tag or digest",
  );

/** Slack's ids: one letter says what it is of. */
const slackId = (letters: string) =>
  z.string().regex(new RegExp(`^[${letters}][A-Z0-9]{1,20}$`), `must be a Slack id that begins with ${letters}`);

/**
 * Seconds that connections to a node's pods get to end: a service controller takes some to change a load balancer, and most
 * requests are over by then. Also that of a node of no pool.
 */
export const CONNECTION_SECONDS = 30;

/** Roles that may use a command, by command. */
const policySchema = z.record(z.string(), z.array(z.string()));

/** Approvals that commands need; a rule that is written replaces the default whole (commands/approvals.ts). */
const approvalsSchema = z.record(
  z.string(),
  z.strictObject({
    /** Number of people beside the requester. */
    needs: z.number().int().min(0).max(2).optional(),
    /** A person needs one of these; left out, the roles that may use `approve`. */
    roles: z.array(z.string()).min(1).optional(),
    /** Minutes until a request lapses. */
    minutes: z.number().int().min(1).max(MOST_APPROVAL_MINUTES).optional(),
    /** No approval is needed while all of these hold. */
    unless: z
      .strictObject({
        nothingLost: z.boolean().optional(),
        noBudgetBlocks: z.boolean().optional(),
        podsAtMost: z.number().int().min(0).max(1_000).optional(),
      })
      .optional(),
  }),
);

const AT_LEAST_ONE = "must be at least 1, or a percentage such as 20%: with none away no node could be drained";

/** One pool as functions know it. */
export const poolSchema = z.strictObject({
  /** Windows Server release: decides image, build label and what containers run. */
  windows: z.enum(["2019", "2022", "2025"]),
  /** First that has capacity wins, in this order. */
  instanceTypes: z.array(z.string().regex(/^[a-z0-9-]+\.[a-z0-9-]+$/)).min(1),
  subnets: z.array(z.string().regex(/^subnet-[0-9a-f]+$/)).min(1),
  securityGroup: z.string().regex(/^sg-[0-9a-f]+$/),
  maximum: z.number().int().min(1).max(500),
  /** Number of its nodes that may be away at once, or a percentage of them, which is rounded down and is 1 at least. */
  maxUnavailable: z
    .union([
      z.number().refine((count) => Number.isInteger(count) && count >= 1 && count <= 500, AT_LEAST_ONE),
      z.string().regex(/^([1-9][0-9]?|100)%$/, AT_LEAST_ONE),
    ])
    .default(1),
  /** Seconds that connections get to end before the first eviction, after the node was taken out of the load balancers. */
  connectionSeconds: z.number().int().min(0).max(600).default(CONNECTION_SECONDS),
  /** Fate of a node whose eviction has failed: it takes pods again at once, stays cordoned, or stays cordoned while its message asks. */
  afterFailedDrain: z.enum(["uncordon", "hold", "ask"]).default("uncordon"),
  /** Seconds for which a node is watched after its proof, before it takes pods again; 0 watches it no longer than the proof. */
  soakSeconds: z.number().int().min(0).max(MOST_SOAK_SECONDS).default(0),
  /** Are its machines asked by schedule whether they wait for a reboot, and whether they booted by themselves? */
  rebootDue: z.boolean().default(true),
  /** Are its nodes probed by schedule, where there is an image for their release? */
  probe: z.boolean().default(true),
  maintenance: maintenanceSchema,
  freezes: freezesSchema,
  diskGiB: z.number().int().min(60).max(2048).default(120),
  labels: z.record(z.string(), z.string()).default({}),
  /** Registered with the node; OKD's own is os=Windows:NoSchedule. */
  taint: z.strictObject({
    key: z.string(),
    value: z.string(),
    effect: z.enum(["NoSchedule", "PreferNoSchedule", "NoExecute"]),
  }),
  /** "optional" only where WMCO runs beside us: it asks the metadata service without a token. */
  metadataTokens: z.enum(["required", "optional"]).default("required"),
  /** Replaces, by command, which roles may use it on this pool's nodes. */
  policy: policySchema.optional(),
  /** Replaces, by command, the approval that it needs on this pool's nodes. */
  approvals: approvalsSchema.optional(),
});

/** The functions' configuration, as the release document carries it; a deployment adds what it made to the reviewed file. */
export const configurationSchema = z.strictObject({
  cluster: z.strictObject({
    /** The name people see; in tags as casement:cluster. */
    name: z.string().regex(/^[a-z0-9-]{1,34}$/, "must be at most 34 of a-z, 0-9 and -: rules are named by it"),
    /** The infrastructure id, in tags as kubernetes.io/cluster/<id>. */
    id: z.string().regex(/^[a-z0-9-]{1,40}$/),
    profile: z.enum(profileNames),
    /** Kubernetes version of the Windows payload, "1.34.2". */
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must be an AWS region, such as us-west-2"),
    /** API server as machines reach it, https://api-int… */
    apiServer: z.url({ protocol: /^https$/, message: "must be an address that begins with https://" }),
    /** PEM of the API server's authority, put on every machine. */
    certificateAuthority: z.string(),
    /**
     * PEM of the authorities behind the API server's calls to kubelets, for a cluster that publishes none in
     * ControllerConfig.
     */
    kubeletClientAuthority: z.string().optional(),
    serviceNetwork: cidr,
    clusterNetwork: cidr,
    machineNetwork: cidr,
    hybridOverlayPort: z.number().int().min(1).max(65_535).default(4789),
    /** Launch nodes although the Windows Machine Config Operator is at work, whose own nodes it then no longer maintains. */
    besideWmco: z.boolean().default(false),
  }),
  command: z
    .string()
    .regex(/^\/[a-z0-9-]{1,31}$/)
    .default("/win"),
  /** Address of the runbook, for the buttons of a failure; its headings are those of docs/runbook.md. */
  runbook: z
    .url({ protocol: /^https$/, message: "must be an address that begins with https://" })
    .regex(/^[^#]+$/, "must not name a section: each stage has its own")
    .optional(),
  slack: z.strictObject({
    teamId: slackId("TE"),
    appId: slackId("A"),
    botUserId: slackId("UW"),
    botId: slackId("B"),
    /** The channel this cluster is spoken of in; elsewhere a command is told so privately. */
    channel: slackId("CG"),
  }),
  /** Slack user ids or user group ids (S…) per role. Empty means that no person has the role. */
  people: z.record(z.string(), z.array(slackId("UWS"))).default({}),
  /** Roles that may use a command, by command; no role may use a command that is not named. */
  policy: policySchema.default({}),
  /** Approvals that commands need; a command that is not named has its default. */
  approvals: approvalsSchema.default({}),
  pools: z.record(z.string().regex(/^[a-z0-9-]{1,30}$/), poolSchema),
  /** Of every pool, and of nodes in none. */
  freezes: freezesSchema,
  bucket: z.string(),
  ledgerTable: z.string(),
  /** Instance profile of the Windows nodes. */
  instanceProfileArn: z.string(),
  /** ARN of the customer-managed key that encrypts the nodes' volumes; left out, the account's default key does. */
  volumeKey: z.string().optional(),
  deadlines: deadlinesSchema.prefault({}),
  /** Part of the Windows nodes that may be NotReady: while more are, nothing disturbs a Ready one. */
  mostNotReady: z
    .string()
    .regex(/^([1-9][0-9]?|100)%$/, "must be a percentage from 1% to 100%")
    .default("30%"),
  /** Images of the pods that try a node's data plane; without one for a release its nodes are not probed. */
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
    })
    .prefault({}),
  retention: z
    .strictObject({
      /** Days for which the ledger keeps an operation after its end. */
      operations: z.number().int().min(30).max(3_650).default(RETENTION_DAYS),
    })
    .prefault({}),
});

const rulesSchema = configurationSchema
  .pick({ command: true, slack: true, people: true, policy: true, approvals: true })
  .extend({ pools: z.record(z.string(), poolSchema.pick({ policy: true, approvals: true })).default({}) });

/** The part that judges people and speaks to them. */
export type Rules = z.infer<typeof rulesSchema>;

/** The validated configuration. */
export type Configuration = z.infer<typeof configurationSchema>;

/** One pool of the configuration. */
export type Pool = Configuration["pools"][string];

/** A key of a table that is wrong is told by the rule for keys. */
const messageOf = (issue: z.core.$ZodIssue): string =>
  issue.code === "invalid_key" ? issue.issues.map(({ message }) => message).join("; ") : issue.message;

/** Every wrong value with its path, one a line. */
export const faultsOf = (error: z.ZodError): string =>
  error.issues.map((issue) => `  ${issue.path.join(".") || "(top)"}: ${messageOf(issue)}`).join("\n");

function checked<T>(schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw new Error(`The configuration is not valid:\n${faultsOf(error)}`);
}

/**
 * Checks a configuration that is about to be deployed or published: an unknown key is a mistake.
 * @param value what the file held, parsed
 * @returns the configuration with its defaults
 * @throws Error that lists every wrong value with its path
 */
export const configurationOf = (value: unknown): Configuration => checked(configurationSchema, value);

/** The configuration as a release publishes it: so that the last release, whose executions run on, can read it too. */
export const publishedConfiguration = (configuration: Configuration): object => ({
  ...configuration,
  deadlines: withOldKeys(configuration.deadlines),
});

/**
 * Reads a configuration that was published, maybe by the next release: keys that only that release knows are left out.
 * @param value what the release document held, parsed
 * @throws Error that lists every wrong value with its path
 */
export const readConfiguration = (value: unknown): Configuration =>
  checked(configurationSchema, knownPart(configurationSchema, value));

/**
 * Reads nothing but the rules of a published configuration: whatever else the next release changes, people can be judged.
 * @throws Error that lists every wrong value with its path
 */
export const readRules = (value: unknown): Rules => {
  const { command, slack, people, policy, approvals, pools } = z.looseObject({}).parse(value);
  const readable = { command, slack, people, policy, approvals };
  const whole = knownPart(rulesSchema, { ...readable, pools });
  // Without its pools a configuration acts on none, so that their own rules are not missed.
  const isWhole = rulesSchema.safeParse(whole).success;
  return checked(rulesSchema, isWhole ? whole : knownPart(rulesSchema, readable));
};
