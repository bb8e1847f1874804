import { z } from "zod";

const named = z.record(z.string(), z.string());

const environmentSchema = z.object({
  AWS_REGION: z.string().min(1),
  AWS_ACCESS_KEY_ID: z.string().min(1),
  AWS_SECRET_ACCESS_KEY: z.string().min(1),
  AWS_SESSION_TOKEN: z.string().optional(),
  /** Another address for AWS: a VPC endpoint, or the simulated ground. */
  AWS_ENDPOINT_URL: z.url().optional(),
  CASEMENT_CLUSTER: z.string().min(1),
  CASEMENT_BUCKET: z.string().min(1),
  CASEMENT_LEDGER_TABLE: z.string().min(1),
  /** Secrets Manager: JSON { server, ca, token }. */
  CASEMENT_CLUSTER_SECRET: z.string().min(1),
  /** Secrets Manager: JSON { signingSecret, botToken }. */
  CASEMENT_SLACK_SECRET: z.string().min(1),
  CASEMENT_SLACK_URL: z.url().default("https://slack.com/api/"),
  /** JSON: workflow → function name with its alias, "casement-add-nodes:live". */
  CASEMENT_FUNCTIONS: z.string().transform((text, context) => fromJson(named, text, context)),
  /** JSON: script → SSM document name; the name holds the content's hash. */
  CASEMENT_DOCUMENTS: z.string().transform((text, context) => fromJson(named, text, context)),
});

function fromJson<T>(schema: z.ZodType<T>, text: string, context: z.RefinementCtx): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    context.addIssue({ code: "custom", message: "must be a JSON object of strings" });
    return z.NEVER;
  }
}

/** What a function knows about the place it runs in. */
export interface Settings {
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  readonly awsEndpoint: string | undefined;
  readonly cluster: string;
  readonly bucket: string;
  readonly ledgerTable: string;
  readonly clusterSecret: string;
  readonly slackSecret: string;
  readonly slackUrl: string;
  readonly functions: Readonly<Record<string, string>>;
  readonly documents: Readonly<Record<string, string>>;
}

/**
 * Reads the environment, once, here only.
 * @param environment process.env, or what stands for it
 * @returns the settings
 * @throws Error that names every missing or malformed variable, never a value
 */
export function settings(environment: Readonly<Record<string, string | undefined>> = process.env): Settings {
  const checked = environmentSchema.safeParse(environment);
  if (!checked.success) {
    const faults = checked.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
    throw new Error(`The environment of this function is not complete:\n${faults.join("\n")}`);
  }
  const read = checked.data;
  const sessionToken = read.AWS_SESSION_TOKEN;
  return {
    region: read.AWS_REGION,
    credentials: {
      accessKeyId: read.AWS_ACCESS_KEY_ID,
      secretAccessKey: read.AWS_SECRET_ACCESS_KEY,
      ...(sessionToken ? { sessionToken } : {}),
    },
    awsEndpoint: read.AWS_ENDPOINT_URL,
    cluster: read.CASEMENT_CLUSTER,
    bucket: read.CASEMENT_BUCKET,
    ledgerTable: read.CASEMENT_LEDGER_TABLE,
    clusterSecret: read.CASEMENT_CLUSTER_SECRET,
    slackSecret: read.CASEMENT_SLACK_SECRET,
    slackUrl: read.CASEMENT_SLACK_URL,
    functions: read.CASEMENT_FUNCTIONS,
    documents: read.CASEMENT_DOCUMENTS,
  };
}
