import { z } from "zod";

const minutes = z
  .number()
  .positive()
  .max(24 * 60);

const cidr = z.cidrv4("must be a range of IPv4 addresses, 10.0.0.0/16");

/** Slack's ids: one letter says what it is of. */
const slackId = (letters: string) =>
  z.string().regex(new RegExp(`^[${letters}][A-Z0-9]{1,20}$`), `must be an id of Slack's that begins with ${letters}`);

/** One pool as functions know it. */
export const poolSchema = z.strictObject({
  /** Windows Server release: decides image, build label and what containers run. */
  windows: z.enum(["2019", "2022", "2025"]),
  /** First that has capacity wins, in this order. */
  instanceTypes: z.array(z.string().regex(/^[a-z0-9-]+\.[a-z0-9]+$/)).min(1),
  subnets: z.array(z.string().regex(/^subnet-[0-9a-f]+$/)).min(1),
  securityGroup: z.string().regex(/^sg-[0-9a-f]+$/),
  maximum: z.number().int().min(1).max(500),
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
});

/** How long each stage of provisioning may take, in minutes, before it has failed. */
const deadlines = z.strictObject({
  image: minutes.default(2),
  /** Standing in line for one of the places for machines on their way in, before the launch begins. */
  queue: minutes.default(120),
  launch: minutes.default(10),
  agent: minutes.default(20),
  guard: minutes.default(5),
  features: minutes.default(20),
  payload: minutes.default(15),
  configure: minutes.default(10),
  "client-csr": minutes.default(10),
  node: minutes.default(5),
  "serving-csr": minutes.default(10),
  network: minutes.default(10),
  ready: minutes.default(10),
  verify: minutes.default(10),
  admit: minutes.default(2),
  /** A removal's evictions, all of them together. */
  evict: minutes.default(15),
  terminate: minutes.default(10),
  /** How long a failed machine is kept while nobody presses a button. */
  keepFailed: minutes.default(60),
  /** How long a dialog waits for its answer. */
  dialog: minutes.default(10),
});

/** What functions go by, as the runtime document carries it; a deployment adds what it has made to the reviewed file. */
export const configurationSchema = z.strictObject({
  cluster: z.strictObject({
    /** The name people see; in tags as casement:cluster. */
    name: z.string().regex(/^[a-z0-9-]{1,34}$/, "must be at most 34 of a-z, 0-9 and -: rules are named by it"),
    /** The infrastructure id, in tags as kubernetes.io/cluster/<id>. */
    id: z.string().regex(/^[a-z0-9-]{1,40}$/),
    profile: z.enum(["okd"]),
    /** Kubernetes version of the Windows payload, "1.34.2". */
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/, "must be a region of AWS's, us-west-2"),
    /** API server as machines reach it, https://api-int… */
    apiServer: z.url({ protocol: /^https$/, message: "must be an address that begins with https://" }),
    /** PEM of the API server's authority, put on every machine. */
    certificateAuthority: z.string(),
    /** PEM of the authority that signs the API server's kubelet client certificate (kubelet-ca.crt). */
    kubeletClientAuthority: z.string(),
    serviceNetwork: cidr,
    clusterNetwork: cidr,
    machineNetwork: cidr,
    hybridOverlayPort: z.number().int().min(1).max(65_535).default(4789),
  }),
  command: z
    .string()
    .regex(/^\/[a-z0-9-]{1,31}$/)
    .default("/win"),
  slack: z.strictObject({
    teamId: slackId("TE"),
    appId: slackId("A"),
    botUserId: slackId("UW"),
    botId: slackId("B"),
    /** The channel this cluster is spoken of in; elsewhere a command is told so privately. */
    channel: slackId("CG"),
  }),
  /** Slack user ids or user group ids (S…) per role. Empty means nobody. */
  people: z.record(z.string(), z.array(slackId("UWS"))).default({}),
  /** Which roles may use which command; a command that is not named may be used by nobody. */
  policy: z.record(z.string(), z.array(z.string())).default({}),
  pools: z.record(z.string().regex(/^[a-z0-9-]{1,30}$/), poolSchema),
  bucket: z.string(),
  ledgerTable: z.string(),
  /** Instance profile of the Windows nodes. */
  instanceProfileArn: z.string(),
  deadlines: deadlines.prefault({}),
});

/** The validated configuration. */
export type Configuration = z.infer<typeof configurationSchema>;

/** One pool of the configuration. */
export type Pool = Configuration["pools"][string];

/** Every wrong value with its path, one a line. */
export const faultsOf = (error: z.ZodError): string =>
  error.issues.map((issue) => `  ${issue.path.join(".") || "(top)"}: ${issue.message}`).join("\n");

/**
 * Checks a configuration.
 * @param value what the file held, parsed
 * @returns the configuration with its defaults
 * @throws Error that lists every wrong value with its path
 */
export function configurationOf(value: unknown): Configuration {
  const checked = configurationSchema.safeParse(value);
  if (checked.success) return checked.data;
  throw new Error(`The configuration is not valid:\n${faultsOf(checked.error)}`);
}
