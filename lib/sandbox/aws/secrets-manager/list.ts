import { AwsError, type Caller } from "../../core/aws-service.ts";
import type { Secret, SecretStore } from "./secrets.ts";
import type { Input } from "./shapes.ts";

/** Times in AWS JSON are seconds since the epoch. */
export const seconds = (milliseconds: number): number => milliseconds / 1_000;

type Filter = Input<"list">["Filters"][number];

const fields: Readonly<Record<Filter["Key"], (secret: Secret) => readonly string[]>> = {
  name: ({ name }) => [name],
  description: ({ description }) => [description ?? ""],
  "tag-key": ({ tags }) => Object.keys(tags),
  "tag-value": ({ tags }) => Object.values(tags),
  all: ({ name, description, tags }) => [name, description ?? "", ...Object.keys(tags), ...Object.values(tags)],
};

/**
 * Does a secret match a filter? Values match the beginning; with "!" before them they must not (API Reference, Filter).
 * Descriptions ignore case.
 */
function matches(secret: Secret, { Key: key, Values: wanted }: Filter): boolean {
  const values = fields[key](secret);
  const begins = (value: string, start: string): boolean =>
    key === "description" ? value.toLowerCase().startsWith(start.toLowerCase()) : value.startsWith(start);
  const holds = (start: string): boolean =>
    start.startsWith("!")
      ? !values.some((value) => begins(value, start.slice(1)))
      : values.some((value) => begins(value, start));
  return wanted.some(holds);
}

function described(secret: Secret): object {
  return {
    ARN: secret.arn,
    Name: secret.name,
    CreatedDate: seconds(secret.createdAt),
    LastChangedDate: seconds(secret.changedAt),
    ...(secret.deletedAt === null ? {} : { DeletedDate: seconds(secret.deletedAt) }),
    Tags: Object.entries(secret.tags).map(([Key, Value]) => ({ Key, Value })),
    SecretVersionsToStages: Object.fromEntries(secret.versions.map(({ id, stages }) => [id, stages])),
  };
}

function startOf(token: string | undefined): number {
  const start = Number(Buffer.from(token ?? "", "base64url").toString() || "0");
  if (!Number.isInteger(start)) throw new AwsError("InvalidNextTokenException", "The NextToken value is invalid.");
  return start;
}

/** ListSecrets: by creation, by default newest first; those marked for deletion only on request. */
export function listSecrets(store: SecretStore, input: Input<"list">, caller: Caller): object {
  caller.require("secretsmanager:ListSecrets", ["*"]);
  const now = store.simulation.clock.now();
  const visible = ({ deleteAt }: Secret): boolean =>
    deleteAt === null || (input.IncludePlannedDeletion && deleteAt > now);
  const found = store.secrets
    .values()
    .filter((secret) => visible(secret) && input.Filters.every((filter) => matches(secret, filter)))
    .sort((one, other) => (one.createdAt - other.createdAt) * (input.SortOrder === "asc" ? 1 : -1));
  const start = startOf(input.NextToken);
  const end = start + input.MaxResults;
  const next = end < found.length ? { NextToken: Buffer.from(String(end)).toString("base64url") } : {};
  return { SecretList: found.slice(start, end).map(described), ...next };
}
