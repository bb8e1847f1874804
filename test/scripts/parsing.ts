import { fileURLToPath } from "node:url";
import { Language, type Node, Parser } from "web-tree-sitter";
import { unknownToFramework } from "./framework.ts";

const wasm = fileURLToPath(import.meta.resolve("tree-sitter-powershell/tree-sitter-powershell.wasm"));

/** A part of a script that Windows PowerShell 5.1 does not accept. */
export interface Fault {
  /** Counted from 1. */
  readonly line: number;
  readonly what: string;
}

const notAscii = /[^\t -~]/;

const rules: readonly (readonly [what: string, pattern: RegExp])[] = [
  ["&& and || came with PowerShell 7", /&&|\|\|/],
  ["?? and ??= came with PowerShell 7", /\?\?/],
  ["?. and ?[] came with PowerShell 7", /\}\?[.[]/],
  ["the ternary operator came with PowerShell 7", /\s\?\s+[^{]*\s:\s/],
  ["-Parallel came with PowerShell 7", /\s-Parallel\b/i],
  ["this encoding came with PowerShell 6", /\butf8NoBOM\b|\butf8BOM\b/i],
  ["-AsHashtable and -AsByteStream came with PowerShell 6", /\s-As(Hashtable|ByteStream)\b/i],
  ["clean blocks came with PowerShell 7", /^\s*clean\s*\{/i],
  ["this variable came with PowerShell 6", /\$Is(Windows|Linux|MacOS|CoreCLR)\b/i],
  [
    "this cmdlet came with PowerShell 6 or 7",
    /\b(Test-Json|ConvertFrom-Markdown|Get-Uptime|Get-Error|Remove-Service)\b/i,
  ],
  [
    "-NoProxy, -SkipCertificateCheck and -Retry came with PowerShell 6",
    /\s-(NoProxy|SkipCertificateCheck|MaximumRetryCount)\b/i,
  ],
  ["Join-Path takes one child path in 5.1", /\bJoin-Path\s+\S+\s+'[^']*'\s+'/],
  ["only ASCII is read alike by every code page", notAscii],
];

/** Removes comments and quoted strings, to which the rules do not apply. */
const bare = (line: string): string =>
  line
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/"[^"]*"/g, '""')
    .replace(/(^|\s)#.*$/, "");

/** Finds features of PowerShell 6 and 7 in a script for 5.1. */
export const newerThan51 = (text: string): Fault[] =>
  text
    .split("\n")
    .flatMap((line, index) =>
      rules
        .filter(([, pattern]) => pattern.test(pattern === notAscii ? line : bare(line)))
        .map(([what]) => ({ line: index + 1, what })),
    );

function broken(node: Node): Node[] {
  if (node.isError || node.isMissing) return [node];
  return node.children.flatMap((child) => (child?.hasError ? broken(child) : []));
}

let parser: Promise<Parser> | undefined;

async function ready(): Promise<Parser> {
  await Parser.init();
  const made = new Parser();
  return made.setLanguage(await Language.load(wasm));
}

async function parsed<T>(text: string, look: (root: Node) => T): Promise<T> {
  parser ??= ready();
  const tree = (await parser).parse(text);
  if (!tree) throw new Error("the script could not be parsed");
  try {
    return look(tree.rootNode);
  } finally {
    tree.delete();
  }
}

/** Finds the lines on which a script is not PowerShell. */
export const syntaxFaults = (text: string): Promise<Fault[]> =>
  parsed(text, (root) =>
    broken(root).map((node) => ({
      line: node.startPosition.row + 1,
      what: `not PowerShell: ${node.text.slice(0, 60)}`,
    })),
  );

/** Finds the lines on which a script uses a type or a member that the .NET Framework of 5.1 may not have. */
export const frameworkFaults = (text: string): Promise<Fault[]> => parsed(text, unknownToFramework);
