import { AwsError, type Caller, type Context } from "../../core/aws-service.ts";
import type { Simulation } from "../../core/simulation.ts";
import type { Collection } from "../../core/store.ts";

/** One version of a secret's value. */
export interface SecretVersion {
  readonly id: string;
  readonly text: string | null;
  /** Base64. */
  readonly binary: string | null;
  readonly createdAt: number;
  /** AWSCURRENT, AWSPREVIOUS */
  stages: string[];
}

/** A secret as the service keeps it. Times are milliseconds of sandbox time. */
export interface Secret {
  readonly arn: string;
  readonly name: string;
  description: string | null;
  /** The key that the request named; by default the account's own for secrets. */
  readonly keyId?: string;
  readonly createdAt: number;
  changedAt: number;
  /** Time at which a deleted secret is gone for good; null otherwise. */
  deleteAt: number | null;
  deletedAt: number | null;
  tags: Record<string, string>;
  /** Oldest first. */
  versions: SecretVersion[];
}

/** The service's state: the simulation, the secrets and the prefix of their ARNs. */
export interface SecretStore {
  readonly simulation: Simulation;
  readonly secrets: Collection<Secret>;
  /** "arn:aws:secretsmanager:us-west-2:111122223333:secret:" */
  readonly arnPrefix: string;
}

/** Opens the secrets in the simulator's store. */
export const secretStore = (simulation: Simulation, account: { accountId: string; region: string }): SecretStore => ({
  simulation,
  secrets: simulation.store.collection("secrets"),
  arnPrefix: `arn:aws:secretsmanager:${account.region}:${account.accountId}:secret:`,
});

/** Finds a secret by name, ARN, or ARN without its last six characters; deletes one whose recovery window is over. */
export function find(store: SecretStore, id: string): Secret | undefined {
  const matches = ({ arn, name }: Secret): boolean => [arn, name, arn.slice(0, -7)].includes(id);
  const secret = store.secrets.values().find(matches);
  if (secret?.deleteAt == null || secret.deleteAt > store.simulation.clock.now()) return secret;
  store.secrets.delete(secret.name);
  return undefined;
}

/** Builds condition keys of tags, under both names that IAM has for them. */
const tagContext = (tags: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tags).flatMap(([key, value]) => [
      [`secretsmanager:ResourceTag/${key}`, value],
      [`aws:ResourceTag/${key}`, value],
    ]),
  );

/** Builds the ARN that a secret has or, if it does not exist, would have. */
export const expectedArn = (store: SecretStore, id: string): string =>
  id.startsWith("arn:") ? id : `${store.arnPrefix}${id}-??????`;

/**
 * Finds a secret that the caller may act on.
 * @throws AwsError AccessDeniedException before ResourceNotFoundException, so that a caller without the permission
 * learns nothing
 */
export function permitted(
  store: SecretStore,
  caller: Caller,
  action: string,
  id: string,
  context: Context = {},
): Secret {
  const secret = find(store, id);
  caller.require(`secretsmanager:${action}`, [secret?.arn ?? expectedArn(store, id)], {
    ...tagContext(secret?.tags ?? {}),
    ...context,
  });
  if (!secret) throw new AwsError("ResourceNotFoundException", "Secrets Manager can't find the specified secret.");
  return secret;
}

/** @throws AwsError InvalidRequestException for a deleted secret that is only kept for recovery */
export function requireNotDeleted(secret: Secret): Secret {
  if (secret.deletedAt === null) return secret;
  throw new AwsError(
    "InvalidRequestException",
    "You can't perform this operation on the secret because it was marked for deletion.",
  );
}

/** Adds a value as AWSCURRENT; the previous one becomes AWSPREVIOUS (User Guide, "Versions"). */
export function addVersion(secret: Secret, version: Omit<SecretVersion, "stages">): void {
  for (const older of secret.versions) {
    older.stages = older.stages.includes("AWSCURRENT") ? ["AWSPREVIOUS"] : [];
  }
  secret.versions = [
    ...secret.versions.filter((older) => older.stages.length > 0),
    { ...version, stages: ["AWSCURRENT"] },
  ];
  secret.changedAt = version.createdAt;
}

/** Builds an ARN with six random characters at its end (User Guide, "Secret ARN"). */
export function newArn(store: SecretStore, name: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const { random } = store.simulation;
  const suffix = Array.from({ length: 6 }, () => letters.charAt(random.between(0, letters.length - 1))).join("");
  return `${store.arnPrefix}${name}-${suffix}`;
}
