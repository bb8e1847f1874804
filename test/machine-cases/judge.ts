import { expect } from "vitest";
import { type Answers, answersHash, type ObservationVerdict } from "../../lambdas/machine/questions.ts";
import { answersIn, parseResult } from "../../lambdas/machine/result-lines.ts";
import type { MachineCase } from "./case.ts";
import type { Machine } from "./windows.ts";

/** Result of a script under either runner; paths are those of Windows. */
export interface Seen {
  readonly exitCode: number;
  /** Everything that the script printed. */
  readonly stdout: string;
  readonly machine: Machine;
  /** The text of a file, null for none. */
  read(path: string): string | null;
}

/** Hides process ids, which Windows chooses. */
const withoutNumbers = (line: string): string => line.replaceAll(/process \d+/g, "process N");

const lastLine = (stdout: string): string => stdout.trimEnd().split("\n").at(-1) ?? "";

const resultIn = (stdout: string): unknown => JSON.parse(withoutNumbers(lastLine(stdout)));

function judgeFile(text: string | null, wanted: string | RegExp | null): void {
  if (wanted instanceof RegExp) expect(text).toMatch(wanted);
  else expect(text).toBe(wanted);
}

/** Compares the result of a case with the expected one. */
export function judge(one: MachineCase, seen: Seen): void {
  expect(seen.stdout).toMatch(/^[ -~\r\n]*$/);
  // ListCommandInvocations shows 2,500 characters of each machine.
  expect(seen.stdout.length).toBeLessThan(one.script === "apply" ? 2_500 : 24_000);
  if (one.script === "observe") expect(lastLine(seen.stdout).length).toBeLessThan(2_500);
  expect(seen.stdout).not.toContain("canary");
  // Nothing that a script prints is lost or refused where it is parsed.
  if (one.script !== "guard" && one.script !== "registries" && one.exitCode !== 3010)
    expect(parseResult(one.script, JSON.parse(lastLine(seen.stdout)))).toEqual(JSON.parse(lastLine(seen.stdout)));
  if (one.result !== undefined) expect(resultIn(seen.stdout)).toMatchObject(one.result);
  if (one.answers !== undefined) judgeAnswers(seen.stdout, one.answers);
  expect(seen.exitCode).toBe(one.exitCode);
  if (one.after !== undefined) expect(seen.machine).toMatchObject(one.after);
  for (const [path, wanted] of Object.entries(one.left ?? {})) judgeFile(seen.read(path), wanted);
  if (one.events !== undefined) judgeEvents(seen.machine, one.events);
  one.check?.(seen.machine);
}

/** Does the answer name a path, which under PowerShell here is another one? */
const hasPaths = (group: string, answer: object): boolean => group === "paths" || "file" in answer;

/** Compares the answers, and each group's hash in the verdict with that of its answer; paths differ under PowerShell here. */
function judgeAnswers(stdout: string, wanted: Answers | null): void {
  const answers = answersIn(stdout);
  if (wanted === null) expect(answers).toBeUndefined();
  else expect(answers).toMatchObject(wanted);
  const { hashes } = resultIn(stdout) as ObservationVerdict;
  for (const [group, answer] of Object.entries(answers ?? {}))
    if (!hasPaths(group, answer)) expect(hashes, group).toMatchObject({ [group]: answersHash(answer) });
}

function judgeEvents({ events }: Machine, wanted: NonNullable<MachineCase["events"]>): void {
  expect(events.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
  for (const [at, { text }] of wanted.entries()) judgeFile(events[at]?.text ?? null, text);
}

/** Expects a repeated request to change nothing. */
export function judgeSettled(one: MachineCase, seen: Seen, before: Machine): void {
  if (one.script === "apply") expect(resultIn(seen.stdout)).toMatchObject({ ok: true, changed: [] });
  expect(seen.machine.routes).toEqual(before.routes);
}
