import { readFileSync } from "node:fs";

const FOLDER = new URL("../../lambdas/scripts/", import.meta.url);
const INCLUDE = /^# include: (\S+)$/gm;

/** Scripts that lie on the machine as files, run by the Task Scheduler. */
export const machineScripts = ["guard", "network"] as const;

const read = (path: string): string => readFileSync(new URL(path, FOLDER), "utf8");

/**
 * The whole text of a script: what it includes stands in its place.
 * @param name file name without ".ps1"
 */
export const scriptText = (name: string): string =>
  read(`${name}.ps1`).replaceAll(INCLUDE, (_line, path: string) => read(path).trimEnd());
