import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { CACHE, findPwsh, VERSION } from "./pwsh.ts";

const INSTALL_LIMIT_MS = 10 * 60_000;

const quiet = { DOTNET_CLI_TELEMETRY_OPTOUT: "1", DOTNET_NOLOGO: "1", DOTNET_CLI_HOME: homedir() };

/** The SDK of .NET can install tools; its runtime alone cannot. */
function hasDotnet(): boolean {
  try {
    return execFileSync("dotnet", ["--list-sdks"], { env: { ...process.env, ...quiet }, encoding: "utf8" }) !== "";
  } catch {
    return false;
  }
}

/**
 * Installs PowerShell from NuGet into the cache, as a tool of .NET.
 * @throws Error when NuGet does not give it, or this .NET cannot run it
 */
function install(): void {
  mkdirSync(dirname(CACHE), { recursive: true });
  // Another run may install at the same time: each has a folder of its own until it is complete.
  const folder = mkdtempSync(`${CACHE}-`);
  try {
    const words = ["tool", "install", "PowerShell", "--version", VERSION, "--tool-path", join(folder, "tool")];
    execFileSync("dotnet", words, {
      cwd: folder,
      env: { ...process.env, ...quiet },
      stdio: ["ignore", "ignore", "inherit"],
      timeout: INSTALL_LIMIT_MS,
    });
    const [program] = globSync("tool/.store/**/unix/pwsh.dll", { cwd: folder });
    if (!program) throw new Error(`the package PowerShell ${VERSION} has no program for Unix`);
    // The tool's own launcher starts PowerShell as a child process, which outlives it when a test kills the launcher.
    const launcher = `#!/bin/sh\nexec dotnet "$(dirname "$0")/${program}" "$@"\n`;
    writeFileSync(join(folder, "pwsh"), launcher, { mode: 0o755 });
    if (findPwsh()) return;
    rmSync(CACHE, { recursive: true, force: true });
    renameSync(folder, CACHE);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Installs PowerShell where it is missing and .NET is there; prints one line when that is so or the lane is skipped. */
export function setup(): void {
  if (findPwsh()) return;
  if (hasDotnet()) {
    install();
    console.info(`PowerShell ${VERSION} was missing: it is installed in ${CACHE}`);
    return;
  }
  console.info(
    "skipped: there is neither pwsh (on PATH or in CASEMENT_PWSH) nor the .NET SDK to install it with, so no script ran under PowerShell; their cases ran on the simulated machine alone",
  );
}
