import { execFileSync } from "node:child_process";

/** Environment that switches off PowerShell's colours and telemetry. */
export const QUIET = { NO_COLOR: "1", TERM: "dumb", POWERSHELL_TELEMETRY_OPTOUT: "1" };

/** PowerShell 7, if this machine has it: CASEMENT_PWSH names it, or it is on PATH. */
export const pwsh: string | undefined = [process.env.CASEMENT_PWSH, "pwsh"].find((candidate) => {
  if (!candidate) return false;
  try {
    execFileSync(candidate, ["-NoProfile", "-Version"], { env: { ...process.env, ...QUIET }, stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
});
