import { execFileSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";

/** Environment that switches off PowerShell's colours and telemetry. */
export const QUIET = { NO_COLOR: "1", TERM: "dumb", POWERSHELL_TELEMETRY_OPTOUT: "1" };

/** The PowerShell that the lane installs on a machine that has none. */
export const VERSION = "7.6.9";

/** The folder of that PowerShell, outside the tree. */
export const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "casement", `powershell-${VERSION}`);

/** Finds PowerShell 7: CASEMENT_PWSH names it, or it is on PATH, or the lane has installed it. */
export const findPwsh = (): string | undefined =>
  [process.env.CASEMENT_PWSH, "pwsh", join(CACHE, "pwsh")].find((candidate) => {
    if (!candidate) return false;
    try {
      execFileSync(candidate, ["-NoProfile", "-Version"], { env: { ...process.env, ...QUIET }, stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  });

/** PowerShell 7 of this machine; `setup.ts` has installed it before the first test, where that is possible. */
export const pwsh = findPwsh();
