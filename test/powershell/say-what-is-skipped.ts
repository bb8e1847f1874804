import { pwsh } from "./pwsh.ts";

/** Prints one line about the suites that are skipped without PowerShell. */
export function setup(): void {
  if (pwsh) return;
  console.info(
    "skipped: no pwsh is on PATH or in CASEMENT_PWSH, so none of our scripts was run; their cases ran on the simulated machine alone",
  );
}
