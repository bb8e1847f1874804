import { expect, it } from "vitest";
import { functionNames } from "../../../lib/functions.ts";
import { exampleWith, type Loose } from "../example.ts";
import { synthesised } from "./synthesised.ts";

const key = "arn:aws:kms:us-west-2:111122223333:key/1a2b3c4d-1a2b-3c4d-5e6f-1a2b3c4d5e6f";
const plain = synthesised();
const encrypted = synthesised(exampleWith({ key }));

/** The key that each type of resource names. */
const keyOf: Readonly<Record<string, (of: Loose) => unknown>> = {
  "AWS::DynamoDB::Table": ({ SSESpecification }) => (SSESpecification as Loose).KMSMasterKeyId,
  "AWS::S3::Bucket": ({ BucketEncryption }) => /"KMSMasterKeyID":"([^"]+)"/.exec(JSON.stringify(BucketEncryption))?.[1],
  "AWS::SecretsManager::Secret": ({ KmsKeyId }) => KmsKeyId,
  "AWS::SNS::Topic": ({ KmsMasterKeyId }) => KmsMasterKeyId,
  "AWS::SQS::Queue": ({ KmsMasterKeyId }) => KmsMasterKeyId,
  "AWS::Logs::LogGroup": ({ KmsKeyId }) => KmsKeyId,
};

it.for(Object.keys(keyOf))("every %s has the customer's key, if one is configured", (type) => {
  const keys = encrypted.ofType(type).map(({ Properties }) => keyOf[type]?.(Properties));
  expect(new Set(keys)).toEqual(new Set([key]));
});

it("the stack makes no key beside the customer's", () => {
  expect(encrypted.ofType("AWS::KMS::Key")).toEqual([]);
});

it("table and secrets get the customer's key after every function has its rights to it", () => {
  const resources = Object.values(encrypted.template.toJSON().Resources as Record<string, Loose>);
  const waiting = resources.filter(({ Type }) =>
    ["AWS::DynamoDB::Table", "AWS::SecretsManager::Secret"].includes(String(Type)),
  );
  expect(waiting.length).toBeGreaterThan(1);
  for (const { DependsOn } of waiting) expect(DependsOn).toHaveLength(functionNames.length);
});

it("topic and queues are encrypted without a configured key too", () => {
  const [own] = plain.ofType("AWS::KMS::Key");
  const [topic] = plain.ofType("AWS::SNS::Topic");
  expect(topic?.Properties.KmsMasterKeyId).toEqual({ "Fn::GetAtt": [own?.id, "Arn"] });
  expect(own?.Properties.EnableKeyRotation).toBe(true);
  for (const { Properties } of plain.ofType("AWS::SQS::Queue")) expect(Properties.SqsManagedSseEnabled).toBe(true);
});
