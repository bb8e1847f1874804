import { defaultFigures, type FigureName, type Figures, type Span } from "../sandbox/core/figures.ts";
import { type Composition, compositions, type MeasureName, type Measures } from "./measures.ts";

/** Seconds, least and most. */
export type Expected = readonly [least: number, most: number];

/** A measured time and the time that the sandbox takes. */
export interface Comparison {
  readonly name: MeasureName;
  readonly seconds: number;
  /** Null if the sandbox has no figure for the measured time. */
  readonly expected: Expected | null;
  /** Measured time divided by the middle of the expected range; null without an expected range. */
  readonly ratio: number | null;
}

/** Selects the figure for a release of Windows. */
export const figureFor = (name: FigureName, windows: string): FigureName =>
  name === "featureList" && windows === "2025" ? "featureListOn2025" : name;

const middle = ([least, most]: readonly [number, number]): number => (least + most) / 2;

/** Adds up the seconds of a composition's parts, only for the figures that `accepts` selects. */
function sum(
  { parts }: Composition,
  { figures, windows, accepts }: { figures: Figures; windows: string; accepts: (name: FigureName) => boolean },
): Expected {
  const spans = Object.entries(parts as Readonly<Record<FigureName, number>>)
    .filter(([name]) => accepts(name as FigureName))
    .map(
      ([name, times]) =>
        figures[figureFor(name as FigureName, windows)].map((ms) => (ms * times) / 1_000) as unknown as Span,
    );
  return [spans.reduce((all, [least]) => all + least, 0), spans.reduce((all, [, most]) => all + most, 0)];
}

/** Computes the time that the sandbox takes, in seconds. @returns null for a stage that has no row */
export function expectedOf(name: MeasureName, windows: string, figures: Figures = defaultFigures): Expected | null {
  const composition = compositions[name];
  if (!composition) return null;
  const [least, most] = sum(composition, { figures, windows, accepts: () => true });
  return [composition.rest[0] + least, composition.rest[1] + most];
}

/** Compares a measured time with the sandbox's. */
export function compare(name: MeasureName, seconds: number, windows: string): Comparison {
  const expected = expectedOf(name, windows);
  const ratio = expected && middle(expected) > 0 ? Math.round((seconds / middle(expected)) * 100) / 100 : null;
  return { name, seconds, expected, ratio };
}

/** A single measurement shows no spread, so the sandbox varies it by a tenth. */
const VARIES = 0.1;

/** Limits of a correction: a measured time changes a figure to between a hundredth and a hundred times its value. */
const FACTORS = [0.01, 100] as const;

const scaled = (span: Span, factor: number): Span => [
  Math.round(middle(span) * factor * (1 - VARIES)),
  Math.round(middle(span) * factor * (1 + VARIES)),
];

/** Order in which figures are corrected: a figure that is part of another measured time is corrected first. */
const order: readonly MeasureName[] = [
  "route.powershell",
  "provision.launch",
  "provision.agent",
  "provision.guard",
  "reboot.reboot",
  "provision.features",
  "provision.payload",
  "provision.network",
  "remove.terminate",
];

function corrected(figures: Figures, composition: Composition, seconds: number, windows: string): Partial<Figures> {
  const { corrects = [], rest } = composition;
  const own = middle(sum(composition, { figures, windows, accepts: (name) => corrects.includes(name) }));
  const others =
    middle(sum(composition, { figures, windows, accepts: (name) => !corrects.includes(name) })) + middle(rest);
  const factor = Math.min(FACTORS[1], Math.max(FACTORS[0], (seconds - others) / own));
  return Object.fromEntries(
    corrects.map((name) => figureFor(name, windows)).map((name) => [name, scaled(figures[name], factor)]),
  );
}

/**
 * Corrects the figures of the sandbox by measured times.
 * @returns only the figures that were measured
 */
export function figuresFrom(measures: Measures, windows: string): Partial<Figures> {
  let known: Partial<Figures> = {};
  for (const name of order) {
    const [seconds, composition] = [measures[name], compositions[name]];
    if (seconds === undefined || !composition) continue;
    known = { ...known, ...corrected({ ...defaultFigures, ...known }, composition, seconds, windows) };
  }
  return known;
}
