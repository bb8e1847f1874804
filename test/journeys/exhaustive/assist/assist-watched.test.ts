import { afterEach, describe, expect, test } from "vitest";
import { MACHINES } from "../../../../lambdas/records/ledger-table.ts";
import { assist, EDGE, typed } from "../../assisting.ts";
import { calls, denied, expectSound, heldBack, ledgerItems, newest, nodeNamed } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { edge, otherWeb, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { openly } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const ofEdge = { instanceId: edge.instanceId };
const images = {
  "2025": "mcr.microsoft.com/windows/servercore:ltsc2025",
  linux: "docker.io/library/busybox:1.37",
};
/** Hours pass, in which no other schedule matters here. */
const schedules = ["reboots", "probe"] as const;
const unasked = { approvals: { reboot: { needs: 0 } } };

const bootIdOf = (name: string): string | undefined => nodeNamed(here, name)?.status?.nodeInfo?.bootID;
const boots = (): string[] => openly(here).filter((text) => text.includes("Casement did not order it"));
const dead = (): string[] => openly(here).filter((text) => text.includes("pods on it do not work"));

interface Sent {
  readonly documentName: string;
  readonly comment: string;
  readonly instanceIds: readonly string[];
}

/** Machines to which the scheduled look has sent its command. */
const looked = (): ReadonlySet<string> =>
  new Set(
    [...here.simulator.simulation.store.collection<Sent>("ssm-commands").values()]
      .filter(({ comment }) => comment.includes("reboots "))
      .flatMap(({ instanceIds }) => instanceIds),
  );

/** The part of a record that holds what a look has seen. */
interface Seen {
  readonly expiresAt: { readonly N: string };
}

/** Instances of which the ledger keeps what a scheduled look has seen. */
async function remembered(): Promise<unknown[]> {
  const now = Date.now() / 1_000;
  return (await ledgerItems(here))
    .filter(({ pk, seen }) => pk?.S === MACHINES && Number((seen?.M as Seen | undefined)?.expiresAt.N) > now)
    .map(({ sk }) => sk?.S);
}

const waitsForReboot = (): string => injectFault(here, "reboot-pending", { ...ofEdge, reason: "windows-update" }, 1);

describe("The scheduled look at boots", () => {
  test("leaves a machine of another owner alone until it is assisted, and shows then what waits for a reboot", async () => {
    here = await withSeedNodes({ configuration: unasked, schedules });
    waitsForReboot();
    await here.pass(45);
    expect(looked().has(web.instanceId)).toBe(true);
    expect(looked().has(edge.instanceId)).toBe(false);
    expect(await typed(here, "nodes", 5)).not.toContain("REBOOT DUE");

    await assist(here);
    await here.pass(45);
    expect(looked().has(edge.instanceId)).toBe(true);
    expect(await typed(here, "nodes", 5)).toMatch(new RegExp(`${EDGE} .*update`));
    expect(await typed(here, `node ${EDGE}`, 5)).toContain("Reboot due: Windows Update");
    expect(denied(here)).toEqual([]);
    await expectSound(here);
  });

  test("tells of a boot of an assisted machine once, and never of one that Casement ordered", async () => {
    here = await withSeedNodes({ configuration: unasked, schedules });
    await assist(here);
    await here.pass(45);
    await typed(here, `reboot ${EDGE}`);
    expect((await newest(here)).operation.status).toBe("succeeded");
    await here.pass(75);
    expect(boots()).toEqual([]);

    injectFault(here, "boots-by-itself", { ...ofEdge, how: "windows-update" }, 1);
    await here.pass(75);
    expect(boots()).toEqual([expect.stringContaining("Windows Update restarted it")]);
    expect(boots()[0]).toContain(edge.name);
  });

  test("forgets a machine whose assistance ended, so that no boot of a time of its owner's is told later", async () => {
    here = await withSeedNodes({ configuration: unasked, schedules });
    await assist(here);
    waitsForReboot();
    await here.pass(45);
    expect(await remembered()).toContain(edge.instanceId);
    await typed(here, `assist ${EDGE} --end`);
    expect(await remembered()).not.toContain(edge.instanceId);
    injectFault(here, "boots-by-itself", { ...ofEdge, how: "person" }, 1);
    await here.pass(75);
    expect(await remembered()).toEqual(expect.arrayContaining([web.instanceId]));
    expect(await remembered()).not.toContain(edge.instanceId);
    expect(boots()).toEqual([]);
    expect(await typed(here, "nodes", 5)).not.toContain("REBOOT DUE");
  });
});

describe("The command for all that wait for a reboot", () => {
  test("reboots an assisted node with the others, and says nothing of a node that is only observed", async () => {
    here = await withSeedNodes({ configuration: unasked, schedules });
    const none = await typed(here, "reboot --due", 30);
    expect(none).toContain("No Windows node waits for a reboot");
    expect(none).not.toContain(edge.name);

    await assist(here);
    waitsForReboot();
    await here.pass(40);
    const before = [edge, web, otherWeb].map(({ name }) => bootIdOf(name));
    await typed(here, "reboot --due");
    expect((await newest(here)).operation).toMatchObject({
      status: "succeeded",
      summary: "1 of 1 node is rebooted and proven.",
    });
    const after = [edge, web, otherWeb].map(({ name }) => bootIdOf(name));
    expect(after.map((boot, at) => boot === before[at])).toEqual([false, true, true]);
    expect(await heldBack(here)).toEqual([]);
    expect(denied(here)).toEqual([]);
    await expectSound(here);
  });
});

describe("The data plane", () => {
  /** Time in which each node had its turn. */
  const aRound = 6 * 60 + 40;
  const withImages = () => withSeedNodes({ configuration: { ...unasked, probe: { images } }, schedules });

  test("of a node of another owner is tried by schedule once it is assisted, with the image of its kubelet's build", async () => {
    here = await withImages();
    injectFault(here, "data-plane-dead", ofEdge);
    await here.pass(aRound);
    expect(dead()).toEqual([]);
    await assist(here);
    await here.until(() => dead().length > 0, aRound, "the card");
    expect(dead()).toEqual([expect.stringContaining(edge.name)]);
    expect(denied(here)).toEqual([]);
  });

  test("of an assisted node is part of the proof of its reboot", async () => {
    here = await withImages();
    await assist(here);
    await typed(here, `reboot ${EDGE}`);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(calls(here, "kubernetes", "create pods").length).toBeGreaterThan(0);
    injectFault(here, "data-plane-dead", ofEdge);
    await typed(here, `reboot ${EDGE}`);
    const { operation, nodes } = await newest(here);
    expect(operation.status).toBe("failed");
    expect(nodes[0]?.failure).toMatchObject({ stage: "prove" });
    expect(nodeNamed(here, edge.name)?.spec?.unschedulable).toBe(true);
  });
});
