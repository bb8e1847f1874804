import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { NAMESPACES } from "./containerd.ts";

/** A containerd that the lane runs: of which Debian it is taken, and how its version begins. */
export interface Release {
  readonly suite: string;
  readonly version: string;
  /** Does the lane fail where it cannot be had? */
  readonly isRequired: boolean;
}

/**
 * The containerd that nodes run, and the one that they may run next. Between 1.7.24 and 1.7.27, which the payload brings, the resolver differs
 * in one of its own tests.
 */
export const releases: readonly Release[] = [
  { suite: "trixie", version: "1.7.24", isRequired: true },
  { suite: "testing", version: "2", isRequired: false },
];

/** Folder of everything that the lane unpacks. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "casement");

/** Folder in which a package is unpacked, outside the tree. */
const folderOf = ({ suite }: Release): string => join(CACHE, `containerd-${suite}`);

const ARCHIVE = "http://deb.debian.org/debian";
const KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg";
const INSTALL_LIMIT_MS = 120_000;
const DAY_MS = 24 * 3600 * 1000;

/** Runs a program for at most two minutes. @throws Error with what it printed */
export function run(program: string, words: readonly string[], cwd?: string): string {
  return execFileSync(program, words, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: INSTALL_LIMIT_MS,
  });
}

const works = (program: string, ...words: string[]): boolean => {
  try {
    run(program, words);
    return true;
  } catch {
    return false;
  }
};

/** Tells why this machine cannot run the lane; undefined when it can. */
export function obstacle(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "containerd needs Linux and root";
  const missing = ["apt-get", "dpkg-deb", "unshare", "mount", "ip"].find((tool) => !works("which", tool));
  if (missing) return `${missing} is missing`;
  return works("unshare", ...NAMESPACES, "true") ? undefined : "unshare may not make namespaces here";
}

/** A containerd that is installed. */
export interface Installed {
  readonly program: string;
  readonly version: string;
}

/** Finds a release where it has been unpacked. */
export function installed(release: Release): Installed | undefined {
  const program = join(folderOf(release), "usr/bin/containerd");
  if (!existsSync(program)) return undefined;
  const [version] = /\b\d+\.\d+\.\d+/.exec(run(program, ["--version"])) ?? [];
  return version?.startsWith(release.version) ? { program, version } : undefined;
}

/** Does what is unpacked still do? A version that is not named whole is looked for anew every day. */
const isFresh = (release: Release): boolean =>
  installed(release) !== undefined && (release.isRequired || Date.now() - statSync(folderOf(release)).mtimeMs < DAY_MS);

/** Downloads the package by apt, with a list of its own: this machine's sources stay as they are. */
function download({ suite }: Release, folder: string): void {
  const list = join(folder, "sources.list");
  writeFileSync(list, `deb [signed-by=${KEYRING}] ${ARCHIVE} ${suite} main\n`);
  for (const name of ["lists/partial", "cache/archives/partial"]) mkdirSync(join(folder, name), { recursive: true });
  const options = [
    `Dir::Etc::sourcelist=${list}`,
    "Dir::Etc::sourceparts=-",
    `Dir::State::lists=${join(folder, "lists")}`,
    `Dir::Cache=${join(folder, "cache")}`,
    "APT::Sandbox::User=root",
    "APT::Update::Error-Mode=any",
    "Acquire::Languages=none",
    "Acquire::Retries=1",
    "Acquire::http::Timeout=20",
  ].flatMap((option) => ["-o", option]);
  run("apt-get", [...options, "-qq", "update"], folder);
  run("apt-get", [...options, "-qq", "download", "containerd"], folder);
}

/**
 * Installs a release into the cache, unless it is there.
 * @throws Error when Debian does not give it, or gives another version
 */
export function install(release: Release): Installed {
  const folder = folderOf(release);
  if (!isFresh(release)) {
    mkdirSync(dirname(folder), { recursive: true });
    // Another run may install at the same time: each has a folder of its own until it is complete.
    const own = mkdtempSync(`${folder}-`);
    try {
      download(release, own);
      run("sh", ["-c", "dpkg-deb -x containerd_*.deb root"], own);
      rmSync(folder, { recursive: true, force: true });
      renameSync(join(own, "root"), folder);
      // The package's own time is that of its making.
      utimesSync(folder, new Date(), new Date());
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
  }
  const found = installed(release);
  if (!found) throw new Error(`Debian's ${release.suite} has no containerd ${release.version} any more`);
  return found;
}
