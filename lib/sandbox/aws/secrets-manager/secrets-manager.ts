import { AwsError, type AwsService, type Caller } from "../../core/aws-service.ts";
import type { Simulation } from "../../core/simulation.ts";
import { jsonAction, jsonService } from "../json-protocol.ts";
import { requestTagContext } from "../request-tags.ts";
import { limits } from "./limits.ts";
import { listSecrets, seconds } from "./list.ts";
import {
  addVersion,
  expectedArn,
  find,
  newArn,
  permitted,
  requireNotDeleted,
  type Secret,
  type SecretStore,
  secretStore,
} from "./secrets.ts";
import { type Input, shapes } from "./shapes.ts";
import { checkValue, getValue, hasValue, named, putValue, updateSecret, versionOf } from "./values.ts";

/** The simulated Secrets Manager. */
export interface SecretsManager {
  readonly service: AwsService;
  /** Stores a secret without a permission check; an existing one gets a new value when it differs. Returns the ARN. By default the version's id is random; null is no value. */
  seed(name: string, text: string | null, tags?: Readonly<Record<string, string>>, version?: string): string;
  /** Removes a secret for good without a permission check. */
  unseed(name: string): void;
}

const DAY = 86_400_000;

/** Default of the days until a deleted secret is gone (API Reference, DeleteSecret, RecoveryWindowInDays). */
const RECOVERY_DAYS = 30;

const pairs = (tags: readonly { Key: string; Value: string }[]): Record<string, string> =>
  Object.fromEntries(tags.map(({ Key, Value }) => [Key, Value]));

/** Finds the secret that an earlier, identical request created; a name that waits for its deletion is not free. */
function existing(store: SecretStore, input: Input<"create">): Secret | undefined {
  const secret = find(store, input.Name);
  if (!secret) return undefined;
  if (secret.deletedAt !== null)
    throw new AwsError(
      "InvalidRequestException",
      "You can't create this secret because a secret with this name is already scheduled for deletion.",
    );
  const version = secret.versions.find(({ id }) => id === input.ClientRequestToken);
  if (version && hasValue(version, input)) return secret;
  throw new AwsError(
    "ResourceExistsException",
    `The operation failed because the secret ${input.Name} already exists.`,
  );
}

function create(store: SecretStore, input: Input<"create">, caller: Caller): object {
  checkValue(input);
  const tags = pairs(input.Tags);
  const arn = expectedArn(store, input.Name);
  const context = requestTagContext(tags);
  caller.require("secretsmanager:CreateSecret", [arn], { "secretsmanager:Name": input.Name, ...context });
  if (input.Tags.length > 0) caller.require("secretsmanager:TagResource", [arn], context);
  const known = existing(store, input);
  if (known) return named(known, { VersionId: input.ClientRequestToken });
  const now = store.simulation.clock.now();
  const times = { createdAt: now, changedAt: now, deleteAt: null, deletedAt: null };
  const secret: Secret = {
    arn: newArn(store, input.Name),
    name: input.Name,
    description: input.Description ?? null,
    ...(input.KmsKeyId === undefined ? {} : { keyId: input.KmsKeyId }),
    ...times,
    tags,
    versions: [],
  };
  if (input.SecretString !== undefined || input.SecretBinary !== undefined) addVersion(secret, versionOf(store, input));
  store.secrets.set(secret.name, secret);
  return named(secret, secret.versions.length > 0 ? { VersionId: input.ClientRequestToken } : {});
}

function describeSecret(store: SecretStore, input: Input<"one">, caller: Caller): object {
  const secret = permitted(store, caller, "DescribeSecret", input.SecretId);
  return named(secret, {
    ...(secret.description === null ? {} : { Description: secret.description }),
    ...(secret.keyId === undefined ? {} : { KmsKeyId: secret.keyId }),
    CreatedDate: seconds(secret.createdAt),
    LastChangedDate: seconds(secret.changedAt),
    ...(secret.deletedAt === null ? {} : { DeletedDate: seconds(secret.deletedAt) }),
    Tags: Object.entries(secret.tags).map(([Key, Value]) => ({ Key, Value })),
    VersionIdsToStages: Object.fromEntries(secret.versions.map(({ id, stages }) => [id, stages])),
  });
}

