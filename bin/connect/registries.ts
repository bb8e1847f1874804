import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  ResourceNotFoundException,
  type SecretsManagerClient,
  UpdateSecretCommand,
} from "@aws-sdk/client-secrets-manager";
import { clients } from "../../lambdas/clients/clients.ts";
import { registriesSecret } from "../../lambdas/cluster/registries-secret.ts";
import { credentialHosts } from "../../lambdas/inputs/mirrors/credentials.ts";
import { withWord } from "../../lambdas/messages/slack/command-word.ts";
import { StartError } from "../start-error.ts";
import type { Place } from "./place.ts";
import {
  type CredentialValues,
  credentialsIn,
  encoded,
  secretTexts,
  typedHost,
  valuesIn,
} from "./registry-credentials.ts";
import type { Terminal } from "./terminal.ts";

/** Options of the task. */
export interface RegistriesOptions {
  /** Are the credentials read from standard input? */
  readonly fromStdin: boolean;
  /** Hosts whose credentials are removed, as typed. */
  readonly remove: readonly string[];
}

/** The secret with the credentials of registries. */
interface CredentialSecret {
  readonly secrets: SecretsManagerClient;
  readonly id: string;
}

/** Reads the hosts that have a credential, by the description alone. */
async function storedHosts({ secrets, id }: CredentialSecret): Promise<readonly string[]> {
  const { Description = "" } = await secrets.send(new DescribeSecretCommand({ SecretId: id }));
  return credentialHosts(Description);
}

/** Reads the value; a secret that the stack has just created has none. */
async function storedValues({ secrets, id }: CredentialSecret): Promise<CredentialValues> {
  try {
    const { SecretString = "" } = await secrets.send(new GetSecretValueCommand({ SecretId: id }));
    return valuesIn(SecretString, id);
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return {};
    throw error;
  }
}

/** Writes value and description in one request. */
async function store({ secrets, id }: CredentialSecret, values: CredentialValues): Promise<void> {
  const { value, description } = secretTexts(values);
  await secrets.send(new UpdateSecretCommand({ SecretId: id, SecretString: value, Description: description }));
}

const listed = (hosts: readonly string[]): string =>
  hosts.length === 0
    ? "No registry has a credential.\n"
    : `Registries with a credential:\n${hosts.map((host) => `  ${host}\n`).join("")}`;

const REACH =
  "Nodes whose mirrors use them follow within five minutes, one node first; {win} mirrors shows which hosts are asked with credentials.\n";

async function remove(secret: CredentialSecret, typed: readonly string[]): Promise<string> {
  const hosts = typed.map(typedHost);
  const before = await storedValues(secret);
  const unknown = hosts.find((host) => !Object.hasOwn(before, host));
  if (unknown !== undefined) throw new StartError(`${unknown} has no credential; nothing was removed`);
  const values = Object.fromEntries(Object.entries(before).filter(([host]) => !hosts.includes(host)));
  await store(secret, values);
  return `Removed the credentials of ${hosts.join(", ")}. ${REACH}${listed(Object.keys(values).toSorted())}`;
}

async function add(secret: CredentialSecret, added: CredentialValues): Promise<string> {
  const values = { ...(await storedValues(secret)), ...added };
  await store(secret, values);
  const hosts = Object.keys(added).toSorted();
  return `Stored the credentials of ${hosts.join(", ")}. ${REACH}${listed(Object.keys(values).toSorted())}`;
}

async function typedCredential(shown: string, terminal: Terminal): Promise<CredentialValues | null> {
  const typed = (await terminal.ask(`${shown}Host, with its port if it has one (empty: change nothing): `)).trim();
  if (typed === "") return null;
  const host = typedHost(typed);
  const user = (await terminal.ask("User: ")).trim();
  return { [host]: encoded(host, user, await terminal.ask("Password (not shown): ", true)) };
}

/**
 * Adds, replaces and removes the credentials with which nodes pull from mirrors. It never prints a password.
 * @returns a summary for the terminal
 * @throws StartError for a wrong host or credential; then nothing was stored
 */
export async function keepRegistries(
  place: Place,
  { fromStdin, remove: removed }: RegistriesOptions,
  terminal: Terminal,
): Promise<string> {
  const { secrets } = clients(await place.settings("look"));
  const secret = { secrets, id: registriesSecret(place.cluster) };
  const said = (text: string): string => withWord(text, place.commandWord);
  if (removed.length > 0) return said(await remove(secret, removed));
  if (fromStdin) return said(await add(secret, credentialsIn(await terminal.read())));
  const shown = listed(await storedHosts(secret));
  if (!terminal.isInteractive) return said(shown);
  const typed = await typedCredential(shown, terminal);
  return said(typed ? await add(secret, typed) : "Nothing was changed.\n");
}
