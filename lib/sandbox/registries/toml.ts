import { parse } from "smol-toml";
import type { ContainerdBehaviour } from "./versions.ts";

/** A table of a TOML document. */
export type TomlTable = Readonly<Record<string, unknown>>;

/** Narrows to a table of TOML. */
export const isTable = (value: unknown): value is TomlTable =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

/** Match syntax of TOML 1.1, which smol-toml reads and go-toml does not: `\x41`, `\e`, inline tables of several lines. */
const newer = [/"[^"'\n]*\\[xe]/, /\{[^}"'\n]*\n/];

/** Decodes as go-toml 2 demands it: UTF-8 without byte order mark. */
function strictText(bytes: Uint8Array): string {
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  if (text.startsWith("\uFEFF")) throw new Error("toml: invalid character at start of key: ï");
  if (newer.some((syntax) => syntax.test(text))) throw new Error("toml: the syntax is TOML 1.1's");
  return text;
}

/** Decodes as go-toml 1 does: a byte order mark, a bare carriage return and bytes that are no UTF-8 pass. */
const laxText = (bytes: Uint8Array): string => new TextDecoder("utf-8").decode(bytes).replaceAll(/\r(?!\n)/g, "\n");

/** Decodes a file as containerd's TOML library does. @throws Error where that refuses the bytes */
export const tomlText = (bytes: Uint8Array, { strictToml }: ContainerdBehaviour): string =>
  strictToml ? strictText(bytes) : laxText(bytes);

/** Parses TOML. @throws TomlError */
export const parseToml = (text: string): TomlTable => parse(text);

function headerOf(line: string): TomlTable {
  try {
    return parse(line);
  } catch {
    return {};
  }
}

/**
 * Finds the hosts in the order of their tables' headers, `[host."url"]`, as containerd 2's `getSortedHosts` does: a host
 * is repeated when another one's header stands between two of its own, and one without a header is not found.
 */
export function hostsByHeader(text: string): string[] {
  const found: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const { host } = /^\s*\[[^[]/.test(line) ? headerOf(line) : {};
    const [name] = isTable(host) ? Object.keys(host) : [];
    if (name !== undefined && found.at(-1) !== name) found.push(name);
  }
  return found;
}
