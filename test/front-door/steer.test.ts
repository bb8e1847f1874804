import { describe, expect, test } from "vitest";
import type { RolloutCourse } from "../../lambdas/records/steering.ts";
import { operationRecord } from "../messages/records.ts";
import { frontDoorInMemory } from "./front-door-in-memory.ts";
import { buttonPress } from "./signed.ts";

const ID = "reboot-3f9c2a71";
const paused = { by: null, at: "2026-11-21T10:00:00.000Z", why: "win-1 failed" };
const course: RolloutCourse = { paused: null, part: 1, parkedAt: null, heard: null };

/** A front door beside a rollout that is under way. */
function withRollout(change: Partial<RolloutCourse> = {}, endedAt: string | null = null) {
  const driver = frontDoorInMemory();
  const request = {
    command: "reboot",
    targets: { kind: "pool", pool: "web" },
    dryRun: false,
    canary: false,
  } as const;
  const rollout = { ...course, ...change };
  const callbacks = { watch: "callback-watch" };
  driver.memory.operations.set(ID, operationRecord({ id: ID, request, rollout, endedAt, callbacks }));
  driver.memory.callbacks.set("callback-watch", "waiting");
  return driver;
}

describe("pause and resume", () => {
  test("write the wish down and wake the rollout, which judges and acts", async () => {
    const { memory, type } = withRollout();
    expect(await type(`pause ${ID}`)).toContain(`\`${ID}\` is being paused`);
    expect(memory.operations.get(ID)?.steering).toMatchObject({ decision: "pause", userId: "U0OPERATOR" });
    expect(memory.callbacks.get("callback-watch")).toEqual({});
    expect(memory.starts).toEqual([]);
  });

  test("carry the number of nodes that may be unavailable, by command and by button", async () => {
    const { memory, type, send } = withRollout({ paused });
    await type(`resume ${ID} --unavailable 2`);
    expect(memory.operations.get(ID)?.steering).toMatchObject({ decision: "resume", unavailable: 2 });
    await send(buttonPress("resume-with-more", `${ID}:3`));
    expect(memory.operations.get(ID)?.steering).toMatchObject({ decision: "resume", unavailable: 3 });
  });

  test("a resumption changes nothing of a rollout that is not paused, and takes a pause back that it has not heard", async () => {
    const { memory, type } = withRollout();
    expect(await type(`resume ${ID} --unavailable 2`)).toContain(`\`${ID}\` is not paused. Nothing was changed`);
    expect(memory.operations.get(ID)?.steering).toBeUndefined();
    await type(`pause ${ID}`);
    expect(await type(`resume ${ID}`, { trigger_id: "9.9.9" })).toContain("is being resumed");
  });

  test("say of a rollout whose slots are taken that it may stay paused", async () => {
    const taken = { pool: "web", most: 1, away: ["win-1"] };
    const { type } = withRollout({ paused: { by: null, at: "2026-11-21T10:00:00.000Z", why: "win-1 failed", taken } });
    expect(await type(`resume ${ID}`)).toContain("goes on unless its pool is frozen or has no free slot");
    expect(await type(`resume ${ID} --unavailable 2`)).toContain("is being resumed. Its message shows");
  });

  test("start the next execution of a rollout that waits without one, once for two presses", async () => {
    const { memory, type } = withRollout({ parkedAt: "2026-11-21T10:00:00.000Z", part: 2 });
    await type(`resume ${ID}`);
    await type(`resume ${ID}`, { trigger_id: "9.9.9" });
    expect(memory.executions.size).toBe(1);
    expect([...memory.executions.values()][0]).toMatchObject({
      workflow: "reboot-nodes",
      payload: { operation: ID, continues: 3 },
    });
  });

  test("are answered kindly where there is nothing to pause", async () => {
    const { memory, type } = withRollout({}, "2026-11-21T10:00:00.000Z");
    memory.operations.set("add-3f9c2a71", operationRecord({ id: "add-3f9c2a71" }));
    expect(await type(`pause ${ID}`)).toContain("has already ended");
    expect(await type("pause add-3f9c2a71")).toContain("nothing to pause or resume. To stop it: `/win cancel add-");
    expect(await type("resume reboot-00000000")).toContain("not found");
    expect(memory.operations.get(ID)?.steering).toBeUndefined();
  });

  test("name no way to stop an operation that has ended, whatever kind it is", async () => {
    const { memory, type } = withRollout();
    const ended = { endedAt: "2026-11-21T10:00:00.000Z", status: "refused", summary: "It is a Linux node." } as const;
    memory.operations.set("drain-3f9c2a71", operationRecord({ id: "drain-3f9c2a71", ...ended }));
    const said = await type("pause drain-3f9c2a71");
    expect(said).toContain("`drain-3f9c2a71` has already ended (🚫 refused). It is a Linux node.");
    expect(said).not.toContain("/win cancel");
  });

  test("a cancellation starts the next execution of a rollout that waits without one", async () => {
    const { memory, type } = withRollout({ parkedAt: "2026-11-21T10:00:00.000Z" });
    await type(`cancel ${ID}`);
    expect([...memory.executions.values()]).toMatchObject([{ workflow: "reboot-nodes", payload: { continues: 2 } }]);
  });
});
