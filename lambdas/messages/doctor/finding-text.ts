import type { Area, Level } from "./finding.ts";

/** Text of a finding. */
export interface FindingText {
  readonly area: Area;
  readonly level: Level;
  /** The problem, without a full stop. */
  readonly says: string;
  /** The remedy that a person can apply, without a full stop. */
  readonly remedy: string;
}

/** Text of a finding that something does not work. */
export const broken = (area: Area, says: string, remedy: string): FindingText => ({
  area,
  level: "broken",
  says,
  remedy,
});

/** Text of a finding that something works now and soon will not. */
export const warning = (area: Area, says: string, remedy: string): FindingText => ({
  area,
  level: "warning",
  says,
  remedy,
});

/** Text of a finding that needs no remedy and is worth knowing. */
export const note = (area: Area, says: string, remedy: string): FindingText => ({ area, level: "note", says, remedy });