/**
 * Deletes a secret. Without recovery a missing secret is no error, so that a retry succeeds (API Reference,
 * DeleteSecret).
 */
function deleteSecret(store: SecretStore, input: Input<"delete">, caller: Caller): object {
  const { RecoveryWindowInDays: days, ForceDeleteWithoutRecovery: force = false } = input;
  if (force && days !== undefined)
    throw new AwsError(
      "InvalidParameterException",
      "You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays.",
    );
  const now = store.simulation.clock.now();
  if (force && !find(store, input.SecretId)) {
    caller.require("secretsmanager:DeleteSecret", [expectedArn(store, input.SecretId)]);
    return { Name: input.SecretId, DeletionDate: seconds(now) };
  }
  const secret = permitted(store, caller, "DeleteSecret", input.SecretId);
  if (!force) requireNotDeleted(secret);
  secret.deletedAt = now;
  secret.deleteAt = force ? now : now + (days ?? RECOVERY_DAYS) * DAY;
  if (force) store.secrets.delete(secret.name);
  else store.secrets.set(secret.name, secret);
  return named(secret, { DeletionDate: seconds(secret.deleteAt) });
}

function restore(store: SecretStore, input: Input<"one">, caller: Caller): object {
  const secret = permitted(store, caller, "RestoreSecret", input.SecretId);
  secret.deletedAt = null;
  secret.deleteAt = null;
  store.secrets.set(secret.name, secret);
  return named(secret);
}

function tag(store: SecretStore, input: Input<"tag">, caller: Caller): object {
  const tags = pairs(input.Tags);
  const secret = requireNotDeleted(permitted(store, caller, "TagResource", input.SecretId, requestTagContext(tags)));
  secret.tags = { ...secret.tags, ...tags };
  store.secrets.set(secret.name, secret);
  return {};
}

function untag(store: SecretStore, input: Input<"untag">, caller: Caller): object {
  const secret = requireNotDeleted(permitted(store, caller, "UntagResource", input.SecretId));
  secret.tags = Object.fromEntries(Object.entries(secret.tags).filter(([key]) => !input.TagKeys.includes(key)));
  store.secrets.set(secret.name, secret);
  return {};
}

/** Builds Secrets Manager. */
export function secretsManager(simulation: Simulation, account: { accountId: string; region: string }): SecretsManager {
  const store = secretStore(simulation, account);
  const action = <Name extends keyof typeof shapes>(
    name: Name,
    perform: (store: SecretStore, input: Input<Name>, caller: Caller) => object,
  ) =>
    jsonAction(
      shapes[name],
      (input, caller) => perform(store, input as Input<Name>, caller),
      "InvalidParameterException",
    );
  const service = jsonService(
    "secretsmanager",
    "secretsmanager",
    {
      CreateSecret: action("create", create),
      GetSecretValue: action("get", getValue),
      PutSecretValue: action("put", putValue),
      UpdateSecret: action("update", updateSecret),
      DescribeSecret: action("one", describeSecret),
      DeleteSecret: action("delete", deleteSecret),
      RestoreSecret: action("one", restore),
      ListSecrets: action("list", listSecrets),
      TagResource: action("tag", tag),
      UntagResource: action("untag", untag),
    },
    { limits },
  );
  const seed: SecretsManager["seed"] = (name, text, tags = {}, version = simulation.random.uuid()) => {
    const caller: Caller = { principal: "seed", require: () => {} };
    const ClientRequestToken = version;
    const known = find(store, name);
    if (!known)
      create(
        store,
        {
          Name: name,
          ClientRequestToken,
          SecretString: text ?? undefined,
          Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })),
        },
        caller,
      );
    else if (text !== null && known.versions.at(-1)?.text !== text)
      putValue(store, { SecretId: name, ClientRequestToken, SecretString: text }, caller);
    return find(store, name)?.arn ?? "";
  };
  const unseed: SecretsManager["unseed"] = (name) => store.secrets.delete(name);
  return { service, seed, unseed };
}
