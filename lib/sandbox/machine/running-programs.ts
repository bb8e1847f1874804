import { flagsOf, wordsOf } from "./command-line.ts";
import type { Machine } from "./machine.ts";
import { binaryOf } from "./payload.ts";

/** A program behind a running service. */
export interface RunningProgram {
  readonly program: string;
  readonly version: string;
  /** Its own arguments. */
  readonly words: readonly string[];
}

function programOf(machine: Machine, words: readonly string[]): RunningProgram | undefined {
  const [path = "", ...rest] = words;
  const binary = binaryOf(machine.disk.text(path));
  if (binary?.program !== "kube-log-runner") return binary && { ...binary, words: rest };
  return programOf(machine, flagsOf(rest, ["also-stdout", "redirect-stderr"]).rest);
}

/** Finds the program of this name that runs as a service now, whatever wraps it. */
export function runningProgram(machine: Machine, program: string): RunningProgram | undefined {
  return Object.values(machine.state.services)
    .filter((service) => service.state === "Running")
    .map((service) => programOf(machine, wordsOf(service.commandLine)))
    .find((found) => found?.program === program);
}
