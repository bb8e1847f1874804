import { createHash } from "node:crypto";
import { basename } from "node:path/win32";
import { ACCOUNT_NAMESPACE, type Account, accounts, secretOf, userOf } from "../../lambdas/cluster/accounts.ts";
import { LIFE_SECONDS } from "../../lambdas/cluster/credential-term.ts";
import { proxySecret } from "../../lambdas/cluster/proxy-secret.ts";
import { registriesSecret } from "../../lambdas/cluster/registries-secret.ts";
import type { Configuration } from "../../lambdas/configuration/configuration.ts";
import { RUNTIME_KEY } from "../../lambdas/configuration/runtime-key.ts";
import type { PayloadFile, PayloadManifest } from "../../lambdas/machine/payload.ts";
import { profileOf } from "../../lambdas/profiles/list.ts";
import { ledgerIndexes, PRIMARY_KEY } from "../../lambdas/records/ledger-table.ts";
import { machineScripts, scriptText } from "../constructs/script-text.ts";
import { demo } from "./demo.ts";
import { payloadContent } from "./machine/payload.ts";
import type { Simulator } from "./simulator.ts";

/**
 * The credential of an account as `npm run connect` stores it: its token ends with the Secret of the account's name.
 * @param seconds until the token ends
 */
export function credentialFor(
  { kubernetes }: Simulator,
  account: Account,
  server: string,
  seconds = LIFE_SECONDS,
): string {
  const secret = kubernetes
    .objects("secrets")
    .find(({ metadata }) => metadata.namespace === ACCOUNT_NAMESPACE && metadata.name === account);
  const token = kubernetes.issueToken({ name: userOf(account) }, seconds, { secret });
  return JSON.stringify({ server, ca: kubernetes.authorityPem, token });
}

/** Everything that a deployment would have put into the account before the first request. */
export async function seedAccount(
  simulator: Simulator,
  configuration: Configuration,
  apiServer: string,
): Promise<void> {
  await simulator.dynamodb.createTable(ledgerTable);
  simulator.s3.createBucket(demo.bucket);
  publish(simulator, configuration);
  simulator.registries.declare(demo.mirror);
  const { secrets, keys } = simulator;
  for (const account of accounts)
    secrets.seed(secretOf(demo.cluster.name, account), credentialFor(simulator, account, apiServer));
  secrets.seed(registriesSecret(demo.cluster.name), null);
  secrets.seed(proxySecret(demo.cluster.name), null);
  secrets.seed(demo.slackSecret, JSON.stringify({ signingSecret: keys.signingSecret, botToken: keys.botToken }));
}

const keySchema = ({ hash, range }: { readonly hash: string; readonly range: string }) => [
  { AttributeName: hash, KeyType: "HASH" },
  { AttributeName: range, KeyType: "RANGE" },
];

/** The ledger as the stack makes it: one table and its indexes. */
export const ledgerTable = {
  TableName: demo.ledgerTable,
  BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [
    ...new Set([PRIMARY_KEY, ...ledgerIndexes].flatMap(({ hash, range }) => [hash, range] as string[])),
  ].map((AttributeName) => ({ AttributeName, AttributeType: "S" })),
  KeySchema: keySchema(PRIMARY_KEY),
  GlobalSecondaryIndexes: ledgerIndexes.map((index) => ({
    IndexName: index.name,
    KeySchema: keySchema(index),
    Projection: { ProjectionType: "ALL" },
  })),
};

/** Puts payload and configuration where handlers and machines read them; an unchanged one keeps its version. */
function publish(simulator: Simulator, configuration: Configuration): void {
  const text = JSON.stringify({ configuration, payload: payloadManifest(simulator, configuration) });
  const known = simulator.simulation.store.collection<string>("published");
  if (known.get(RUNTIME_KEY) === text) return;
  simulator.s3.seed(demo.bucket, RUNTIME_KEY, text);
  known.set(RUNTIME_KEY, text);
}

/** Makes the content of a payload file in the sandbox: Casement's scripts unchanged, programs as the machine recognises them. */
const contentOf = (name: string, version: string): string =>
  machineScripts.some((script) => name === `${script}.ps1`)
    ? scriptText(name.replace(".ps1", ""))
    : payloadContent(basename(name, ".exe"), version);

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The payload in the bucket: uploaded at the first call, found again later. */
export function payloadManifest(simulator: Simulator, configuration: Configuration): PayloadManifest {
  const { name: profile, payloadPaths } = profileOf(configuration);
  const { version: kubernetes } = configuration.cluster;
  const uploads = simulator.simulation.store.collection<string>("uploads");
  const files = [...payloadPaths].map(([name, path]): PayloadFile => {
    const content = contentOf(name, versionOf(name, kubernetes));
    const hash = sha256(content);
    const key = `payload/${profile}/${kubernetes}/${hash.slice(0, 12)}-${name}`;
    const versionId = uploads.get(key) ?? simulator.s3.seed(demo.bucket, key, content);
    uploads.set(key, versionId);
    return {
      name,
      path,
      version: versionOf(name, kubernetes),
      key,
      versionId,
      sha256: hash,
      size: Buffer.byteLength(content),
    };
  });
  return { format: 1, profile, kubernetes, files };
}

/** Payloads made from the Windows Machine Config Operator 4.20 to 5.0 carry this containerd (its Makefile). */
const versionOf = (name: string, kubernetes: string): string => (name.startsWith("containerd") ? "1.7.27" : kubernetes);
