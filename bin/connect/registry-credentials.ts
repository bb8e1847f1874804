import { z } from "zod";
import { credentialHost, credentialsText, LONGEST_DESCRIPTION } from "../../lambdas/inputs/mirrors/credentials.ts";
import { isEcr } from "../../lambdas/inputs/mirrors/ecr.ts";
import { StartError } from "../start-error.ts";

/** Value of the secret: host → base64 of `user:password`. */
export type CredentialValues = Readonly<Record<string, string>>;

/** Largest value of a secret in bytes (Secrets Manager User Guide, "Quotas"). */
const LARGEST = 65_536;

const NOTHING_STORED = "nothing was stored";

const refuse = (why: string): StartError => new StartError(`${why}; ${NOTHING_STORED}`);

/**
 * Reads the exact host of a registry as it was typed.
 * @throws StartError for a wildcard, a scheme or a path, and for ECR
 */
export function typedHost(typed: string): string {
  // The one address with scheme and path that Docker writes for its hub.
  const host = credentialHost(typed === "https://index.docker.io/v1/" ? "docker.io" : typed);
  if (host === undefined)
    throw refuse(`"${typed}" is no host: name a registry exactly, with its port if it has one, without scheme or path`);
  if (isEcr(host)) throw refuse(`${host} needs no credential: nodes sign in to ECR with their own role`);
  return host;
}

/** Encodes a user and a password as HTTP sends them (RFC 7617). @throws StartError if they cannot be sent */
export function encoded(host: string, user: string, password: string): string {
  if (user === "" || password === "") throw refuse(`${host}: user and password must not be empty`);
  if (user.includes(":")) throw refuse(`${host}: a user's name must not contain a colon`);
  return Buffer.from(`${user}:${password}`).toString("base64");
}

/** Docker's config.json, in which `auth` is base64 of `user:password`. */
const dockerShape = z.object({
  auths: z.record(
    z.string(),
    z.object({ auth: z.string().optional(), username: z.string().optional(), password: z.string().optional() }),
  ),
});

const ownShape = z.record(z.string(), z.strictObject({ username: z.string(), password: z.string() }));

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw refuse("what was read is not JSON");
  }
}

function halvesOf(auth: string): { readonly username: string; readonly password: string } {
  const [username = "", ...rest] = Buffer.from(auth, "base64").toString("utf8").split(":");
  return { username, password: rest.join(":") };
}

/**
 * Reads credentials from JSON: a docker config.json, or host → { username, password }. No error contains a value.
 * @throws StartError that names the host
 */
export function credentialsIn(text: string): CredentialValues {
  const value = parsedJson(text);
  const docker = dockerShape.safeParse(value).data;
  const own = docker?.auths ?? ownShape.safeParse(value).data;
  if (!own) throw refuse("what was read is neither a docker config.json nor host → { username, password }");
  const entries = Object.entries(own).map(([typed, { auth, username = "", password = "" }]: [string, DockerEntry]) => {
    const host = typedHost(typed);
    const given = auth ? halvesOf(auth) : { username, password };
    return [host, encoded(host, given.username, given.password)] as const;
  });
  if (entries.length === 0) throw refuse("what was read names no registry");
  return Object.fromEntries(entries);
}

interface DockerEntry {
  readonly auth?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
}

const valuesShape = z.record(z.string(), z.string());

/** Reads the value of the secret. @throws StartError if something else wrote it; it never contains the value */
export function valuesIn(text: string, secret: string): CredentialValues {
  try {
    return valuesShape.parse(JSON.parse(text));
  } catch {
    throw refuse(`the secret ${secret} holds what this task did not write`);
  }
}

/**
 * Texts of the secret: the value, and the description that lists its hosts.
 * @throws StartError if they do not fit into a secret
 */
export function secretTexts(values: CredentialValues): { readonly value: string; readonly description: string } {
  const value = JSON.stringify(values);
  const description = credentialsText(Object.keys(values));
  if (description.length > LONGEST_DESCRIPTION)
    throw refuse(
      `the names of these hosts need ${description.length} characters, a secret takes ${LONGEST_DESCRIPTION}`,
    );
  if (Buffer.byteLength(value) > LARGEST)
    throw refuse(`these credentials need ${Buffer.byteLength(value)} bytes, a secret takes ${LARGEST}`);
  return { value, description };
}
