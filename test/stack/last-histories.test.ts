import { describe, expect, it } from "vitest";
import { workflowNames } from "../../lib/functions.ts";
import { type History, lastHistories, type RecordedOperation } from "./histories.ts";
import { type HistoryException, historyExceptions, THE_END } from "./history-exceptions.ts";
import { firstDifference } from "./replay.ts";

const histories = lastHistories();

const exceptionOf = ({ name }: History): HistoryException | undefined =>
  historyExceptions.find(({ history }) => history === name);

const placeOf = ({ operations }: History, { from }: HistoryException): number =>
  from === THE_END ? operations.length : operations.findIndex(({ name }) => name === from);

// Where this fails, give the function and its steps the names and the order that they had, or, if the change is meant, name it in
// history-exceptions.ts with its reason.
describe("an execution of the last release", { tags: ["long"] }, () => {
  it.each(histories)("goes on with today's code: $name", async (history) => {
    const exception = exceptionOf(history);
    const until = exception ? placeOf(history, exception) : undefined;
    const difference = await firstDifference(history, until);
    expect(difference, difference ?? "").toBeNull();
  });

  it("is known of every workflow that the last release had, whose names stay", () => {
    const known = new Set(histories.map((history) => history.function));
    expect([...known].filter((name) => !workflowNames.includes(name))).toEqual([]);
  });

  it.each(historyExceptions)("goes another way from $from on: $history", async (exception) => {
    const history = histories.find(({ name }) => name === exception.history) as History;
    const place = exception.from === THE_END ? `${THE_END}:` : `operation ${placeOf(history, exception) + 1} of`;
    expect(await firstDifference(history)).toContain(place);
  });
});

const freeze = histories.find(({ name }) => name === "freeze and hold, and what they refuse: stop-changes") as History;

/** A history whose operations are others, under the ids that the engine gives by place. */
const recordedAs = (change: (operations: readonly RecordedOperation[]) => readonly RecordedOperation[]): History => ({
  ...freeze,
  operations: change(freeze.operations).map((operation, at) => ({
    ...operation,
    id: freeze.operations[at]?.id ?? "one-more",
  })),
});

describe("a replay", { tags: ["long"] }, () => {
  const [, , third, fourth] = freeze.operations as RecordedOperation[];
  const more = { ...(third as RecordedOperation), name: "one more" };
  const asked = (at: number) => `STEP "${freeze.operations[at]?.name}"`;

  it.each([
    ["renamed", recordedAs((all) => all.with(2, more)), 3, 'STEP "one more"', asked(2)],
    ["reordered", recordedAs((all) => all.with(2, fourth as never).with(3, third as never)), 3, asked(3), asked(2)],
    ["inserted", recordedAs((all) => all.toSpliced(2, 1)), 3, asked(3), asked(2)],
    ["dropped", recordedAs((all) => all.toSpliced(2, 0, more)), 3, 'STEP "one more"', asked(2)],
  ])("names the operation where a step was %s", async (_, history, at, expected, got) => {
    const place = `operation ${at} of ${history.operations.length}`;
    expect(await firstDifference(history)).toBe(
      `stop-changes, history "${freeze.name}", ${place}: expected ${expected}, got ${got}`,
    );
  });

  it("names the operation that is asked for after the last one, and an end that is another", async () => {
    const last = freeze.operations.at(-1);
    const longer = await firstDifference({ ...freeze, operations: freeze.operations.slice(0, -1) });
    expect(longer).toContain(`the end: expected the end ["SUCCEEDED",null], got STEP "${last?.name}"`);
    const other = await firstDifference({ ...freeze, status: "FAILED" });
    expect(other).toMatch(/the end: expected the end \["FAILED".*got the end .*"SUCCEEDED"/);
  });
});
