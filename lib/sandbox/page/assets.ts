import { join } from "node:path";
import { build } from "esbuild";

/** Files that a browser loads besides the document itself. */
export interface Assets {
  readonly script: string;
  readonly style: string;
}

/**
 * Bundles the browser's part of the page in memory; nothing is written and nothing comes from elsewhere.
 * @returns script and style sheet, minified
 * @throws Error of esbuild when a source is wrong
 */
export async function bundled(): Promise<Assets> {
  const { outputFiles } = await build({
    entryPoints: [
      { in: join(import.meta.dirname, "browser/main.tsx"), out: "page" },
      { in: join(import.meta.dirname, "browser/style/page.css"), out: "page" },
    ],
    bundle: true,
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "silent",
    minify: true,
    outdir: "page",
    target: "es2022",
    write: false,
  });
  const textOf = (ending: string): string => outputFiles.find((file) => file.path.endsWith(ending))?.text ?? "";
  return { script: textOf(".js"), style: textOf(".css") };
}

/** The document; everything it shows is drawn by the script. */
export const documentOf = (title: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/page/page.css">
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript.</noscript>
<script type="module" src="/page/page.js"></script>
</body>
</html>
`;
