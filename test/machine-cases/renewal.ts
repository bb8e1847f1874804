import { sha256 } from "../../lambdas/cluster/authorities.ts";

/** Folder with what plans want of the task that renews passwords of ECR. */
export const registriesFiles = "C:\\Casement\\registries";

/** Wishes of plans to the task, and the record of its last run. */
export interface Renewal {
  /** By the registry's folder. */
  readonly wanted: Readonly<Record<string, object>>;
  /** Null for one that is damaged; by default there is none. */
  readonly record?: {
    readonly hoursAgo: number;
    /** Did the last run know what is wanted now? */
    readonly isSame: boolean;
    readonly paths: readonly string[];
    /** By default true. */
    readonly ok?: boolean;
  } | null;
}

/**
 * Files of the task by their paths.
 * @param toMachine converts paths in a value
 */
export function renewalFiles(
  { wanted, record }: Renewal,
  toMachine: <T>(value: T) => T = (value) => value,
): Readonly<Record<string, string>> {
  const texts = Object.entries(wanted).map(([folder, one]) => [folder, JSON.stringify(toMachine(one))] as const);
  const known = sha256(texts.map(([, text]) => text).join("\n"));
  const saved = record && {
    ok: record.ok ?? true,
    error: "",
    renewed: Math.floor(Date.now() / 1000) - record.hoursAgo * 3600,
    wanted: record.isSame ? known : sha256("another"),
    paths: toMachine(record.paths),
  };
  return {
    ...Object.fromEntries(texts.map(([folder, text]) => [`${registriesFiles}\\${folder}.json`, text])),
    ...(saved ? { "C:\\Casement\\registries.json": JSON.stringify(saved) } : {}),
    ...(record === null ? { "C:\\Casement\\registries.json": "\0\0\0" } : {}),
  };
}
