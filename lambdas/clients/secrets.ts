import { type AwsCall, isAws, jsonRequest } from "./aws-call.ts";

/** Reads secrets from Secrets Manager and caches them; concurrent requests share one read. */
export interface Secrets {
  /**
   * Reads a secret's text.
   * @param atMost greatest age of a cached text, in milliseconds; 0 reads the secret now
   * @throws if the secret cannot be read, and no cached text exists or `atMost` is 0
   */
  read(name: string, atMost: number): Promise<string>;
}

/** Milliseconds for which a secret is cached while it is accepted, so that a replaced secret takes effect soon. */
export const KEEP_MS = 10 * 60_000;

/** Shortest time in milliseconds between two reads of a secret, however many wrong signatures arrive. */
export const DOUBT_MS = 30_000;

interface Reading {
  readonly at: number;
  readonly text: Promise<string>;
}

/**
 * Reads a secret. A secret that was created but never filled has no current version; Secrets Manager's error then only
 * mentions a staging label, so it is replaced.
 */
async function filled(call: AwsCall, name: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await valueIn(call, name);
  } catch (error) {
    if (!isAws(error, "ResourceNotFoundException")) throw error;
    throw new Error(`the secret ${name} is empty or does not exist`, { cause: error });
  }
}

const valueIn = (call: AwsCall, name: string) =>
  call(jsonRequest("secretsmanager", "secretsmanager.GetSecretValue", { SecretId: name }));

async function textOf(call: AwsCall, name: string): Promise<string> {
  const { SecretString } = await filled(call, name);
  if (typeof SecretString !== "string") throw new Error(`the secret ${name} holds no text`);
  return SecretString;
}

/**
 * Builds the reader for Secrets Manager's JSON API.
 * @param now milliseconds since the epoch, for the age of cached texts
 */
export function secrets(call: AwsCall, now: () => number): Secrets {
  const known = new Map<string, Reading>();

  /**
   * Reads a secret again. If that fails, the last known text stays cached, because Secrets Manager may be unavailable
   * for a while.
   */
  const again = (name: string, before: Reading | undefined): Reading => {
    const reading = { at: now(), text: textOf(call, name) };
    known.set(name, reading);
    reading.text.catch(() => {
      if (known.get(name) !== reading) return;
      if (before) known.set(name, before);
      else known.delete(name);
    });
    return reading;
  };

  return {
    read: (name, atMost) => {
      const before = known.get(name);
      if (before && now() - before.at < atMost) return before.text;
      const { text } = again(name, before);
      return before && atMost > 0 ? text.catch(() => before.text) : text;
    },
  };
}
