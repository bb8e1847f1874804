import type { MachineFacts } from "./facts.ts";

/** Milliseconds by which AWS lets the time of a signed request be wrong (IAM user guide, "Signature Version 4 errors"). */
export const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** Milliseconds by which the clock of a machine that answered is ahead of Casement's; negative if it is behind. */
export const clockAhead = ({ verdict, at }: Pick<MachineFacts, "verdict" | "at">): number =>
  verdict.clock * 1_000 - Date.parse(at);
