import { afterEach, describe, expect, test } from "vitest";
import { CANCEL_OPERATION, CONTINUE_DRAIN } from "../../../../lambdas/messages/slack/buttons.ts";
import { eventsOn, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, run, SHORT, unasked } from "../../on-web.ts";
import { allowDisruptions, guardedPod, homeOf, kubectl, podsOn, shortName, web } from "../../others.ts";
import { openly, privately, rowsInLines } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

describe("A drain", () => {
  test("that a budget blocks opens the node again at its deadline, and says what blocks and the command past it", async () => {
    here = await unasked("drain", { drain: { evict: 3, continue: 2 } });
    await guardedPod(here, web);
    const summary = await run(here, `drain ${SHORT} --force ${web.name}`, 60);
    expect((await newest(here)).operation.status).toBe("failed");
    expect(summary).toContain("the node is schedulable again");
    expect(isCordoned(here)).toBe(false);
    expect(openly(here).at(-1)).toMatch(/disruption budgets to allow[\s\S]*--disable-eviction/);
    const { operation, nodes } = await newest(here);
    const { evicted = 0 } = nodes[0] ?? {};
    expect(evicted).toBeGreaterThan(0);
    expect(openly(here).at(-1)).toMatch(new RegExp(`failed at eviction\\* after \\S+, with ${evicted} pods? evicted`));
    await here.type("approver", `/win audit ${operation.id}`);
    await settled(here, 5);
    expect(rowsInLines(privately(here, "approver").at(-1) ?? "")).toMatch(new RegExp(`evicted +.*${evicted} pods?`));
    expect(eventsOn(here, web.name)).toContainEqual(
      expect.stringMatching(new RegExp(`^CasementDrainingFailed ${operation.id} failed at stage evict: `)),
    );
  });

  test("that ends well says so in a last Event on the Node", async () => {
    here = await unasked("drain");
    await run(here, `drain ${SHORT} --force ${web.name}`, 60);
    const { operation } = await newest(here);
    const drained = eventsOn(here, web.name).filter((event) => event.startsWith("CasementDrained"));
    expect(drained).toEqual([expect.stringMatching(new RegExp(`drained by ${operation.id}: \\d+ pods? evicted`))]);
  });

  test("that left a node cordoned loses its label and its annotation, once someone uncordons the node with kubectl", async () => {
    here = await unasked("drain");
    await run(here, `drain ${SHORT} --force ${web.name}`, 60);
    const marks = (): (string | undefined)[] => {
      const { labels, annotations } = nodeNamed(here, web.name)?.metadata ?? {};
      return [
        labels?.["node.kubernetes.io/exclude-from-external-load-balancers"],
        annotations?.["casement.dev/cordoned-by"],
      ];
    };
    await kubectl(here, "PATCH", `/api/v1/nodes/${web.name}`, { spec: { unschedulable: null } });
    expect(marks()).not.toContain(undefined);
    await here.until(() => marks().every((mark) => mark === undefined), 20, "the sweep");
    expect(isCordoned(here)).toBe(false);
  });

  test("that has passed its deadline goes on when its budget is checked again, and ends well once the budget allows it", async () => {
    here = await unasked("drain", { drain: { evict: 2 } });
    await guardedPod(here, web);
    await here.type("operator", `/win drain ${SHORT} --force ${web.name}`);
    await here.until(() => openly(here).at(-1)?.includes("is not drained yet") ?? false, 5, "the question");
    expect(openly(here).at(-1)).toMatch(
      /action required[\s\S]*budget default\/guard needs 1 and has 1[\s\S]*kubectl drain \S+ .*--disable-eviction[\s\S]*\[Give the node back\]\n\[Check the budget again\]/,
    );
    expect(isCordoned(here)).toBe(true);
    await here.press("operator", CONTINUE_DRAIN);
    await here.until(async () => (await newest(here)).nodes[0]?.status === "running", 1, "the drain to go on");
    expect(openly(here).at(-1)).not.toContain("[Check the budget again]");
    await allowDisruptions(here);
    await settled(here, 10);
    const { operation } = await newest(here);
    expect(operation).toMatchObject({ status: "succeeded", summary: expect.stringContaining("is drained") });
    expect(podsOn(here, web)).not.toContain("guarded");
    expect(await heldBack(here)).toEqual([]);
  });

  test("is cancelled by its button, and the node is as before", async () => {
    here = await unasked("drain");
    await guardedPod(here, web);
    await here.type("operator", `/win drain ${SHORT} --force ${web.name}`);
    await here.until(async () => (await newest(here)).nodes[0]?.stage === "evict", 10);
    await here.press("operator", CANCEL_OPERATION);
    await settled(here, 10);
    const { operation } = await newest(here);
    expect(operation.status).toBe("cancelled");
    expect(eventsOn(here, web.name)).toContain(`CasementDrainingCancelled ${operation.id} was cancelled`);
    expect(isCordoned(here)).toBe(false);
    expect(await heldBack(here)).toEqual([]);
  });

  test("leaves a second drain of the same node refused, with the name of the first", async () => {
    here = await unasked("drain");
    const home = homeOf(here, "reports");
    await guardedPod(here, home);
    await here.type("operator", `/win drain ${shortName(home)} --force ${home.name}`);
    await here.until(async () => (await newest(here)).nodes[0]?.stage === "evict", 10);
    await here.type("operator", `/win drain ${shortName(home)} --force ${home.name}`);
    await here.until(
      () => openly(here).some((text) => /cannot be drained: `drain-\w+` is working on it/.test(text)),
      5,
    );
  });
});
