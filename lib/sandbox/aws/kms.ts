import { z } from "zod";
import { fillPlaceholders, type Place } from "../../place.ts";
import { type PolicyHolder, resourcePolicies } from "../../resource-policies.ts";
import { AwsError, type AwsService } from "../core/aws-service.ts";
import { jsonAction, jsonService } from "./json-protocol.ts";

/** A customer-managed key of the account. */
export interface CustomerKey {
  readonly arn: string;
  /** Default: Enabled. */
  readonly state?: "Disabled" | "PendingDeletion";
  /** The policy as JSON; default: what Casement's documents demand. */
  readonly policy?: string;
}

/** The part of the place of permissions that a key decides. */
export const placeOf = (key: CustomerKey | undefined): Pick<Place, "key"> & Partial<Pick<Place, "topicKey">> =>
  key ? { key: key.arn, topicKey: key.arn } : {};

/** The actions on a key that services take with the rights of the caller, by the caller's action. */
const uses: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  // DynamoDB Developer Guide, "DynamoDB encryption at rest: usage notes": rights to a customer-managed key.
  dynamodb: {
    GetItem: ["Decrypt", "DescribeKey"],
    Query: ["Decrypt", "DescribeKey"],
    PutItem: ["Decrypt", "DescribeKey", "Encrypt", "GenerateDataKey", "ReEncryptFrom", "ReEncryptTo"],
    UpdateItem: ["Decrypt", "DescribeKey", "Encrypt", "GenerateDataKey", "ReEncryptFrom", "ReEncryptTo"],
  },
  // S3 User Guide, "Using server-side encryption with AWS KMS keys (SSE-KMS)", section "Permissions".
  s3: { GetObject: ["Decrypt"], HeadObject: ["Decrypt"], PutObject: ["GenerateDataKey"] },
  // Secrets Manager User Guide, "Secret encryption and decryption", section "Permissions for the KMS key".
  secretsmanager: {
    GetSecretValue: ["Decrypt"],
    CreateSecret: ["GenerateDataKey", "Decrypt"],
    PutSecretValue: ["GenerateDataKey", "Decrypt"],
    UpdateSecret: ["GenerateDataKey", "Decrypt"],
  },
};

/** Condition key of a service's request to KMS (KMS Developer Guide, "kms:ViaService"). */
export const through = (service: string, region: string) => ({
  "kms:ViaService": `${service}.${region}.amazonaws.com`,
});

/** S3 says in its own words what KMS denied (API Reference, "Error responses"). */
const inWordsOf = (service: string, error: unknown): unknown =>
  service === "s3" && error instanceof AwsError ? new AwsError("AccessDenied", error.message, 403) : error;

/**
 * Encrypts services with a customer's key: each refuses a caller without rights to the key. A service keeps data keys in
 * memory for minutes, so the state of the key is only what KMS says of it.
 */
export const encrypting =
  (key: CustomerKey | undefined, region: string) =>
  <Of extends { readonly service: AwsService }>(of: Of): Of => {
    if (!key) return of;
    const { service } = of;
    const answer: AwsService["answer"] = async (action, request, caller) => {
      try {
        for (const use of uses[service.name]?.[action] ?? [])
          caller.require(`kms:${use}`, [key.arn], through(service.name, region));
      } catch (error) {
        throw inWordsOf(service.name, error);
      }
      return service.answer(action, request, caller);
    };
    return { ...of, service: { ...service, answer } };
  };

/** The policy of a key as KMS keeps it: the account's IAM decides, and services have what the reviewed list says. */
export function keyPolicy(holder: PolicyHolder & `key:${string}`, place: Place): string {
  const services = fillPlaceholders(resourcePolicies[holder] ?? [], place).map(
    ({ sid, principal, actions, resources, conditions }) => ({
      Sid: sid,
      Effect: "Allow",
      Principal: { Service: principal },
      Action: actions,
      Resource: resources[0],
      ...(conditions ? { Condition: conditions } : {}),
    }),
  );
  const account = {
    Sid: "AccountDecides",
    Effect: "Allow",
    Principal: { AWS: `arn:aws:iam::${place.account}:root` },
    Action: "kms:*",
    Resource: "*",
  };
  return JSON.stringify({ Version: "2012-10-17", Statement: [account, ...services] });
}

/** Builds the part of KMS that describes a key (API Reference, DescribeKey and GetKeyPolicy). */
export function kms(key: CustomerKey | undefined, place: Place): AwsService {
  const found = (id: string): CustomerKey => {
    if (key?.arn === id) return key;
    throw new AwsError("NotFoundException", `Key '${id}' does not exist`);
  };
  return jsonService("kms", "TrentService", {
    DescribeKey: jsonAction(z.strictObject({ KeyId: z.string() }), ({ KeyId }, caller) => {
      caller.require("kms:DescribeKey", [KeyId]);
      const { arn, state = "Enabled" } = found(KeyId);
      const facts = { KeySpec: "SYMMETRIC_DEFAULT", KeyUsage: "ENCRYPT_DECRYPT", KeyManager: "CUSTOMER" };
      return { KeyMetadata: { Arn: arn, KeyState: state, Enabled: state === "Enabled", ...facts } };
    }),
    GetKeyPolicy: jsonAction(z.strictObject({ KeyId: z.string() }), ({ KeyId }, caller) => {
      caller.require("kms:GetKeyPolicy", [KeyId]);
      return { Policy: found(KeyId).policy ?? keyPolicy("key:customer", place), PolicyName: "default" };
    }),
  });
}
