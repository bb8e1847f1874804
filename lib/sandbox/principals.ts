import type { Random } from "./core/random.ts";
import type { Store } from "./core/store.ts";

/** An access key of the sandbox's account. */
export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Everything secret that the sandbox made up for itself, kept so that a restart changes nothing. */
export interface Keys {
  /** The key of a function, or of "visitor": whoever talks to the simulator from outside. */
  of(principal: string): AccessKey;
  readonly signingSecret: string;
  readonly botToken: string;
}

/** Principal for calls to the simulator from outside (the AWS CLI, a test); may do everything, as the owner of an account may. */
export const VISITOR = "visitor";

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
