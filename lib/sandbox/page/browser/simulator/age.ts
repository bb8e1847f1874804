const UNITS = [
  { letter: "d", seconds: 86_400 },
  { letter: "h", seconds: 3_600 },
  { letter: "m", seconds: 60 },
];

/** Age of a moment in its largest unit: "3d", "5h", "12m", "40s". */
export function ageOf(then: string, now: string): string {
  const seconds = Math.max(0, (Date.parse(now) - Date.parse(then)) / 1_000);
  if (!Number.isFinite(seconds)) return "";
  const unit = UNITS.find((one) => seconds >= one.seconds);
  return unit ? `${Math.floor(seconds / unit.seconds)}${unit.letter}` : `${Math.floor(seconds)}s`;
}
