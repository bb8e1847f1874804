import { readFileSync } from "node:fs";

const FOLDER = new URL("../../lambdas/scripts/", import.meta.url);
const INCLUDE = /^# include: (\S+)$/gm;
const EMBED = /^# embed: (\S+)\.ps1 as (\w+)$/gm;

/** Scripts that are files on the machine and that the Task Scheduler runs. */
export const machineScripts = ["guard", "network", "registries"] as const;

const texts = new Map<string, string>();

/** Reads a file of the scripts' folder only once: every function's settings need the hashes of all documents. */
function read(path: string): string {
  const text = texts.get(path) ?? readFileSync(new URL(path, FOLDER), "utf8");
  texts.set(path, text);
  return text;
}

/**
 * Returns the whole text of a script, with each include replaced by the included text. A script that is embedded becomes a
 * variable that holds its whole text in base64.
 * @param name file name without ".ps1"
 */
export const scriptText = (name: string): string =>
  read(`${name}.ps1`)
    .replaceAll(INCLUDE, (_line, path: string) => read(path).trimEnd())
    .replaceAll(EMBED, (_line, script: string, variable: string) => `$${variable} = '${base64(scriptText(script))}'`);

const base64 = (text: string): string => Buffer.from(text).toString("base64");
