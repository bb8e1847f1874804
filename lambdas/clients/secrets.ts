import { type AwsCall, isAws } from "./aws-call.ts";

/** The secrets of Secrets Manager, read seldom: requests at the same moment share one reading. */
export interface Secrets {
  /**
   * A secret's text, as it was read at most so many milliseconds ago; 0 reads it now.
   * @throws when it cannot be read and was never read before, or must be read now
   */
  read(name: string, atMost: number): Promise<string>;
}

/** Time for which a secret is cached while it is accepted: a replaced secret must take effect soon. */
export const KEEP_MS = 10 * 60_000;

/** Shortest time between two reads of a secret, however many wrong signatures arrive. */
export const DOUBT_MS = 30_000;

interface Reading {
  readonly at: number;
  readonly text: Promise<string>;
}

/** A secret that was made and never filled has no current version: Secrets Manager then speaks of a staging label alone. */
async function filled(call: AwsCall, name: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await valueIn(call, name);
  } catch (error) {
    if (!isAws(error, "ResourceNotFoundException")) throw error;
    throw new Error(`the secret ${name} is empty or does not exist`, { cause: error });
  }
}

const valueIn = (call: AwsCall, name: string) =>
  call({
    service: "secretsmanager",
    method: "POST",
    path: "/",
    headers: { "content-type": "application/x-amz-json-1.1", "x-amz-target": "secretsmanager.GetSecretValue" },
    body: JSON.stringify({ SecretId: name }),
  });

async function textOf(call: AwsCall, name: string): Promise<string> {
  const { SecretString } = await filled(call, name);
  if (typeof SecretString !== "string") throw new Error(`the secret ${name} holds no text`);
  return SecretString;
}

/**
 * Reads secrets through Secrets Manager's JSON API and remembers them.
 * @param now milliseconds since the epoch: the age of what is remembered
 */
export function secrets(call: AwsCall, now: () => number): Secrets {
  const known = new Map<string, Reading>();

  /** Reads a secret anew; the last known text stays when this fails, because the service may be away for a while. */
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
