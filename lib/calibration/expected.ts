import { defaultFigures, type FigureName, type Figures, type Span } from "../sandbox/core/figures.ts";
import { type Composition, compositions, type MeasureName, type Measures } from "./measures.ts";

/** Seconds, least and most. */
export type Expected = readonly [least: number, most: number];

/** A measured time beside what the sandbox takes. */
export interface Compared {
  readonly name: MeasureName;
  readonly seconds: number;
  /** Null where the sandbox has no figure for it. */
  readonly expected: Expected | null;
  /** Measured time over the middle of the expected one; null without an expected one. */
  readonly ratio: number | null;
}

/** The figure as it is for a release of Windows. */
export const figureFor = (name: FigureName, windows: string): FigureName =>
  name === "featureList" && windows === "2025" ? "featureListOn2025" : name;

const middle = ([least, most]: readonly [number, number]): number => (least + most) / 2;

/** Seconds that the parts of a composition take, of those figures alone that `counts` names. */
function sum(
  { parts }: Composition,
  { figures, windows, counts }: { figures: Figures; windows: string; counts: (name: FigureName) => boolean },
): Expected {
  const spans = Object.entries(parts as Readonly<Record<FigureName, number>>)
    .filter(([name]) => counts(name as FigureName))
    .map(
      ([name, times]) =>
        figures[figureFor(name as FigureName, windows)].map((ms) => (ms * times) / 1_000) as unknown as Span,
    );
  return [spans.reduce((all, [least]) => all + least, 0), spans.reduce((all, [, most]) => all + most, 0)];
}

/** Time that the sandbox takes, in seconds. @returns null for a stage that has no row */
export function expectedOf(name: MeasureName, windows: string, figures: Figures = defaultFigures): Expected | null {
  const composition = compositions[name];
  if (!composition) return null;
  const [least, most] = sum(composition, { figures, windows, counts: () => true });
  return [composition.rest[0] + least, composition.rest[1] + most];
}

/** Compares a measured time with the sandbox's. */
export function compare(name: MeasureName, seconds: number, windows: string): Compared {
  const expected = expectedOf(name, windows);
  const ratio = expected && middle(expected) > 0 ? Math.round((seconds / middle(expected)) * 100) / 100 : null;
  return { name, seconds, expected, ratio };
}

/** One measurement says how long it took this time: the sandbox varies it by a tenth. */
const VARIES = 0.1;

/** A measured time may correct a figure to a hundredth or a hundredfold of it, not to nothing. */
const FACTORS = [0.01, 100] as const;

const scaled = (span: Span, factor: number): Span => [
  Math.round(middle(span) * factor * (1 - VARIES)),
  Math.round(middle(span) * factor * (1 + VARIES)),
];

/** Order in which figures are corrected: one that is part of another measured time comes before it. */
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
  const own = middle(sum(composition, { figures, windows, counts: (name) => corrects.includes(name) }));
  const others =
    middle(sum(composition, { figures, windows, counts: (name) => !corrects.includes(name) })) + middle(rest);
  const factor = Math.min(FACTORS[1], Math.max(FACTORS[0], (seconds - others) / own));
  return Object.fromEntries(
    corrects.map((name) => figureFor(name, windows)).map((name) => [name, scaled(figures[name], factor)]),
  );
}

/**
 * Figures of the sandbox as measured times correct them.
 * @returns those alone that were measured
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
