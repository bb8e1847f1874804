import { rm } from "node:fs/promises";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";
import { frontDoorPlugins } from "./bundle-front-door.ts";

/** Defines `require` in an ES module, because bundled CommonJS packages call it for Node's own modules. */
const REQUIRE = 'import{createRequire as $require}from"node:module";const require=$require(import.meta.url);';

/**
 * Bundles a handler for deployment: one folder whose `index.mjs` exports `handler`.
 * @param entry the handler's file
 * @param folder output folder, which is emptied first
 * @param more plugins that only this handler's bundle needs
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
    charset: "utf8",
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

/** Plugins for the handlers whose bundle needs some. */
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
