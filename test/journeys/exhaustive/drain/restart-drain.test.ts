import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned } from "../../on-web.ts";
import { podsOn, web } from "../../others.ts";
import { inThreads, openly } from "../../reading.ts";
import { type Moment, type Restarts, recordRestarts, remover } from "../../restarts.ts";

const evicted = { service: "kubernetes", action: "create pods/eviction", principal: remover } as const;
const since = "the node was cordoned";

const moments: readonly Moment[] = [
  { after: "the question was posted", service: "slack", action: "chat.postMessage", count: 1 },
  { after: "the votes were counted", service: "slack", action: "chat.update", count: 1 },
  {
    after: "the pool was looked at for a slot",
    service: "kubernetes",
    action: "list nodes",
    principal: remover,
    count: 2,
    since: "the votes were counted",
  },
  { after: "the node was cordoned", service: "kubernetes", action: "patch nodes", principal: remover, count: 1 },
  { after: "the first pod was evicted", ...evicted, count: 1, since },
  { after: "the last pod was evicted", ...evicted, count: 3, since },
];

describe("a process that dies during a drain and is started again on its files", () => {
  let restarts: Restarts;
  let here: Journey | undefined;

  beforeAll(async () => {
    restarts = await recordRestarts({ seedNodes: true }, moments, async (first) => {
      await first.type("operator", `/win drain ip-10-0-3-7 --force ${web.name}`);
      await first.until(() => /\[Approve\]/.test(openly(first).at(-1) ?? ""), 5, "the question");
      await first.press("approver", APPROVE_OPERATION);
      await settled(first, 60);
    });
  });
  afterEach(async () => {
    await here?.close();
    here = undefined;
  });
  afterAll(() => restarts.end());

  test.each(moments)("right after $after, drains the node once", async ({ after }) => {
    here = await restarts.from(after);
    if ((await newest(here)).operation.approval?.state === "open") await here.press("approver", APPROVE_OPERATION);
    await settled(here, 90);
    const { operation } = await newest(here);
    expect(operation).toMatchObject({
      status: "succeeded",
      summary: expect.stringContaining("is drained: 3 pods evicted"),
    });
    expect(isCordoned(here)).toBe(true);
    expect(nodeNamed(here, web.name)?.metadata?.labels).toHaveProperty([
      "node.kubernetes.io/exclude-from-external-load-balancers",
    ]);
    expect(podsOn(here, web).filter((name) => !/^(windows-|kube-|node-|ovn)/.test(name))).toEqual([]);
    expect(await heldBack(here)).toEqual([]);
    expect(openly(here)).toHaveLength(1);
    const told = inThreads(here);
    expect(new Set(told).size).toBe(told.length);
  });
});
