import { rm } from "node:fs/promises";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { frontDoorPlugins } from "./bundle-front-door.ts";

/** CommonJS packages inside an ES module still call `require` for Node's own modules. */
const REQUIRE = 'import{createRequire as $require}from"node:module";const require=$require(import.meta.url);';

/**
 * Bundles a handler as it is deployed: one folder whose `index.mjs` exports `handler`.
 * @param entry the handler's file
 * @param folder is emptied first
 * @param more what this handler's bundle needs besides
 */
export async function bundle(entry: string, folder: string, more: Plugin[] = []): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await build({
    entryPoints: { index: entry },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    minify: true,
    platform: "node",
    target: "node24",
    format: "esm",
    mainFields: ["module", "main"],
    banner: { js: REQUIRE },
    legalComments: "none",
    logLevel: "error",
    plugins: more,
  });
}

/** Handlers whose bundle needs more than esbuild does by itself. */
const plugins: Readonly<Record<string, Plugin[]>> = { "front-door": frontDoorPlugins };

/**
 * Bundles several handlers side by side.
 * @param entries name → the handler's file
 * @returns name → the folder of its bundle
 */
export async function bundleAll<Name extends string>(
  entries: Readonly<Record<Name, string>>,
  folder: string,
): Promise<Record<Name, string>> {
  const names = Object.keys(entries) as Name[];
  const folders = names.map((name) => [name, join(folder, name)] as const);
  await Promise.all(folders.map(([name, target]) => bundle(entries[name], target, plugins[name])));
  return Object.fromEntries(folders) as Record<Name, string>;
}
