import { describe, expect, test } from "vitest";
import { postMachineEvents } from "../../../lambdas/capabilities/reboot-watch/machine-events.ts";
import { postNews } from "../../../lambdas/capabilities/reboot-watch/news.ts";
import { offerReboots } from "../../../lambdas/capabilities/reboot-watch/offer-reboots.ts";
import { postStrays } from "../../../lambdas/capabilities/reboot-watch/strays.ts";
import { postTroubles } from "../../../lambdas/capabilities/reboot-watch/troubles.ts";
import { startingTaint } from "../../../lambdas/cluster/node-keys.ts";
import type { SeenTrouble } from "../../../lambdas/machine/seen-troubles.ts";
import type { MachineEvent } from "../../../lambdas/records/machine-event.ts";
import type { Stray } from "../../../lambdas/records/stray.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { channel, clusterOf, machineOf, nodeFor } from "./posted.ts";

const rules = async () => configurationWith();
const nobodyHolds = { holder: async () => undefined };

describe("Troubles that looks have found", () => {
  const disk = { kind: "disk-low", since: "2026-11-21T14:00:00.000Z", mark: "look-1" } as const;
  const seen = (instanceId: string, troubles?: readonly SeenTrouble[]) =>
    [instanceId, { instanceId, node: `node of ${instanceId}`, troubles }] as const;
  const postedOf = async (...machines: ReturnType<typeof seen>[]) => {
    const { posted, thread } = channel();
    const noted: string[] = [];
    const all = async () => new Map(machines);
    const notePosted = async (instanceId: string, name: string, ts: string) =>
      void noted.push(`${instanceId} ${name} ${ts}`);
    await postTroubles(verbs({ thread, runtime: { rules }, machines: { seen: { all, notePosted } } }));
    return { posted, noted };
  };

  test("are one message for several machines, once, and one at their end", async () => {
    const found = await postedOf(
      seen("i-2", [disk]),
      seen("i-1", [disk]),
      seen("i-3", [{ ...disk, mark: "look-0", isPosted: true }]),
      seen("i-4", [{ ...disk, isPosted: true, endedBy: "look-2" }]),
      seen("i-5"),
    );
    expect(found).toEqual({
      posted: [
        "look-1 disk-low: ⚠️ The system drive has less than 10 GB free on 2 nodes: `node of i-1`, `node of i-2`.",
        "look-2 disk-low ended: ✅ The system drive has more than 10 GB free again on `node of i-4`.",
      ],
      noted: ["i-2 disk-low 1.0", "i-1 disk-low 1.0", "i-4 disk-low 2.0"],
    });
  });

  const stopped = (service: string): SeenTrouble => ({ ...disk, kind: "service-stopped", service });
  const [proxy, csi] = [stopped("kube-proxy"), stopped("csi-proxy")];

  test("of one machine are one card, and those of several machines with the same cause another", async () => {
    const found = await postedOf(seen("i-1", [proxy, csi, disk]), seen("i-2", [disk]));
    expect(found.posted).toEqual([
      expect.stringMatching(
        /^look-1 service-stopped kube-proxy, service-stopped csi-proxy: ⚠️ \*2 problems\* on `node of i-1`:/,
      ),
      expect.stringMatching(/^look-1 disk-low: ⚠️ The system drive .* on 2 nodes/),
    ]);
    expect(found.noted.toSorted()).toEqual([
      "i-1 disk-low 2.0",
      "i-1 service-stopped csi-proxy 1.0",
      "i-1 service-stopped kube-proxy 1.0",
      "i-2 disk-low 2.0",
    ]);
  });

  test("are the same card when the execution that posted it died before it noted all of them", async () => {
    const whole = await postedOf(seen("i-1", [proxy, csi]), seen("i-2", [proxy, csi]));
    const rest = await postedOf(seen("i-1", [{ ...proxy, isPosted: true }, csi]), seen("i-2", [proxy, csi]));
    expect(rest.posted).toEqual(whole.posted);
  });

  test("that have ended on one machine are one card too", async () => {
    const over = { isPosted: true, endedBy: "look-2" } as const;
    const { posted } = await postedOf(
      seen("i-1", [
        { ...proxy, ...over },
        { ...csi, ...over },
      ]),
    );
    expect(posted).toEqual([expect.stringMatching(/ended: ✅ \*2 problems\* solved on `node of i-1`:/)]);
  });

  test("are not posted when there are none", async () => {
    expect(await postedOf(seen("i-1", []))).toEqual({ posted: [], noted: [] });
  });
});

