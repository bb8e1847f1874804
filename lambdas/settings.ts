import { type Account, isAccount } from "./cluster/accounts.ts";
import { RETENTION_DAYS } from "./records/retention.ts";

/** Settings of a function, from its environment. */
export interface Settings {
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string | undefined;
  };
  /** Address that replaces AWS's own: a VPC endpoint, or the simulator. */
  readonly awsEndpoint: string | undefined;
  readonly cluster: string;
  readonly bucket: string;
  readonly ledgerTable: string;
  /** The service account with which this function calls the cluster; undefined for a function that never does. */
  readonly account?: Account | undefined;
  /** Secrets Manager: JSON { signingSecret, botToken }. */
  readonly slackSecret: string;
  readonly slackUrl: string;
  /** Days for which the ledger keeps an operation after its end. */
  readonly retentionDays: number;
  /** The front door's address on the internet; set for the function that checks it. */
  readonly frontDoorUrl?: string;
  /** ARN of the SNS topic that notifies people; set for the function that reads its subscribers. */
  readonly humanTopic?: string;
  /** Workflow → function name with its alias, "casement-add-nodes:live". */
  readonly functions: Readonly<Record<string, string>>;
  /** Script → sha256 of its SSM document's content, hex; the document's name holds its beginning. */
  readonly documents: Readonly<Record<string, string>>;
}

/**
 * Reads the service account with which a function calls the cluster.
 * @throws Error for a function without one: its row in lib/functions.ts names none
 */
export function accountOf({ account: own }: Pick<Settings, "account">): Account {
  if (!own) throw new Error("this function has no account in the cluster");
  return own;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reader of one variable: the value, or null if the text does not have the form. */
type Form<T> = (text: string) => T | null;

const filled: Form<string> = (text) => text || null;

const days: Form<number> = (text) => (/^[1-9]\d{0,3}$/.test(text) ? Number(text) : null);

const url: Form<string> = (text) => (URL.canParse(text) ? text : null);

const account: Form<Account> = (text) => (isAccount(text) ? text : null);

const strings: Form<Readonly<Record<string, string>>> = (text) => {
  try {
    const value: unknown = JSON.parse(text);
    const isTable = typeof value === "object" && value !== null && !Array.isArray(value);
    return isTable && Object.values(value).every((one) => typeof one === "string")
      ? (value as Record<string, string>)
      : null;
  } catch {
    return null;
  }
};

/** Reads variables and collects their faults. A schema library would delay the first answer of each instance. */
function reader(environment: Environment) {
  const faults: string[] = [];
  const read = <T>(name: string, form: Form<T>, what: string): T => {
    const value = form(environment[name] ?? "");
    if (value === null) faults.push(`  ${name}: must be ${what}`);
    return value as T;
  };
  return { faults, read, text: (name: string) => read(name, filled, "set") };
}

/**
 * Reads the environment; nothing else reads it.
 * @param environment process.env, or its replacement in a test
 * @returns the settings
 * @throws Error that names every missing or malformed variable, never a value
 */
export function settings(environment: Environment = process.env): Settings {
  const { faults, read, text } = reader(environment);
  const {
    AWS_SESSION_TOKEN: sessionToken,
    AWS_ENDPOINT_URL: endpoint,
    CASEMENT_SLACK_URL: slack,
    CASEMENT_FRONT_DOOR_URL: frontDoor,
    CASEMENT_HUMAN_TOPIC: topic,
    CASEMENT_RETENTION_DAYS: retention,
  } = environment;
  const found: Settings = {
    region: text("AWS_REGION"),
    credentials: {
      accessKeyId: text("AWS_ACCESS_KEY_ID"),
      secretAccessKey: text("AWS_SECRET_ACCESS_KEY"),
      ...(sessionToken ? { sessionToken } : {}),
    },
    awsEndpoint: endpoint === undefined ? undefined : read("AWS_ENDPOINT_URL", url, "a URL"),
    cluster: text("CASEMENT_CLUSTER"),
    bucket: text("CASEMENT_BUCKET"),
    ledgerTable: text("CASEMENT_LEDGER_TABLE"),
    account:
      environment.CASEMENT_ACCOUNT === undefined ? undefined : read("CASEMENT_ACCOUNT", account, "look, act or join"),
    slackSecret: text("CASEMENT_SLACK_SECRET"),
    slackUrl: slack === undefined ? "https://slack.com/api/" : read("CASEMENT_SLACK_URL", url, "a URL"),
    retentionDays:
      retention === undefined ? RETENTION_DAYS : read("CASEMENT_RETENTION_DAYS", days, "a whole number of days"),
    ...(frontDoor === undefined ? {} : { frontDoorUrl: read("CASEMENT_FRONT_DOOR_URL", url, "a URL") }),
    ...(topic ? { humanTopic: topic } : {}),
    functions: read("CASEMENT_FUNCTIONS", strings, "a JSON object of strings"),
    documents: read("CASEMENT_DOCUMENTS", strings, "a JSON object of strings"),
  };
  if (faults.length > 0) throw new Error(`The environment of this function is not complete:\n${faults.join("\n")}`);
  return found;
}
