import { z } from "zod";
import { defaultFigures, type Figures, figureNames } from "../sandbox/core/figures.ts";
import { figuresFrom } from "./expected.ts";
import { type Measures, measureNames } from "./measures.ts";

const MS = z.int().min(0).max(86_400_000);

const span = z
  .tuple([MS, MS])
  .refine(([low, high]) => low <= high, "the first time of the two must not be the longer one");

const spans = Object.fromEntries(figureNames.map((name) => [name, span.optional()]));

/** Schema of a calibration file: measured figures of the simulator, each as its shortest and longest time in ms. */
const calibrationSchema = z.strictObject({
  casement: z.literal("calibration"),
  version: z.literal(1),
  measuredAt: z.iso.datetime(),
  /** Release of Windows Server, such as "2025". */
  windows: z.string(),
  instanceType: z.string(),
  figures: z.strictObject(spans),
  /** Measured times in seconds. */
  measured: z.partialRecord(z.enum(measureNames), z.number().min(0)),
});

/** Content of a calibration file. */
export type Calibration = z.infer<typeof calibrationSchema>;

/** The machine that was measured. */
export interface MeasuredMachine {
  readonly windows: string;
  readonly instanceType: string;
}

/** Makes the calibration file of a run. @param measuredAt ISO 8601 */
export const calibrationOf = (measures: Measures, machine: MeasuredMachine, measuredAt: string): Calibration =>
  calibrationSchema.parse({
    casement: "calibration",
    version: 1,
    measuredAt,
    ...machine,
    figures: figuresFrom(measures, machine.windows),
    measured: measures,
  });

/**
 * Reads the text of a calibration file.
 * @returns every figure of the simulator; the default for a figure that the file omits
 * @throws Error that names the place in the file and the fault
 */
export function figuresIn(text: string): Figures {
  const read = z.safeParse(calibrationSchema, jsonIn(text));
  if (read.success) return { ...defaultFigures, ...(read.data.figures as Partial<Figures>) };
  const [issue] = read.error.issues;
  throw new Error(`${issue?.path.join(".") || "the file"}: ${issue?.message}`);
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("it is not JSON");
  }
}
