import { afterEach, describe, expect, test } from "vitest";
import { heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { forcedDrain, isCordoned, outcomeOf, SHORT, unasked } from "../../on-web.ts";
import { guardedPod, kubectl, running, stateOf, web } from "../../others.ts";
import { openly, privately } from "../../reading.ts";
import { ask, withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const run = (command: string): Promise<readonly [string, string]> => outcomeOf(here, command);

const annotate = (url: string, annotations: object): Promise<void> =>
  kubectl(here, "PATCH", url, { metadata: { annotations } });

test("A hold of a Linux node is refused, because Casement disturbs nothing there", async () => {
  here = await unasked("drain");
  const { length } = openly(here);
  await here.type("operator", '/win hold ip-10-0-0-20 --reason "kernel"');
  await here.pass(1);
  expect(privately(here, "operator").at(-1)).toMatch(/`ip-10-0-0-20\S+` is a Linux node.* nothing to hold\./);
  expect(openly(here)).toHaveLength(length);
});

describe("A freeze", () => {
  test("of a pool refuses what disturbs its nodes, stands above the list of nodes, and ends with thaw", async () => {
    here = await unasked("drain");
    const [set, words] = await run('/win freeze web --reason "release night" --for 4h');
    expect([set, words]).toEqual([
      "succeeded",
      expect.stringMatching(/^Pool `web` is frozen until .* UTC; `\/win thaw web` ends it earlier/),
    ]);
    expect(await run(forcedDrain)).toEqual([
      "refused",
      expect.stringMatching(/pool `web` is frozen until .* by olivia \(release night\).*`\/win thaw web`/),
    ]);
    await here.type("operator", "/win nodes");
    await here.pass(1);
    expect(privately(here, "operator").at(-1)).toMatch(/🧊 Pool `web` is frozen until[\s\S]*release night/);
    expect(await run("/win thaw web")).toEqual(["succeeded", "Pool `web` is no longer frozen."]);
    expect(await run("/win thaw web")).toEqual(["succeeded", "Pool `web` was not frozen. Nothing was changed."]);
    expect((await run(forcedDrain))[0]).toBe("succeeded");
  });

  test("ends by itself when its time is over", async () => {
    here = await unasked("drain");
    await run('/win freeze --reason "deploy" --for 5m');
    expect((await run("/win thaw web"))[1]).toMatch(
      /was not frozen\. Nothing was changed\. But the cluster is frozen until/,
    );
    expect((await run(forcedDrain))[0]).toBe("refused");
    await here.pass(6);
    expect((await run(forcedDrain))[0]).toBe("succeeded");
  });

  test("in the middle of a drain stops it before its next eviction, and the node is given back", async () => {
    here = await unasked("drain");
    await guardedPod(here, web);
    await here.type("operator", forcedDrain);
    await here.until(async () => (await newest(here)).nodes[0]?.stage === "evict", 10);
    const { id } = (await newest(here)).operation;
    await here.type("operator", '/win freeze --reason "incident"');
    await settled(here, 20);
    const [stopped] = (await here.operations()).filter((operation) => operation.id === id);
    expect(stopped?.status).toBe("failed");
    expect(openly(here)[0]).toMatch(/the cluster is frozen by olivia \(incident\)/);
    expect(isCordoned(here)).toBe(false);
    expect(running(here, "guarded")).toBe(1);
    expect(await heldBack(here)).toEqual([]);
  });

  test("by the annotation on the Namespace holds too, and its owner takes it off", async () => {
    here = await unasked("drain");
    await annotate("/api/v1/namespaces/casement", { "casement.dev/freeze": "audit week" });
    const [status, words] = await run(forcedDrain);
    expect([status, words]).toEqual(["refused", expect.stringMatching(/audit week.*remove the annotation/)]);
    await annotate("/api/v1/namespaces/casement", { "casement.dev/freeze": null });
    expect((await run(forcedDrain))[0]).toBe("succeeded");
  });

  test("keeps a removal from its instance", async () => {
    here = await withSeedNodes();
    await run('/win freeze --reason "incident"');
    await ask(here, SHORT);
    await settled(here, 20);
    expect((await newest(here)).operation).toMatchObject({
      status: "refused",
      summary: expect.stringContaining("incident"),
    });
    expect(stateOf(here, web)).toBe("running");
  });

  test("without a reason, or with a time that cannot be read, is told in private how it is typed", async () => {
    here = await withSeedNodes();
    expect((await run("/win freeze"))[0]).toBe("not-started");
    expect(privately(here, "operator").at(-1)).toContain("A freeze requires a reason");
    expect((await run('/win freeze --reason "x" --for soon'))[0]).toBe("not-started");
    expect(privately(here, "operator").at(-1)).toContain("`soon` is not a valid duration");
  });
});

describe("A hold", () => {
  test("of a node keeps it, and leaves others alone; unhold ends it", async () => {
    here = await unasked("drain");
    expect(await run(`/win hold ${SHORT} --reason "disk"`)).toEqual([
      "succeeded",
      expect.stringContaining(`\`${web.name}\` is held`),
    ]);
    const [status, words] = await run(forcedDrain);
    expect([status, words]).toEqual(["refused", expect.stringMatching(/is held by olivia \(disk\)/)]);
    // A cordon disturbs no pod.
    expect((await run(`/win cordon ${SHORT}`))[0]).toBe("succeeded");
    expect((await run(`/win unhold ${SHORT}`))[0]).toBe("succeeded");
    expect((await run(forcedDrain))[0]).toBe("succeeded");
  });

  test("by an annotation on the Node holds too, with its value as the reason", async () => {
    here = await unasked("drain");
    await annotate(`/api/v1/nodes/${web.name}`, { "casement.dev/hold": "kernel dump" });
    const [status, words] = await run(forcedDrain);
    expect([status, words]).toEqual([
      "refused",
      expect.stringMatching(/is held by the annotation casement.dev\/hold.*kernel dump/),
    ]);
  });
});
