import { install, installed, obstacle, type Release, releases } from "./releases.ts";
import { installSquid } from "./squid-package.ts";

/** The last line that a failed command wrote. */
const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim().split("\n").at(-1) ?? "";

function prepare(release: Release): string {
  const { suite, version, isRequired } = release;
  try {
    return install(release).version;
  } catch (error) {
    const known = installed(release);
    if (known) return known.version;
    const sentence = `containerd ${version} could not be installed from Debian's ${suite}: ${reasonOf(error)}`;
    if (isRequired) throw new Error(sentence);
    return `no other (skipped: ${sentence})`;
  }
}

/** Installs the containerds; prints one line about those that answer, or why the lane is skipped. */
export function setup(): void {
  const reason = obstacle();
  if (reason) console.info(`skipped: ${reason}, so no containerd answered the vectors`);
  else {
    const versions = releases.map(prepare).join(" and ");
    console.info(`The vectors are answered by containerd ${versions}; ${installSquid()} is the proxy.`);
  }
}
