import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { CACHE, run } from "./releases.ts";

/** A package of this machine's Debian that the lane runs, by the path of its program. */
export interface DebianPackage {
  readonly name: string;
  readonly program: string;
}

/** Root below which the package's files are, as Debian lays them out; undefined before it is unpacked. */
export const packageRoot = ({ name, program }: DebianPackage): string | undefined =>
  ["/", join(CACHE, name)].find((root) => existsSync(join(root, program)));

/**
 * Downloads a package with the libraries that this machine lacks. They are unpacked beside each other: nothing is
 * installed on the machine itself.
 */
function download(name: string, into: string): void {
  const archives = join(into, "archives");
  mkdirSync(join(archives, "partial"), { recursive: true });
  const options = ["-qq", "-o", `Dir::Cache::archives=${archives}`, "-o", "APT::Sandbox::User=root"];
  const words = [...options, "install", "--yes", "--download-only", "--no-install-recommends", name];
  try {
    run("apt-get", words);
  } catch {
    // A machine's lists of packages may be missing, or name versions that the archive no longer has.
    run("apt-get", ["-qq", "update"]);
    run("apt-get", words);
  }
  for (const archive of readdirSync(archives).filter((one) => one.endsWith(".deb")))
    run("dpkg-deb", ["-x", join(archives, archive), join(into, "root")]);
}

/**
 * Unpacks a package into the cache, unless it is there.
 * @throws Error if Debian does not offer it
 */
export function unpackPackage(debian: DebianPackage): void {
  if (packageRoot(debian) !== undefined) return;
  const folder = join(CACHE, debian.name);
  mkdirSync(CACHE, { recursive: true });
  // Another run may unpack at the same time: each has a folder of its own until it is complete.
  const own = mkdtempSync(`${folder}-`);
  try {
    download(debian.name, own);
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(own, "root"), folder);
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
}