describe("A proxy that waits for a reboot", () => {
  const seen = (instanceId: string, more: object = {}) =>
    [instanceId, { instanceId, node: `node of ${instanceId}`, reasons: ["proxy"], ...more }] as const;
  const given = (instanceId: string, sha256: string) => [instanceId, { proxy: { sha256 } }] as const;
  const cluster = clusterOf(
    ["i-1", "i-2", "i-3", "i-4"].map((id) => machineOf(id)),
    [],
  );
  const offered = async (machines: readonly (readonly [string, object])[], ...contents: ReturnType<typeof given>[]) => {
    const { posted, thread } = channel();
    const noted: string[] = [];
    const verb = {
      seen: {
        all: async () => new Map(machines),
        noteOffer: async (instanceId: string, content: string) => void noted.push(`${instanceId} ${content}`),
      },
      given: { all: async () => new Map(contents) },
    };
    await offerReboots(verbs({ thread, machines: verb }), cluster);
    return { posted: posted.map((text) => text.split(":")[0]), noted };
  };

  test("is offered once for a pool and a content", async () => {
    const all = [seen("i-1"), seen("i-2"), seen("i-3", { reasons: [] }), seen("i-9")];
    const contents = ["i-1", "i-2", "i-3", "i-9"].map((id) => given(id, "aaa"));
    expect(await offered(all, ...contents)).toEqual({ posted: ["proxy web aaa"], noted: ["i-1 aaa", "i-2 aaa"] });
  });

  test("is noted of a further machine without another message", async () => {
    const all = [seen("i-1", { offered: "aaa" }), seen("i-2"), seen("i-4", { offered: "aaa" })];
    expect(await offered(all, given("i-1", "aaa"), given("i-2", "aaa"), given("i-4", "bbb"))).toEqual({
      posted: ["proxy web bbb"],
      noted: ["i-2 aaa", "i-4 bbb"],
    });
  });

  test("is not offered of a machine that was given none", async () => {
    expect(await offered([seen("i-1")])).toEqual({ posted: [], noted: [] });
  });
});

describe("Machines that are no full nodes", () => {
  const taint = { key: startingTaint.key, effect: "NoSchedule" };
  const left = (instanceId: string) => ({ instanceId, pool: "web", state: "left" });
  const look = async (before: readonly Stray[], { holder = nobodyHolds.holder, listed = true, kept = false } = {}) => {
    const { posted, thread } = channel();
    const keeps: (readonly Stray[])[] = [];
    const strays = { posted: async () => before, keep: async (all: readonly Stray[]) => void keeps.push(all) };
    const machines = [
      machineOf("i-1"),
      machineOf("i-2", { state: "stopped" }),
      machineOf("i-3", { state: "stopping" }),
      machineOf("i-4", { tags: {} }),
    ];
    const asked: string[] = [];
    const unregistered = {
      list: async (there: readonly { readonly instanceId: string }[]) => {
        asked.push(...there.map(({ instanceId }) => instanceId));
        return listed ? [left("i-1"), left("i-2"), { ...left("i-4"), state: "starting" }] : [];
      },
      kept: async (all: readonly object[]) => (kept ? all : []),
    };
    const nodes = listed ? [nodeFor("win-4", "i-4", [taint]), nodeFor("win-9", "i-9", [taint])] : [];
    const steps = verbs({ thread, announcements: { strays }, unregistered, leases: { holder } });
    await postStrays(steps, "look-1", clusterOf(machines, nodes));
    return { posted, kept: keeps, asked };
  };
  const noNode: Stray = { kind: "no-node", instanceId: "i-1", node: null, pool: "web" };
  const stopped: Stray = { kind: "stopped", instanceId: "i-2", node: null, pool: "web" };
  const starting: Stray = { kind: "starting", instanceId: "i-4", node: "win-4", pool: null };

  test("are posted by kind, once, and asked of machines that run or are stopped", async () => {
    expect(await look([])).toEqual({
      posted: [
        "look-1 no-node: ⚠️ `i-1` runs and is billed, and has no Node. No operation works on it.",
        "look-1 stopped: ⚠️ `i-2` is stopped and has no Node, and the disks are billed. No operation works on it.",
        "look-1 starting: ⚠️ `win-4` still carries the taint `casement.dev/starting`, and no operation works on it: no pods start there.",
      ],
      kept: [[noNode, stopped, starting]],
      asked: ["i-1", "i-2", "i-4"],
    });
    expect(await look([noNode, stopped, starting])).toMatchObject({ posted: [], kept: [] });
  });

  test("are posted again at their end", async () => {
    expect(await look([noNode, stopped, starting], { listed: false })).toMatchObject({
      posted: [
        "look-1 no-node ended: ✅ `i-1` is a node again, or runs no longer.",
        "look-1 stopped ended: ✅ `i-2` runs again, or is terminated.",
        "look-1 starting ended: ✅ `win-4` no longer carries the taint `casement.dev/starting`.",
      ],
      kept: [[]],
    });
  });

  test("are not posted while an operation works on them, nor while people keep them", async () => {
    const holder = async (): Promise<string> => "add-1";
    expect(await look([], { holder: holder as never })).toMatchObject({ posted: [], kept: [] });
    const kept = await look([noNode, stopped], { kept: true });
    expect(kept).toMatchObject({ posted: [], kept: [] });
  });
});

