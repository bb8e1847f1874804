import type { Area, Level } from "./finding.ts";

/** Words of a finding. */
export interface Words {
  readonly area: Area;
  readonly level: Level;
  /** The fault, without a full stop. */
  readonly says: string;
  /** The remedy that a person can apply, without a full stop. */
  readonly remedy: string;
}

/** Words of something that will not work. */
export const broken = (area: Area, says: string, remedy: string): Words => ({ area, level: "broken", says, remedy });

/** Words of something that works now and will not for long. */
export const warning = (area: Area, says: string, remedy: string): Words => ({ area, level: "warning", says, remedy });

/** Words of something that works as it must and is worth knowing. */
export const note = (area: Area, says: string, remedy: string): Words => ({ area, level: "note", says, remedy });
