import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { EC2Client } from "@aws-sdk/client-ec2";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { S3Client } from "@aws-sdk/client-s3";
import { ListSecretsCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { SSMClient } from "@aws-sdk/client-ssm";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { demo } from "../../lib/sandbox/demo.ts";
import type { Running } from "./running.ts";

/** The AWS SDK's own clients with the keys and the address that the sandbox wrote down. */
export function account({ endpoints }: Running) {
  const { aws: endpoint, region, accessKeyId, secretAccessKey } = endpoints;
  const options = { endpoint, region, credentials: { accessKeyId, secretAccessKey }, maxAttempts: 1 };
  return {
    dynamodb: DynamoDBDocumentClient.from(new DynamoDBClient(options)),
    ec2: new EC2Client(options),
    events: new EventBridgeClient(options),
    lambda: new LambdaClient(options),
    s3: new S3Client({ ...options, forcePathStyle: true }),
    secrets: new SecretsManagerClient(options),
    ssm: new SSMClient(options),
  };
}

/** Instances whose join secret can still be read. */
export async function joinSecrets(running: Running): Promise<string[]> {
  const { SecretList = [] } = await account(running).secrets.send(new ListSecretsCommand({ MaxResults: 100 }));
  return SecretList.flatMap(({ Name = "" }) => (Name.includes("/join/") ? [Name.split("/").at(-1) ?? ""] : []));
}

/** Every item of the ledger. */
export async function ledgerItems(running: Running): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await account(running).dynamodb.send(new ScanCommand({ TableName: demo.ledgerTable }));
  return Items;
}

/** Entries that the ledger still holds back from others: leases, places on the way in, reservations of pools. */
export async function heldBack(running: Running): Promise<string[]> {
  return (await ledgerItems(running)).flatMap(({ pk, held, adding }) =>
    String(pk).startsWith("lease#")
      ? held === true
        ? [String(pk)]
        : []
      : [...Object.keys(held ?? {}), ...Object.keys(adding ?? {})].map((owner) => `${pk} ${owner}`),
  );
}

/** Reasons of the operations in the ledger that a terminal sent. */
export async function sentReasons(running: Running): Promise<string[]> {
  const { Items = [] } = await account(running).dynamodb.send(new ScanCommand({ TableName: demo.ledgerTable }));
  const reasons = Items.flatMap(({ request }) =>
    Object(request).reason === undefined ? [] : [Object(request).reason],
  );
  return reasons.map(String).filter((reason) => reason.includes("sent from the terminal"));
}
