import { readFileSync } from "node:fs";

const FOLDER = new URL("../../lambdas/scripts/", import.meta.url);
const INCLUDE = /^# include: (\S+)$/gm;

/** Scripts that are files on the machine, run by the Task Scheduler. */
export const machineScripts = ["guard", "network"] as const;

const read = (path: string): string => readFileSync(new URL(path, FOLDER), "utf8");

/**
 * Returns the whole text of a script, with each include replaced by the included text.
 * @param name file name without ".ps1"
 */
export const scriptText = (name: string): string =>
  read(`${name}.ps1`).replaceAll(INCLUDE, (_line, path: string) => read(path).trimEnd());
