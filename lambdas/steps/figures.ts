import { FIGURES, figureLine } from "../messages/figures.ts";
import type { World } from "./world.ts";

/** Past Node's console, which would put a date and an id before the line. */
const standardOutput = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

/** Figures that alarms watch. */
export const figures = ({ settings, now, log = standardOutput }: World) => ({
  /** How many days the cluster credential still counts. */
  credentialDays: (days: number): void => log(figureLine(settings.cluster, FIGURES.credentialDays, days, now())),
});
