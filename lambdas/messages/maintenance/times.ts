import { localAt, weekdayOf } from "../../time/zones.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

const two = (figure: number): string => String(figure).padStart(2, "0");

/** "Sat 28 Nov 2026, 22:00" */
function shown(at: number, timeZone: string): string {
  const { year, month, day, hour, minute } = localAt(timeZone, at);
  const weekday = weekdayOf({ year, month, day });
  return `${weekday} ${day} ${MONTHS[month - 1]} ${year}, ${two(hour)}:${two(minute)}`;
}

/** A moment with its time zone: "Sat 28 Nov 2026, 22:00 Europe/Berlin". @param at milliseconds since the epoch */
export const zonedTime = (at: number, timeZone: string): string => `${shown(at, timeZone)} ${timeZone}`;

/** A slot: "Sat 28 Nov 2026, 22:00 to Sun 29 Nov 2026, 04:00 Europe/Berlin"; "from … on" for one without an end. */
export const slotTimes = (from: number, until: number | null, timeZone: string): string =>
  until === null ? `from ${zonedTime(from, timeZone)} on` : `${shown(from, timeZone)} to ${zonedTime(until, timeZone)}`;
