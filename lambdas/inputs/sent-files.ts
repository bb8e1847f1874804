import { NO_NODE_CHANGED, Refused } from "../errors.ts";
import type { InputFile, SentInput } from "../records/machine-record.ts";
import type { InputContent, InputFacts } from "./input.ts";

/** Files that a machine has for sure, and files that it may have because it has not confirmed them. */
export function sentFiles(sent: SentInput | undefined): {
  readonly has: readonly InputFile[];
  readonly may: readonly InputFile[];
} {
  const { unconfirmed, files = [] } = sent ?? {};
  return unconfirmed ? { has: unconfirmed.before?.files ?? [], may: unconfirmed.sent } : { has: files, may: [] };
}

/** Paths that machines have for sure. */
export const confirmedPaths = (given: readonly SentInput[]): ReadonlySet<string> =>
  new Set(given.flatMap((sent) => sentFiles(sent).has.map(({ path }) => path)));

/**
 * Refuses a content that has lost everything at once, unless a person has asked for it.
 * @param words what the cluster no longer has, and what nodes have of it
 * @throws Refused
 */
export function refuseEmptied({ isRequested }: Pick<InputFacts, "isRequested">, words: string): void {
  if (isRequested) return;
  throw new Refused(`${words}, ${NO_NODE_CHANGED}; if that is intended, {win} reconcile removes them`);
}

/**
 * Paths of a machine's record that a content no longer has, sorted.
 * @param isKept does the machine keep what it has at a path?
 */
export function removedPaths(
  { files }: InputContent,
  sent: SentInput | undefined,
  isKept: (path: string) => boolean,
): readonly string[] {
  const { has, may } = sentFiles(sent);
  const wanted = new Set(files.map(({ path }) => path));
  const paths = new Set([...has, ...may].map(({ path }) => path));
  return [...paths].filter((path) => !wanted.has(path) && !isKept(path)).toSorted();
}

/**
 * Expectation of what is at a path: nothing that others wrote. What the machine's record names may have been edited.
 * @param own hashes that the content itself has there
 */
export function expectationAt(
  path: string,
  sent: SentInput | undefined,
  own: readonly string[] = [],
): { readonly expects?: readonly string[] } {
  const { has, may } = sentFiles(sent);
  if (has.some((file) => file.path === path)) return {};
  const sentThere = may.filter((file) => file.path === path).map((file) => file.sha256);
  return { expects: [...new Set([...own, ...sentThere])] };
}