describe("What EC2 has scheduled for machines", () => {
  const event = { code: "system-reboot", notBefore: "2026-11-25T02:00:00.000Z", description: "host maintenance" };
  const known = (instanceId: string, more: object = {}): MachineEvent =>
    ({ instanceId, node: `win-${instanceId}`, pool: "web", ...event, ...more }) as MachineEvent;
  const look = async (before: readonly MachineEvent[], scheduled: readonly string[], more: object = {}) => {
    const { posted, thread } = channel();
    const keeps: string[][] = [];
    const keep = async (all: readonly MachineEvent[]) => void keeps.push(all.map(({ instanceId }) => instanceId));
    const steps = verbs({
      ...{ thread, announcements: { machineEvents: { posted: async () => before, keep } }, leases: nobodyHolds },
      health: { scheduledEvents: async () => new Map(scheduled.map((id) => [id, [{ ...event, ...more }]])) },
    });
    const machines = [machineOf("i-1"), machineOf("i-2", { state: "stopped" }), machineOf("i-3", { tags: {} })];
    const cluster = clusterOf(machines, [nodeFor("win-i-1", "i-1"), nodeFor("win-i-2", "i-2")]);
    await postMachineEvents(steps, "look-1", cluster);
    return { posted: posted.map((text) => text.replace(/: .*/s, "")), kept: keeps };
  };

  test("is one message for each kind of event, once", async () => {
    expect(await look([], ["i-1", "i-3", "i-9"])).toEqual({ posted: ["look-1 system-reboot"], kept: [["i-1", "i-3"]] });
    expect(await look([known("i-1")], ["i-1"])).toEqual({ posted: [], kept: [] });
  });

  test("is told at its end: of a machine that runs, and of one that is stopped; not of one that is gone", async () => {
    const { posted, kept } = await look([known("i-1"), known("i-2"), known("i-9")], []);
    expect(posted[0]).toMatch(/^look-1 .*i-2.* stopped$/);
    expect(posted.slice(1)).toEqual(["look-1 system-reboot ended"]);
    expect(kept).toEqual([[]]);
  });

  test("is told by its new time when EC2 moves it", async () => {
    const moved = await look([known("i-1")], ["i-1"], { notBefore: "2026-11-26T02:00:00.000Z" });
    expect(moved).toEqual({ posted: ["look-1 system-reboot"], kept: [["i-1"]] });
  });
});

describe("Boots that Casement did not order", () => {
  test("are one message for each look, and then no news", async () => {
    const { posted, thread } = channel();
    const cleared: string[] = [];
    const news = { mark: "look-1", cause: { kind: "unclean" }, bootedAt: null, of: 4 };
    const seen = {
      all: async () =>
        new Map([
          ["i-1", { instanceId: "i-1", node: "win-1", news }],
          ["i-2", { instanceId: "i-2", node: "win-2" }],
          ["i-3", { instanceId: "i-3", node: "win-3", news: { ...news, mark: "look-2" } }],
        ]),
      clearNews: async (instanceId: string, mark: string) => void cleared.push(`${instanceId} ${mark}`),
    };
    await postNews(verbs({ thread, runtime: { rules }, machines: { seen } }));
    expect(posted.map((text) => text.split(" rebooted")[0])).toEqual(["look-1: 🔄 `win-1`", "look-2: 🔄 `win-3`"]);
    expect(cleared).toEqual(["i-1 look-1", "i-3 look-2"]);
  });
});
