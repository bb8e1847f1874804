import { functionNames } from "../functions.ts";
import type { Statement } from "../statement.ts";
import type { Random } from "./core/random.ts";
import type { Store } from "./core/store.ts";

/** An access key of the sandbox's account. */
export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Secrets that the sandbox generates, kept across restarts. */
export interface Keys {
  /** The key of a function, or of the owner for calls from outside the sandbox. */
  of(principal: string): AccessKey;
  readonly signingSecret: string;
  readonly botToken: string;
}

/** Principal of calls from outside the sandbox (the AWS CLI, a test); it may do everything, as an account's owner may. */
export const OWNER = "owner";

/**
 * Makes the keys at the first start and finds them again later.
 * @param random keys of a sandbox protect nothing: a seed may repeat them
 */
export function keys(store: Store, random: Random): Keys {
  const kept = store.collection<string>("keys");
  const remembered = (name: string, make: () => string): string => {
    const known = kept.get(name) ?? make();
    if (!kept.has(name)) kept.set(name, known);
    return known;
  };
  return {
    of: (principal) => ({
      accessKeyId: remembered(`${principal} id`, () => `AKIA${random.hex(16).toUpperCase()}`),
      secretAccessKey: remembered(`${principal} secret`, () => random.hex(40)),
    }),
    signingSecret: remembered("signing secret", () => random.hex(32)),
    botToken: remembered("bot token", () => `xoxb-${random.hex(12)}-${random.hex(24)}`),
  };
}

/** Lists principals and secrets by access key id. */
export const keyRing = (own: Keys) =>
  new Map(
    [...functionNames, OWNER].map((principal) => {
      const { accessKeyId, secretAccessKey } = own.of(principal);
      return [accessKeyId, { secret: secretAccessKey, principal }];
    }),
  );

/** The owner of the account may do everything; the functions only what the reviewed list says. */
export const everything: Statement = {
  sid: "Owner",
  actions: ["*"],
  resources: ["*"],
  why: "the owner of the account may do everything",
};
