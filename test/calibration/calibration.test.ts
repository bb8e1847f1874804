import { describe, expect, it } from "vitest";
import { calibrationOf, figuresIn } from "../../lib/calibration/calibration.ts";
import { compare, expectedOf, figuresFrom } from "../../lib/calibration/expected.ts";
import { compositions, type MeasureName, type Measures, measureNames } from "../../lib/calibration/measures.ts";
import { defaultFigures, type FigureName, type Figures } from "../../lib/sandbox/core/figures.ts";

const machine = { windows: "2022", instanceType: "m6i.xlarge" };
const at = "2026-11-24T05:00:00.000Z";
const middle = ([least, most]: readonly [number, number]): number => (least + most) / 2;

/** Times of a run in which everything takes exactly the middle of the figures. */
const measured = (figures: Figures, windows = "2022"): Measures =>
  Object.fromEntries(measureNames.map((name) => [name, middle(expectedOf(name, windows, figures) ?? [0, 0])]));

describe("times that an acceptance run measures", () => {
  it("have a row for each stage, so that a report can compare it", () => {
    expect(measureNames.filter((name) => !(name in compositions))).toEqual([]);
  });

  it("are compared with the middle of what the sandbox takes", () => {
    expect(compare("provision.launch", 47, "2022")).toEqual({
      name: "provision.launch",
      seconds: 47,
      expected: [10, 37],
      ratio: 2,
    });
    expect(middle(expectedOf("provision.guard", "2025") ?? [0, 0])).toBeGreaterThan(
      middle(expectedOf("provision.guard", "2022") ?? [0, 0]),
    );
  });
});

describe("figures from measured times", () => {
  it("are the sandbox's own where everything took as long as there", () => {
    for (const [name, [low, high]] of Object.entries(figuresFrom(measured(defaultFigures), "2022"))) {
      const own = middle(defaultFigures[name as FigureName]);
      expect.soft(low, name).toBeCloseTo(own * 0.9, -1);
      expect.soft(high, name).toBeCloseTo(own * 1.1, -1);
    }
  });

  it("find a slower launch, first boot, reboot and termination again, each by itself", () => {
    const slow = { ...defaultFigures };
    for (const name of ["launch", "specialize", "outOfBox", "laterBoot", "shutdown", "terminate"] as const)
      slow[name] = defaultFigures[name].map((ms) => ms * 3) as unknown as Figures[FigureName];
    const found = { ...defaultFigures, ...figuresFrom(measured(slow), "2022") };
    for (const name of ["launch", "laterBoot", "shutdown", "terminate"] as const)
      expect.soft(middle(found[name]), name).toBeCloseTo(middle(slow[name]), -2);
    expect(middle(found.featureInstall)).toBeCloseTo(middle(defaultFigures.featureInstall), -2);
    expect(middle(expectedOf("provision.agent", "2022", found) ?? [0, 0])).toBeCloseTo(
      middle(expectedOf("provision.agent", "2022", slow) ?? [0, 0]),
      0,
    );
  });

  it("keep what was not measured, and never become nothing or less", () => {
    expect(figuresFrom({}, "2022")).toEqual({});
    const { launch } = figuresFrom({ "provision.launch": 0 }, "2022");
    expect(launch?.[0]).toBeGreaterThan(0);
  });

  it("correct the list of features of the release that was measured", () => {
    expect(figuresFrom({ "provision.guard": 400 }, "2025")).toHaveProperty("featureListOn2025");
    expect(figuresFrom({ "provision.guard": 400 }, "2022")).not.toHaveProperty("featureListOn2025");
  });
});

describe("a calibration file", () => {
  const file = calibrationOf({ "provision.launch": 47, "remove.terminate": 90 }, machine, at);

  it("is read as it was written, with the defaults of all that it does not say", () => {
    const figures = figuresIn(JSON.stringify(file));
    expect(figures).toEqual({ ...defaultFigures, ...file.figures });
    expect(figures.launch).toEqual([36_000, 44_000]);
    expect(figures.laterBoot).toEqual(defaultFigures.laterBoot);
  });

  it.for<[string, object | string, string]>([
    ["no JSON", "{", "it is not JSON"],
    ["another version", { ...file, version: 2 }, "version: "],
    ["an unknown figure", { ...file, figures: { lunch: [1, 2] } }, 'figures: Unrecognized key: "lunch"'],
    ["times in the wrong order", { ...file, figures: { launch: [2, 1] } }, "figures.launch: the first time"],
    ["a negative time", { ...file, figures: { launch: [-1, 1] } }, "figures.launch.0: "],
    ["an unknown stage", { ...file, measured: { "provision.lunch": 1 } }, "measured"],
    ["another key", { ...file, secret: "x" }, 'the file: Unrecognized key: "secret"'],
  ])("with %s is refused by its place", ([, content, words]) => {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    expect(() => figuresIn(text)).toThrow(words);
  });

  it("has a measured time for every name that the schema takes", () => {
    const all: Partial<Record<MeasureName, number>> = Object.fromEntries(measureNames.map((name) => [name, 1]));
    expect(calibrationOf(all, machine, at).measured).toEqual(all);
  });
});
