import { code, some } from "../slack/text.ts";
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

/** Builds the text of a finding about something that does not work. */
export const broken = (area: Area, says: string, remedy: string): FindingText => ({
  area,
  level: "broken",
  says,
  remedy,
});

/** Builds the text of a finding about something that still works, but soon will not. */
export const warning = (area: Area, says: string, remedy: string): FindingText => ({
  area,
  level: "warning",
  says,
  remedy,
});

/** Builds the text of a finding that is worth knowing and needs no remedy. */
export const note = (area: Area, says: string, remedy: string): FindingText => ({ area, level: "note", says, remedy });

/** Lists names as code; more than eight are counted. */
export const list = (names: readonly string[]): string => some(names.map(code), 8);
