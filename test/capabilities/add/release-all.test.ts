import { afterAll, beforeAll, expect, it } from "vitest";
import { releaseAll } from "../../../lambdas/capabilities/add/task.ts";
import { callLog, taskOn } from "../../change/a-task.ts";
import { run, setUp, tearDown } from "../../engine/durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

it("The lease is released although Secrets Manager refuses to delete the join secret", async () => {
  const log = callLog();
  const leases = { release: async () => void log.entries.push("release the lease") };
  const joinSecret = {
    remove: async () => {
      throw Object.assign(new Error("not authorized"), { name: "AccessDeniedException" });
    },
  };
  const ended = await run((ctx) => releaseAll(taskOn(ctx, log, { leases, joinSecret })));
  expect(ended.error?.message).toContain("not authorized");
  expect(log.entries).toEqual(["give back the join slot", "release the lease"]);
});
