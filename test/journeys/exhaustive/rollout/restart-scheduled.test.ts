import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { passTo } from "../../maintenance.ts";
import { isCordoned } from "../../on-web.ts";
import { web } from "../../others.ts";
import { openly } from "../../reading.ts";
import { type Moment, type Restarts, recordRestarts, remover } from "../../restarts.ts";

const since = "its message says that it waits";
const asAct = { service: "kubernetes", principal: remover } as const;

const moments: readonly Moment[] = [
  { after: "the votes were counted", service: "slack", action: "chat.update", count: 1 },
  { after: since, service: "slack", action: "chat.update", count: 2 },
  { after: "the schedule started it", service: "lambda", action: "Invoke", principal: "sweep", count: 1, since },
  { after: "the plan was judged again", ...asAct, action: "list nodes", count: 1, since },
  { after: "the node was cordoned", ...asAct, action: "patch nodes", count: 1, since },
];

describe("a process that dies around the start of a drain that waited, and is started again on its files", () => {
  let restarts: Restarts;
  let here: Journey | undefined;

  beforeAll(async () => {
    restarts = await recordRestarts({ seedNodes: true }, moments, async (first) => {
      await first.type("operator", `/win drain ip-10-0-3-7 --force ${web.name} --at "Sat 04:10"`);
      await first.until(() => /\[Approve\]/.test(openly(first).at(-1) ?? ""), 5, "the question");
      await first.press("approver", APPROVE_OPERATION);
      await passTo(first, "2026-11-21T04:16");
      await settled(first, 60);
    });
  }, 240_000);
  afterEach(async () => {
    await here?.close();
    here = undefined;
  });
  afterAll(() => restarts.end());

  test.each(moments)("right after $after, drains the node once and not before its time", async ({ after }) => {
    here = await restarts.from(after);
    if ((await newest(here)).operation.approval?.state === "open") await here.press("approver", APPROVE_OPERATION);
    await passTo(here, "2026-11-21T04:16");
    await settled(here, 90);
    const { operation, nodes } = await newest(here);
    expect(operation).toMatchObject({ status: "succeeded", approval: { asking: 1 }, scheduled: { part: 2 } });
    expect(Date.parse(nodes[0]?.startedAt ?? "")).toBeGreaterThanOrEqual(Date.parse("2026-11-21T04:10:00Z"));
    expect(nodes).toHaveLength(1);
    expect(isCordoned(here)).toBe(true);
    expect(await heldBack(here)).toEqual([]);
    expect(openly(here)).toHaveLength(1);
  });
});
