import { flagsOf } from "../command-line.ts";
import type { Machine, Program } from "../machine.ts";

const directoryOf = (path: string): string => path.slice(0, path.lastIndexOf("\\"));

/** Checks that the directory of a log file exists: Go programs do not create it. @returns the error, if any */
export function logFault(machine: Machine, path: string | undefined): string | undefined {
  if (path === undefined || machine.disk.directory(directoryOf(path))) return undefined;
  return `open ${path}: The system cannot find the path specified.`;
}

/** csi-proxy: a service that only runs. */
export const csiProxy: Program = (context) => {
  const fault = logFault(context.machine, flagsOf(context.words, ["windows-service"]).get("log_file"));
  return fault ? { code: 2, reason: fault } : undefined;
};

/** windows_exporter: needs its web configuration when its flags name one. */
export const windowsExporter: Program = (context) => {
  const flags = flagsOf(context.words);
  const web = flags.get("web.config.file");
  if (web !== undefined && !context.machine.disk.file(web)) {
    return { code: 1, reason: `open ${web}: The system cannot find the file specified.` };
  }
  const fault = logFault(context.machine, flags.get("log.file"));
  return fault ? { code: 1, reason: fault } : undefined;
};
