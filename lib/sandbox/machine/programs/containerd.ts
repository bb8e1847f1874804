import { parse } from "smol-toml";
import { messageOf } from "../../../message-of.ts";
import { memoize } from "../../core/memoize.ts";
import { flagsOf } from "../command-line.ts";
import { textAt } from "../kube-client.ts";
import type { Machine, Program } from "../machine.ts";
import { runningProgram } from "../running-programs.ts";
import { logFault } from "./plain.ts";

const FLAGS = ["run-service"];
/** Table of the CRI plugin's CNI settings, by the configuration's version (containerd's docs/cri/config.md). */
const cniTables: Readonly<Record<number, string>> = {
  2: "io.containerd.grpc.v1.cri",
  3: "io.containerd.cri.v1.runtime",
};

const tableIn = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

/** @throws Error for a configuration that containerd cannot read */
const confDirIn = memoize((text): string => {
  const config = parse(text);
  const version = Number(config.version ?? 1);
  const table = cniTables[version];
  if (table === undefined) throw new Error(`expected containerd config version 2 or 3, got \`${version}\``);
  const cni = tableIn(tableIn(config.plugins, table), "cni");
  const directory = tableIn(cni, "conf_dir");
  return typeof directory === "string" ? directory : "C:\\Program Files\\containerd\\cni\\conf";
});

/** @throws Error when the file is missing or cannot be read as containerd reads it */
const confDirOf = (machine: Machine, path: string | undefined): string => confDirIn(textAt(machine, path ?? ""));

const hasContainers = (machine: Machine): boolean =>
  machine.state.features.some((feature) => feature.name === "Containers" && feature.state === "Installed");

/** containerd: needs a configuration that parses and, for the Host Compute Service, the feature Containers after a boot. */
export const containerd: Program = (context) => {
  const flags = flagsOf(context.words, FLAGS);
  const fault = logFault(context.machine, flags.get("log-file"));
  if (fault) return { code: 1, reason: fault };
  try {
    confDirOf(context.machine, flags.get("config"));
  } catch (error) {
    return {
      code: 1,
      reason: `containerd: failed to load TOML: ${messageOf(error)}`,
    };
  }
  if (hasContainers(context.machine)) return undefined;
  return {
    code: 1,
    reason: "containerd: hcsshim: the Host Compute Service (vmcompute) does not exist as an installed service.",
  };
};

/** Finds the running containerd; undefined when there is none. */
export function runningContainerd(
  machine: Machine,
): { readonly version: string; readonly confDir: string } | undefined {
  const found = runningProgram(machine, "containerd");
  if (!found) return undefined;
  try {
    return { version: found.version, confDir: confDirOf(machine, flagsOf(found.words, FLAGS).get("config")) };
  } catch {
    return { version: found.version, confDir: "" };
  }
}
