import { parseArgs } from "node:util";
import { messageOf } from "../lib/message-of.ts";
import { StartError } from "./start-error.ts";

/** Flags of `npm start`, as in `npm start -- --port 4600 --speed 20 --seed 1 --fresh`. */
export interface Flags {
  /** First of five ports; 0 lets the system choose. */
  readonly port: number;
  readonly speed: number;
  readonly seed: number;
  readonly fresh: boolean;
  /** Windows nodes that a new demo cluster has; null for the saved number, or four. */
  readonly nodes: number | null;
  /** Names of neighbours and controllers to switch on and, in `without`, to switch off. */
  readonly with: readonly string[];
  readonly without: readonly string[];
  /** File with measured times; null for the simulator's defaults. */
  readonly calibration: string | null;
}

/**
 * Builds the text of `npm start -- --help`.
 * @param names a line for each neighbour and one for the controllers
 */
export const usage = (names: readonly string[]): string => `npm start -- [flags]

  --port N    first of five neighbouring ports; 0 lets the system choose (4600)
  --speed N   how many times faster than yours the sandbox's clock runs, 0.1 to 10,000 (10)
  --seed N    random seed: the same seed gives the same run (1)
  --fresh     delete the saved state and start over
  --nodes N   Windows nodes of a new demo cluster, 4 to 200 (4); the others join the pool web
  --with NAME[,NAME]     switch neighbours on, such as another operator in the cluster; may be repeated
  --without NAME[,NAME]  switch neighbours off, or controllers of the simulated cluster; may be repeated
  --calibration FILE     take the times that npm run acceptance has measured
  --help      this

${names.map((line) => `  ${line}`).join("\n")}

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
  const { port, speed, seed, fresh, nodes, with: on, without: off, calibration = null } = parsed(words);
  return {
    port: numberOf("port", port, 0, 65_531, true),
    speed: numberOf("speed", speed, 0.1, 10_000, false),
    seed: numberOf("seed", seed, 0, 2 ** 32 - 1, true),
    fresh,
    nodes: nodes === undefined ? null : numberOf("nodes", nodes, 4, 200, true),
    with: namesIn(on),
    without: namesIn(off),
    calibration,
  };
}

/** Splits lists of names: `--with a,b --with c` gives three names. */
const namesIn = (lists: readonly string[]): string[] =>
  lists.flatMap((list) => list.split(",")).flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));

function parsed(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        port: { type: "string", default: "4600" },
        speed: { type: "string", default: "10" },
        seed: { type: "string", default: "1" },
        fresh: { type: "boolean", default: false },
        nodes: { type: "string" },
        with: { type: "string", multiple: true, default: [] },
        without: { type: "string", multiple: true, default: [] },
        calibration: { type: "string" },
      },
    }).values;
  } catch (error) {
    throw new StartError(
      `${messageOf(error)} (there are --port, --speed, --seed, --fresh, --nodes, --with, --without, --calibration and --help)`,
    );
  }
}
