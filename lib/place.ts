/** Function or role → the name that CloudFormation chose; without one, the conventional name is used. */
export type ChosenNames = Readonly<Partial<Record<string, string>>>;

/** Facts that a function's role needs before the function exists. */
export interface ServicePlace {
  readonly account: string;
  readonly region: string;
  /** Cluster name, as in the tag casement:cluster. */
  readonly cluster: string;
  /** Are the functions that call the cluster's API in a VPC? */
  readonly functionsInVpc: boolean;
  readonly logGroups?: ChosenNames;
  readonly queues?: ChosenNames;
  /** ARN of the customer's key for table, bucket, secrets, topic, queues and logs; default: the services' own keys. */
  readonly key?: string | undefined;
}

/** Values for the placeholders of the statements: the account and cluster in which the permissions apply. */
export interface Place extends ServicePlace {
  readonly bucket: string;
  /** DynamoDB table of the ledger. */
  readonly table: string;
  /** SNS topic that notifies people. */
  readonly topic: string;
  /** ARN of the key that encrypts the topic: the customer's, or the stack's own. */
  readonly topicKey: string;
  /** The infrastructure id, as in the tag kubernetes.io/cluster/<id>. */
  readonly clusterId: string;
  /** Subnets of the pools. */
  readonly subnets: readonly string[];
  /** Instance types of the pools. */
  readonly instanceTypes: readonly string[];
  /** Token settings of the pools for the metadata service: "required" or "optional". */
  readonly metadataTokens: readonly string[];
  /** Name of the instance profile of the nodes. */
  readonly instanceProfile: string;
  /** ARN of the customer-managed key that encrypts volumes; default: the account's default key. */
  readonly volumeKey?: string | undefined;
  /** Keys of the tags that machines carry beside Casement's own. */
  readonly machineTags: readonly string[];
  /** ARNs of the image repositories that nodes pull from. */
  readonly imageRepositories: readonly string[];
  /** ARNs of the repositories that nodes may fill through a pull-through cache. */
  readonly imageCaches: readonly string[];
  /** Security group of the Windows nodes. */
  readonly nodeGroup: string;
  /** Principal → name of its function or role in the account. */
  readonly names?: ChosenNames;
}

/** Name of a function or of the nodes' role in the sandbox. In the stack, CloudFormation chooses these names. */
export const conventionalName = (cluster: string, principal: string): string => `casement-${cluster}-${principal}`;

const PLACEHOLDER =
  /\$\{(?:(name|log|queue):([a-z-]+)|(account|region|cluster|bucket|table|topicKey|topic|nodeGroup|clusterId|instanceProfile))\}/g;

/** Placeholders with several values: a list entry that contains one is repeated for each value. */
const each: Readonly<Record<string, (place: Partial<Place>) => readonly string[] | undefined>> = {
  subnet: ({ subnets }) => subnets,
  instanceType: ({ instanceTypes }) => instanceTypes,
  metadataTokens: ({ metadataTokens }) => metadataTokens,
  machineTag: ({ machineTags }) => machineTags,
  imageRepository: ({ imageRepositories }) => imageRepositories,
  imageCache: ({ imageCaches }) => imageCaches,
  volumeKey: ({ volumeKey }) => (volumeKey ? [volumeKey] : []),
  key: ({ key }) => (key ? [key] : []),
};

const EACH = new RegExp(`\\$\\{(${Object.keys(each).join("|")})\\}`);

/** Repeats a text once for each value of its placeholder. */
function spread(text: string, place: Partial<Place>): readonly string[] {
  const [placeholder = "", kind = ""] = EACH.exec(text) ?? [];
  return each[kind]?.(place)?.map((one) => text.replace(placeholder, one)) ?? [text];
}

/** Returns the name of a resource of which each principal has one, by the kind of placeholder. */
const nameOf = (place: ServicePlace & { readonly names?: ChosenNames }, kind: string, principal: string): string => {
  const name = conventionalName(place.cluster, principal);
  const known: Readonly<Record<string, string>> = {
    name: place.names?.[principal] ?? name,
    log: place.logGroups?.[principal] ?? `/aws/lambda/${name}`,
    queue: place.queues?.[principal] ?? `${name}-dead-letters`,
  };
  return known[kind] ?? "";
};

/** Fills the placeholders of statements; IAM's own policy variables (`${ec2:SourceInstanceARN}`) stay. */
export function fillPlaceholders<T>(statements: T, place: ServicePlace & Partial<Place>): T {
  const inLists = (_: string, value: unknown): unknown =>
    Array.isArray(value) ? value.flatMap((one) => (typeof one === "string" ? spread(one, place) : [one])) : value;
  const text = JSON.stringify(statements, inLists).replace(
    PLACEHOLDER,
    (_, kind: string | undefined, principal: string, field: string) =>
      kind ? nameOf(place, kind, principal) : String(place[field as "account"]),
  );
  return JSON.parse(text);
}
