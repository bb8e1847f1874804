import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type DebianPackage, packageRoot, unpackPackage } from "./debian-package.ts";
import { run } from "./releases.ts";

const squid: DebianPackage = { name: "squid", program: "usr/sbin/squid" };

/** Root below which Squid's files are, as Debian lays them out; undefined before it is installed. */
export const squidRoot = (): string | undefined => packageRoot(squid);

/**
 * Unpacks Squid into the cache, unless it is there.
 * @returns its name with its version
 * @throws Error if Debian does not offer it
 */
export function installSquid(): string {
  unpackPackage(squid);
  const version = /Version (\S+)/.exec(squidVersion())?.[1];
  return `Squid ${version ?? "of an unknown version"}`;
}

/** Environment in which an unpacked Squid finds its libraries. */
export const squidEnvironment = (root: string): Readonly<Record<string, string>> => {
  const folders = ["usr/lib", "lib"]
    .map((name) => join(root, name))
    .filter(existsSync)
    .flatMap((parent) => readdirSync(parent).flatMap((name) => (/-linux-gnu/.test(name) ? [join(parent, name)] : [])));
  return { PATH: process.env.PATH ?? "", LD_LIBRARY_PATH: folders.join(":") };
};

function squidVersion(): string {
  const root = squidRoot() ?? "/";
  const words = Object.entries(squidEnvironment(root)).map(([name, value]) => `${name}=${value}`);
  return run("env", [...words, join(root, squid.program), "-v"]);
}
