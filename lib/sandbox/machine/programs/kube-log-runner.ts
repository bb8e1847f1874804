import { atLeast } from "../../../../lambdas/machine/versions.ts";
import { messageOf } from "../../../message-of.ts";
import { flagsOf } from "../command-line.ts";
import type { Program } from "../machine.ts";
import { runProgram } from "../services.ts";
import { logFault } from "./plain.ts";

/** Flags of kubernetes pull request 127667, by which it begins a full log anew; a Go program refuses a flag that it does not know. */
const ROTATION = ["log-file-size", "log-file-age", "flush-interval"];

/** kube-log-runner: runs another command line and writes what it prints into a file. */
export const kubeLogRunner: Program = (context) => {
  const flags = flagsOf(context.words, ["also-stdout", "redirect-stderr"]);
  const unknown = ROTATION.find((name) => flags.get(name) !== undefined && !atLeast(context.version, "1.34"));
  if (unknown) return { code: 2, reason: `flag provided but not defined: -${unknown}` };
  const fault = logFault(context.machine, flags.get("log-file"));
  if (fault) return { code: 1, reason: fault };
  if (flags.rest.length === 0) return { code: 1, reason: "not enough arguments to run" };
  try {
    return runProgram(context, flags.rest);
  } catch (error) {
    return { code: 1, reason: `fork/exec ${flags.rest[0]}: ${messageOf(error)}` };
  }
};
