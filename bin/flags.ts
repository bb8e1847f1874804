import { parseArgs } from "node:util";
import { messageOf } from "../lib/message-of.ts";
import { StartError } from "./start-error.ts";

/** How `npm start` was asked to run: `npm start -- --port 4600 --speed 20 --seed 1 --fresh`. */
export interface Flags {
  /** First of five ports; 0 lets the system choose. */
  readonly port: number;
  readonly speed: number;
  readonly seed: number;
  readonly fresh: boolean;
}

/** What `npm start -- --help` says. */
export const usage = `npm start -- [flags]

  --port N    first of five neighbouring ports; 0 lets the system choose (4600)
  --speed N   how many times faster than yours the sandbox's clock runs, 0.1 to 10,000 (10)
  --seed N    its randomness: the same seed gives the same town (1)
  --fresh     forget everything and start a new town
  --help      this

docs/sandbox.md says more.`;

const numberOf = (flag: string, text: string, low: number, high: number, whole: boolean): number => {
  const value = Number(text);
  if (text.trim() !== "" && value >= low && value <= high && (!whole || Number.isInteger(value))) return value;
  throw new StartError(`--${flag} takes a ${whole ? "whole " : ""}number from ${low} to ${high}, not "${text}"`);
};

/**
 * Reads the command line.
 * @throws StartError that names the flag
 */
export function flagsOf(words: readonly string[]): Flags {
  const { port, speed, seed, fresh } = parsed(words);
  return {
    port: numberOf("port", port, 0, 65_531, true),
    speed: numberOf("speed", speed, 0.1, 10_000, false),
    seed: numberOf("seed", seed, 0, 2 ** 32 - 1, true),
    fresh,
  };
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        port: { type: "string", default: "4600" },
        speed: { type: "string", default: "10" },
        seed: { type: "string", default: "1" },
        fresh: { type: "boolean", default: false },
      },
    }).values;
  } catch (error) {
    throw new StartError(`${messageOf(error)} (there are --port, --speed, --seed, --fresh and --help)`);
  }
}
