import { fileURLToPath } from "node:url";
import { Language, type Node, Parser } from "web-tree-sitter";

const wasm = fileURLToPath(import.meta.resolve("tree-sitter-powershell/tree-sitter-powershell.wasm"));

/** Something in a script that PowerShell 5.1, or a module of it on AWS's images, would not take. */
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
  ["Read-S3Object calls it -Version (AWS Tools for PowerShell, issue 369)", /\bRead-S3Object\b.*\s-VersionId\b/i],
  ["only ASCII is read alike by every code page", notAscii],
];

/** Code without its comments and its quoted words, where none of the rules applies. */
const bare = (line: string): string =>
  line
    .replaceAll(/'[^']*'/g, "''")
    .replaceAll(/"[^"]*"/g, '""')
    .replace(/(^|\s)#.*$/, "");

/** Words of PowerShell 6 and 7 in a script that 5.1 has to run. */
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

/** Where a script is no PowerShell. */
export async function syntaxFaults(text: string): Promise<Fault[]> {
  parser ??= ready();
  const tree = (await parser).parse(text);
  if (!tree) return [{ line: 1, what: "it could not be parsed" }];
  const faults = broken(tree.rootNode).map((node) => ({
    line: node.startPosition.row + 1,
    what: `not PowerShell: ${node.text.slice(0, 60)}`,
  }));
  tree.delete();
  return faults;
}
