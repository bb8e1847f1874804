import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CACHE, run } from "./releases.ts";

const folder = join(CACHE, "squid");
const PROGRAM = "usr/sbin/squid";

/** Root below which Squid's files are, as Debian lays them out; undefined before it is installed. */
export const squidRoot = (): string | undefined => ["/", folder].find((root) => existsSync(join(root, PROGRAM)));

/**
 * Downloads Debian's Squid with the libraries that this machine lacks. They are unpacked beside each other: nothing is
 * installed on the machine itself.
 */
function download(into: string): void {
  const archives = join(into, "archives");
  mkdirSync(join(archives, "partial"), { recursive: true });
  const options = ["-qq", "-o", `Dir::Cache::archives=${archives}`, "-o", "APT::Sandbox::User=root"];
  const words = [...options, "install", "--yes", "--download-only", "--no-install-recommends", "squid"];
  try {
    run("apt-get", words);
  } catch {
    // A machine's lists of packages may be missing, or name versions that the archive no longer has.
    run("apt-get", ["-qq", "update"]);
    run("apt-get", words);
  }
  for (const name of readdirSync(archives).filter((one) => one.endsWith(".deb")))
    run("dpkg-deb", ["-x", join(archives, name), join(into, "root")]);
}

/**
 * Unpacks Squid into the cache, unless it is there.
 * @returns its name with its version
 * @throws Error if Debian does not offer it
 */
export function installSquid(): string {
  if (squidRoot() === undefined) {
    mkdirSync(CACHE, { recursive: true });
    // Another run may install at the same time: each has a folder of its own until it is complete.
    const own = mkdtempSync(`${folder}-`);
    try {
      download(own);
      rmSync(folder, { recursive: true, force: true });
      renameSync(join(own, "root"), folder);
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
  }
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
  return run("env", [...words, join(root, PROGRAM), "-v"]);
}
