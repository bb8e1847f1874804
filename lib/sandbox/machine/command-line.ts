/**
 * Splits a command line into words as CommandLineToArgvW does (quotes group; backslashes are literal before anything
 * else).
 */
export function wordsOf(commandLine: string): string[] {
  const words = commandLine.match(/(?:"[^"]*"|[^\s"])+/g) ?? [];
  return words.map((word) => word.replaceAll('"', ""));
}

/** Flags of a Go program: --name=value, --name value, -name=value; a flag without a value is "true". */
export interface Flags {
  get(name: string): string | undefined;
  /** Words from the first one that is neither a flag nor a flag's value. */
  readonly rest: readonly string[];
}

const named = (word: string): readonly [string, string | undefined] => {
  const [name = "", ...value] = word.replace(/^--?/, "").split("=");
  return [name, value.length > 0 ? value.join("=") : undefined];
};

/**
 * Reads a program's flags.
 * @param words arguments without the program itself
 * @param switches flags that never take the following word as their value
 */
export function flagsOf(words: readonly string[], switches: readonly string[] = []): Flags {
  const values = new Map<string, string>();
  let at = 0;
  for (; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (!word.startsWith("-")) break;
    const [name, value] = named(word);
    const next = words[at + 1];
    const takesNext = value === undefined && !switches.includes(name) && next !== undefined && !next.startsWith("-");
    values.set(name, value ?? (takesNext ? next : "true"));
    if (takesNext) at += 1;
  }
  return { get: (name) => values.get(name), rest: words.slice(at) };
}

const LOG_FLAGS: ReadonlySet<string> = new Set(["log-file", "log_file", "logfile", "log.file"]);

/** Finds the log file that a command line names, by any of the flags that the programs here take. */
export function logNamedIn(commandLine: string): string | undefined {
  const words = wordsOf(commandLine);
  const at = words.findIndex((word) => word.startsWith("-") && LOG_FLAGS.has(named(word)[0]));
  return at < 0 ? undefined : (named(words[at] ?? "")[1] ?? words[at + 1]);
}

/** Named arguments of a PowerShell script: -Name value, or -Switch alone; names in lower case. */
export function namedArguments(words: readonly string[]): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  words.forEach((word, at) => {
    if (!/^-[A-Za-z]/.test(word)) return;
    const next = words[at + 1];
    pairs.set(word.slice(1).toLowerCase(), next === undefined || /^-[A-Za-z]/.test(next) ? "true" : next);
  });
  return pairs;
}

/** Files that a command line refers to: every word or flag value that is an absolute path with an extension. */
export const filesNamedIn = (commandLine: string): string[] =>
  wordsOf(commandLine).flatMap((word) => {
    const value = word.startsWith("-") ? (named(word)[1] ?? "") : word;
    return /^[A-Za-z]:\\.*\.\w+$/.test(value) || /^[A-Za-z]:\\.*\\[\w-]+$/.test(value) ? [value] : [];
  });
