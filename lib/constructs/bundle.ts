import { rm } from "node:fs/promises";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { frontDoorPlugins } from "./bundle-front-door.ts";

/** Defines `require` in an ES module, because bundled CommonJS packages call it for Node's own modules. */
const REQUIRE = 'import{createRequire as $require}from"node:module";const require=$require(import.meta.url);';

const ES_MODULE: BuildOptions = {
  outExtension: { ".js": ".mjs" },
  splitting: true,
  format: "esm",
  banner: { js: REQUIRE },
};

/**
 * One CommonJS file, which Node 24.21 loads in three quarters of the time that it takes for the same code as an ES module.
 * Lambda's runtime finds `index.cjs` where there is neither `index.js` nor `index.mjs`.
 */
const COMMON_JS: BuildOptions = {
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  define: { "import.meta.url": "$url" },
  banner: { js: 'const $url=require("node:url").pathToFileURL(__filename).href;' },
};

/**
 * Bundles a handler for deployment: one folder whose `index` exports `handler`.
 * @param entry the handler's file
 * @param folder output folder, which is emptied first
 * @param own options that only this handler's bundle needs
 */
export async function bundle(entry: string, folder: string, own: BuildOptions = ES_MODULE): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await build({
    entryPoints: { index: entry },
    outdir: folder,
    bundle: true,
    minify: true,
    charset: "utf8",
    platform: "node",
    target: "node24",
    mainFields: ["module", "main"],
    legalComments: "none",
    logLevel: "error",
    ...own,
  });
}

/** Options of the handlers that are bundled in their own way. */
const options: Readonly<Record<string, BuildOptions>> = {
  "front-door": { ...COMMON_JS, plugins: frontDoorPlugins },
};

/** Bundles under way at once. Each takes up to 800 MB and both cores of a small CI machine: all at once took six gigabytes. */
const AT_ONCE = 2;

/**
 * Bundles several handlers.
 * @param entries name → the handler's file
 * @returns name → the folder of its bundle
 */
export async function bundleAll<Name extends string>(
  entries: Readonly<Record<Name, string>>,
  folder: string,
): Promise<Record<Name, string>> {
  const names = Object.keys(entries) as Name[];
  const folders = names.map((name) => [name, join(folder, name)] as const);
  const waiting = folders.values();
  const bundleSome = async (): Promise<void> => {
    for (const [name, target] of waiting) await bundle(entries[name], target, options[name]);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, bundleSome));
  return Object.fromEntries(folders) as Record<Name, string>;
}
