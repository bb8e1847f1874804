import { AwsError, type Caller } from "../../core/aws-service.ts";
import { seconds } from "./list.ts";
import {
  addVersion,
  permitted,
  requireNotDeleted,
  type Secret,
  type SecretStore,
  type SecretVersion,
} from "./secrets.ts";
import type { Input } from "./shapes.ts";

type Value = Pick<Input<"put">, "SecretString" | "SecretBinary">;

/** @throws AwsError for text and bytes at once */
export function checkValue({ SecretString: text, SecretBinary: binary }: Value): void {
  if (text !== undefined && binary !== undefined)
    throw new AwsError(
      "InvalidParameterException",
      "You can't specify both a binary secret value and a string secret value in the same secret.",
    );
}

/** Does a version have the value of a request? */
export const hasValue = (version: SecretVersion, input: Value): boolean =>
  version.text === (input.SecretString ?? null) && version.binary === (input.SecretBinary ?? null);

/** Makes the version of a request. */
export const versionOf = (
  store: SecretStore,
  input: Pick<Input<"put">, "ClientRequestToken" | "SecretString" | "SecretBinary">,
) => ({
  id: input.ClientRequestToken,
  text: input.SecretString ?? null,
  binary: input.SecretBinary ?? null,
  createdAt: store.simulation.clock.now(),
});

/** Names a secret in an answer. */
export const named = (secret: Secret, more: object = {}): object => ({ ARN: secret.arn, Name: secret.name, ...more });

/** GetSecretValue: by default the version AWSCURRENT. */
export function getValue(store: SecretStore, input: Input<"get">, caller: Caller): object {
  const secret = requireNotDeleted(permitted(store, caller, "GetSecretValue", input.SecretId));
  const stage = input.VersionStage ?? (input.VersionId === undefined ? "AWSCURRENT" : undefined);
  const version = secret.versions.find(
    ({ id, stages }) =>
      (input.VersionId === undefined || id === input.VersionId) && (stage === undefined || stages.includes(stage)),
  );
  if (!version)
    throw new AwsError(
      "ResourceNotFoundException",
      `Secrets Manager can't find the specified secret value for ${stage ? `staging label: ${stage}` : `VersionId: ${input.VersionId}`}`,
    );
  return named(secret, {
    VersionId: version.id,
    VersionStages: version.stages,
    CreatedDate: seconds(version.createdAt),
    ...(version.text === null ? {} : { SecretString: version.text }),
    ...(version.binary === null ? {} : { SecretBinary: version.binary }),
  });
}

/** PutSecretValue: a repeated request changes nothing. */
export function putValue(store: SecretStore, input: Input<"put">, caller: Caller): object {
  checkValue(input);
  const secret = requireNotDeleted(permitted(store, caller, "PutSecretValue", input.SecretId));
  const known = secret.versions.find(({ id }) => id === input.ClientRequestToken);
  if (known && !hasValue(known, input))
    throw new AwsError(
      "ResourceExistsException",
      "You can't use ClientRequestToken of a version that already exists with another value.",
    );
  if (!known) addVersion(secret, versionOf(store, input));
  store.secrets.set(secret.name, secret);
  return named(secret, { VersionId: input.ClientRequestToken, VersionStages: known?.stages ?? ["AWSCURRENT"] });
}

/** UpdateSecret: changes the description, and adds a version if the request has a value. */
export function updateSecret(store: SecretStore, input: Input<"update">, caller: Caller): object {
  checkValue(input);
  const secret = requireNotDeleted(permitted(store, caller, "UpdateSecret", input.SecretId));
  if (input.Description !== undefined) secret.description = input.Description;
  secret.changedAt = store.simulation.clock.now();
  const hasNew = input.SecretString !== undefined || input.SecretBinary !== undefined;
  if (hasNew) addVersion(secret, versionOf(store, input));
  store.secrets.set(secret.name, secret);
  return named(secret, hasNew ? { VersionId: input.ClientRequestToken } : {});
}
