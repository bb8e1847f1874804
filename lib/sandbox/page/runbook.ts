import { readFileSync } from "node:fs";

const FILE = new URL("../../../docs/runbook.md", import.meta.url);

const HEADING = /^(#{2,4}) (.+)$/;

/** Makes the anchor that GitHub gives a heading. @param heading Markdown without its number signs */
export const anchorOf = (heading: string): string =>
  heading
    .replace(/`|\*|\[([^\]]*)\]\([^)]*\)/g, "$1")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

function lineOf(line: string): string {
  const [, signs = "", heading = ""] = HEADING.exec(line) ?? [];
  return heading ? `<h${signs.length} id="${anchorOf(heading)}">${escaped(heading)}</h${signs.length}>` : escaped(line);
}

/** Builds the runbook as a document of its headings, to which buttons lead, and of its text as it is written. */
export const runbookDocument = (): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>Runbook</title>
<link rel="stylesheet" href="/page/page.css"></head>
<body class="runbook">${readFileSync(FILE, "utf8").split("\n").map(lineOf).join("\n")}</body>
</html>
`;
