import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hasNews, type InputWatch, isBlocked, openQuestions } from "../../lambdas/steps/input-watches.ts";
import { START, type TestSimulator, testSimulator } from "./test-simulator.ts";

let simulator: TestSimulator;
beforeEach(async () => {
  simulator = await testSimulator();
});
afterEach(() => simulator.close());

const watch = () => simulator.as("reconcile").inputWatches.of("mirrors");

describe("The schedule of an input", () => {
  it("begins empty", async () => {
    expect(await watch().read()).toEqual({
      ...{
        tick: "",
        news: null,
        isTold: false,
        comparedAt: 0,
        operation: null,
        blocked: null,
        stored: null,
        storedAt: 0,
      },
      ...{ remarks: [], asked: [], accepted: [], secretKey: "", denied: [], question: null },
    });
  });

  it("reports a refused input once, also when a tick is repeated, and then that it can be read again", async () => {
    expect(await watch().note("tick-1", "refused")).toBe("bad");
    expect(await watch().note("tick-1", "refused")).toBe("bad");
    expect(await watch().note("tick-2", "refused")).toBeNull();
    const none = { remarks: [], asked: [] };
    expect((await watch().noteRead(await watch().read(), "tick-3", none)).news).toBe("well");
    expect((await watch().noteRead(await watch().read(), "tick-3", none)).news).toBe("well");
    expect((await watch().noteRead(await watch().read(), "tick-4", none)).news).toBeNull();
  });

  it("reports nothing while the API server is busy", async () => {
    expect(await watch().note("tick-1", "busy")).toBeNull();
    expect(await watch().read()).toMatchObject({ tick: "tick-1", isTold: false, news: null });
  });

  it("returns each remark once", async () => {
    const read = async (tick: string, remarks: string[]) =>
      (await watch().noteRead(await watch().read(), tick, { remarks, asked: [] })).remarks;
    expect(await read("tick-1", ["one"])).toEqual(["one"]);
    expect(await read("tick-2", ["one"])).toEqual([]);
    expect(await read("tick-3", ["one", "two"])).toEqual(["two"]);
    expect(await watch().read()).toMatchObject({ remarks: ["one", "two"] });
  });

  it("lets one operation change nodes until it has ended", async () => {
    const runs = async () => false;
    expect(await watch().claim("reconcile-1", runs)).toBe(true);
    expect(await watch().claim("reconcile-1", runs)).toBe(true);
    expect(await watch().claim("reconcile-2", runs)).toBe(false);
    expect(await watch().claim("reconcile-2", async (other) => other === "reconcile-1")).toBe(true);
    expect(await watch().read()).toMatchObject({ operation: "reconcile-2" });
  });

  it("records what was compared, stored and blocked, with its time", async () => {
    await watch().noteComparison();
    await watch().noteStored("sha-1");
    const blocked = { sha256: "sha-1", instanceId: "i-1", until: START + 1 };
    await watch().block(blocked);
    expect(await watch().read()).toMatchObject({ comparedAt: START, stored: "sha-1", storedAt: START, blocked });
  });

  it("keeps one key for the hash of its secret", async () => {
    const key = await watch().secretKey();
    expect(Buffer.from(key, "base64")).toHaveLength(32);
    expect(await watch().secretKey()).toBe(key);
  });
});

describe("Questions about parts of an input", () => {
  it("stand until the parts are others, and are recorded by the first who asks", async () => {
    await watch().noteAsked({ asked: ["a", "b"], approvable: ["a", "b"] });
    const question = { operation: "trust-1", keys: ["a", "b"], askedAt: START };
    expect(await watch().noteQuestion(question, null)).toBe(true);
    expect(await watch().noteQuestion({ ...question, operation: "trust-2" }, null)).toBe(false);
    expect(await watch().noteQuestion({ ...question, operation: "trust-3" }, question)).toBe(true);
    expect((await watch().noteAsked({ asked: ["b", "a"], approvable: ["a", "b"] })).question?.operation).toBe(
      "trust-3",
    );
    expect((await watch().noteAsked({ asked: ["a"], approvable: ["a"] })).question).toBeNull();
  });

  it("are answered part by part, once each, and asked again when a person says so", async () => {
    await watch().noteAsked({ asked: ["a", "b"], approvable: ["a", "b"] });
    await watch().noteQuestion({ operation: "trust-1", keys: ["a", "b"], askedAt: START }, null);
    await watch().decide("approved", ["a"]);
    await watch().decide("approved", ["a"]);
    await watch().decide("denied", ["b"]);
    expect(await watch().read()).toMatchObject({ accepted: ["a"], denied: ["b"] });
    await watch().askAgain();
    expect(await watch().read()).toMatchObject({ accepted: ["a"], denied: [], question: { askedAt: 0 } });
  });

  it("are accepted together", async () => {
    await watch().accept();
    await watch().noteRead(await watch().read(), "tick-1", { remarks: ["a fault", "May it?"], asked: ["a"] });
    expect([...openQuestions(await watch().read())]).toEqual([["a", "May it?"]]);
    await watch().accept();
    expect(await watch().read()).toMatchObject({ accepted: ["a"], asked: [] });
  });
});

it("a content is blocked by its hash, until its time", () => {
  const blocked = { sha256: "sha-1", instanceId: "i-1", until: 10 };
  expect(isBlocked({ blocked }, "sha-1", 9)).toBe(true);
  expect(isBlocked({ blocked }, "sha-1", 10)).toBe(false);
  expect(isBlocked({ blocked }, "sha-2", 9)).toBe(false);
  expect(isBlocked({ blocked: { ...blocked, until: null } }, "sha-1", 99)).toBe(true);
  expect(isBlocked({ blocked: null }, "sha-1", 9)).toBe(false);
});

it.each([
  [{ isTold: false, remarks: ["one"] }, false],
  [{ isTold: true, remarks: ["one"] }, true],
  [{ isTold: false, remarks: [] }, true],
])("people hear of other remarks, and of an input that can be read again: %j", (seen, isNew) => {
  expect(hasNews(seen as unknown as InputWatch, ["one"])).toBe(isNew);
});
