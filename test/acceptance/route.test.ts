import { describe, expect, it } from "vitest";
import { tryGuard } from "../../bin/acceptance/route.ts";
import type { Run } from "../../bin/acceptance/run-file.ts";
import type { Scene } from "../../bin/acceptance/scene.ts";

const MINUTE = 60_000;
const run = { id: "acc-1", operations: { add: "add-1" } } as Run;

/** A scene whose machine no operation of the run added, and whose lease the given operation holds for some minutes. */
function sceneWith(heldMinutes: number) {
  let now = 0;
  const polls: number[] = [];
  const scene = {
    place: { cluster: "prod" },
    now: async () => now,
    pause: async () => {
      now += MINUTE;
    },
    leases: {
      holder: async () => {
        polls.push(now);
        return now < heldMinutes * MINUTE ? "reconcile-7" : undefined;
      },
    },
    instances: { describe: async () => undefined },
  } as unknown as Scene;
  return { scene, polls };
}

describe("the trial of the guard", () => {
  it("waits for an operation that a schedule has begun on the new node", async () => {
    const { scene, polls } = sceneWith(2);
    await expect(tryGuard(scene, run, "i-1")).rejects.toThrow("i-1 is not a running instance with the tags of add-1");
    expect(polls).toEqual([0, MINUTE, 2 * MINUTE]);
  });

  it("names the operation that does not end, and touches nothing", async () => {
    await expect(tryGuard(sceneWith(99).scene, run, "i-1")).rejects.toThrow(
      "reconcile-7 works on i-1: it is not touched",
    );
  });
});
