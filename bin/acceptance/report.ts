import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type Report, reportText } from "../../lambdas/messages/acceptance/report.ts";
import { calibrationOf } from "../../lib/calibration/calibration.ts";
import { compare } from "../../lib/calibration/expected.ts";
import { measureNames } from "../../lib/calibration/measures.ts";
import { type Run, writeWhole } from "./run-file.ts";
import { compareShapes } from "./shape.ts";

/** File with the shapes and answers of the sandbox, as a run against it takes them; a test keeps it up to date. */
export const SANDBOX_SHAPES = new URL("sandbox-shapes.json", import.meta.url);

type Known = Pick<Run, "shapes" | "answers">;

/** Compares a run's times, shapes and answers with the sandbox's. @param known shapes and answers of the sandbox */
export function reportOf(run: Run, known: Known): Report {
  const times = measureNames.flatMap((name) => {
    const seconds = run.measures[name];
    return seconds === undefined ? [] : [compare(name, seconds, run.windows)];
  });
  const fields = Object.entries(run.shapes).map(([answer, shape]) =>
    compareShapes(answer, shape, known.shapes[answer] ?? {}),
  );
  const answers = Object.entries(run.answers).map(([question, here]) => ({
    question,
    here,
    sandbox: known.answers[question] ?? null,
  }));
  return { times, fields, answers };
}

/**
 * Writes the report of a run, and its calibration file if the run measured something.
 * @param now ISO 8601
 * @returns the report for the terminal, with the names of the files
 */
export function writeReport(folder: string, run: Run, now: string): string {
  const report = reportOf(run, JSON.parse(readFileSync(SANDBOX_SHAPES, "utf8")));
  const { id, windows, instanceType, startedAt, done, failed } = run;
  const path = join(folder, `${id}.report.json`);
  writeWhole(path, { format: 1, id, windows, instanceType, startedAt, reportedAt: now, done, failed, ...report });
  if (report.times.length === 0) return `Report: ${path}`;
  const calibration = join(folder, `${id}.calibration.json`);
  writeWhole(calibration, calibrationOf(run.measures, { windows, instanceType }, now));
  return `${reportText(report)}\n\nReport: ${path}\nTimes for the sandbox: npm start -- --calibration ${calibration}`;
}
