import { parse } from "smol-toml";
import { messageOf } from "../../../message-of.ts";
import { memoize } from "../../core/memoize.ts";
import { flagsOf } from "../command-line.ts";
import { textAt } from "../kube-client.ts";
import type { Machine, Program } from "../machine.ts";
import { runningProgram } from "../running-programs.ts";
import { logFault } from "./plain.ts";

const FLAGS = ["run-service"];
/** Tables of the CRI plugin's settings, by the configuration's version (containerd's docs/cri/config.md). */
const criTables: Readonly<Record<number, { readonly runtime: string; readonly images: string }>> = {
  2: { runtime: "io.containerd.grpc.v1.cri", images: "io.containerd.grpc.v1.cri" },
  3: { runtime: "io.containerd.cri.v1.runtime", images: "io.containerd.cri.v1.images" },
};

/** Settings of the CRI plugin that the simulator reads. */
interface CriSettings {
  readonly confDir: string;
  /** Folder of the hosts.toml files; empty where none is set: there is no default on Windows (config_windows.go). */
  readonly registries: string;
  /** Milliseconds after which a pull without progress ends: five minutes unless configured. */
  readonly pullTimeout: number;
  /** Image of the pods' sandboxes. */
  readonly pause: string;
}

const tableIn = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const textIn = (value: unknown, name: string): string | undefined => {
  const found = tableIn(value, name);
  return typeof found === "string" ? found : undefined;
};

const unitsMs: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000 };

/** Reads a duration of Go in milliseconds: "30m0s". */
const milliseconds = (duration: string): number =>
  [...duration.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, count, unit = ""]) => sum + Number(count) * (unitsMs[unit] ?? 0),
    0,
  );

/** @throws Error for a configuration that containerd cannot read */
const settingsIn = memoize((text): CriSettings => {
  const config = parse(text);
  const version = Number(config.version ?? 1);
  const tables = criTables[version];
  if (tables === undefined) throw new Error(`expected containerd config version 2 or 3, got \`${version}\``);
  const images = tableIn(config.plugins, tables.images);
  return {
    confDir:
      textIn(tableIn(tableIn(config.plugins, tables.runtime), "cni"), "conf_dir") ??
      "C:\\Program Files\\containerd\\cni\\conf",
    registries: textIn(tableIn(images, "registry"), "config_path") ?? "",
    pullTimeout: milliseconds(textIn(images, "image_pull_progress_timeout") ?? "5m0s"),
    pause: textIn(images, "sandbox_image") ?? textIn(tableIn(images, "pinned_images"), "sandbox") ?? "",
  };
});

/** @throws Error when the file is missing or cannot be read as containerd reads it */
const settingsOf = (machine: Machine, path: string | undefined): CriSettings => settingsIn(textAt(machine, path ?? ""));

const hasContainers = (machine: Machine): boolean =>
  machine.state.features.some((feature) => feature.name === "Containers" && feature.state === "Installed");

/** containerd: needs a configuration that parses and, for the Host Compute Service, the feature Containers after a boot. */
export const containerd: Program = (context) => {
  const flags = flagsOf(context.words, FLAGS);
  const fault = logFault(context.machine, flags.get("log-file"));
  if (fault) return { code: 1, reason: fault };
  try {
    settingsOf(context.machine, flags.get("config"));
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

const NOTHING: CriSettings = { confDir: "", registries: "", pullTimeout: 0, pause: "" };

/** Finds the running containerd; undefined when there is none. */
export function runningContainerd(machine: Machine): (CriSettings & { readonly version: string }) | undefined {
  const found = runningProgram(machine, "containerd");
  if (!found) return undefined;
  try {
    return { version: found.version, ...settingsOf(machine, flagsOf(found.words, FLAGS).get("config")) };
  } catch {
    return { version: found.version, ...NOTHING };
  }
}
