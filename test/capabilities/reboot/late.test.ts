import { expect, test } from "vitest";
import { offerEc2Reboot } from "../../../lambdas/capabilities/reboot/late.ts";
import type { RebootTask } from "../../../lambdas/capabilities/reboot/task.ts";
import { Refused, Retryable } from "../../../lambdas/errors.ts";
import type { LateReboot } from "../../../lambdas/records/late-reboot.ts";
import type { NodeRecord } from "../../../lambdas/records/records.ts";
import { lease } from "../../change/node/a-node.ts";
import { answers, type Call, recorded } from "../../engine/recorded.ts";
import { nodeRecord } from "../../messages/records.ts";
import { peopleRefused, refusals } from "../../steps/slack/refusing.ts";

const ASKED = "2026-11-21T14:00:00.000Z";
const minutes = (count: number): number => Date.parse(ASKED) + count * 60_000;
const at = (count: number): string => new Date(minutes(count)).toISOString();

/** A press of the button "EC2 reboot" so many minutes after the order. */
const press = (userId: string, after: number, decision = "ec2-reboot") => ({ decision, userId, at: at(after) });

interface Scene {
  readonly after?: number;
  readonly late?: LateReboot;
  readonly presses?: readonly object[];
  readonly reboot?: Error | "taken" | "unknown";
  readonly screenshot?: Error;
  readonly ledger?: Error;
  /** Slack's answer to every question about people, where it refuses them. */
  readonly slack?: string;
}

/** Offers the EC2 reboot once. @returns what was written */
async function offered({
  after = 30,
  late = {},
  presses = [],
  reboot = "taken",
  ...scene
}: Scene): Promise<readonly Call[]> {
  let node = nodeRecord({ operation: "reboot-1", index: 0, ...late });
  const rules = {
    slack: { channel: "C0WINDOWS" },
    people: { operator: ["U0OLIVIA"] },
    policy: { reboot: ["operator"] },
    pools: {},
  };
  const { steps, calls } = recorded(
    {
      ledger: {
        operation: answers(undefined),
        nodes: async () => {
          if (scene.ledger) throw scene.ledger;
          return [node];
        },
        decisions: async (_id: string, of: string) => (of === "node 0" ? presses : []),
      },
      runtime: { rules: answers(rules) },
      people: scene.slack
        ? { ...peopleRefused(scene.slack) }
        : { membership: answers("member"), groupsOf: answers([]) },
      machines: { seen: { noteOrder: answers() } },
    },
    {
      ledger: {
        changeNode: async (_id: string, _index: number, change: Partial<NodeRecord>) => {
          node = { ...node, ...change };
        },
      },
      screenshots: {
        take: async () => {
          if (scene.screenshot) throw scene.screenshot;
          return "https://s3/picture";
        },
      },
      instances: {
        reboot: async () => {
          if (reboot instanceof Error) throw reboot;
          return reboot;
        },
      },
      thread: { sendEphemeral: answers() },
      audit: { append: answers() },
    },
    minutes(after),
  );
  const task = {
    steps,
    operation: "reboot-1",
    index: 0,
    pool: "web",
    lease,
    workflow: "reboot",
    node: null,
    stage: "reboot",
  };
  await offerEc2Reboot(task as unknown as RebootTask, ASKED, "callback-1");
  return calls;
}

const changesOf = (calls: readonly Call[]) =>
  calls.flatMap(([verb, , , change]) => (verb === "ledger.changeNode" ? [change] : []));
const verbsOf = (calls: readonly Call[]) => calls.map(([verb]) => verb);

test("a machine that has not booted for half an hour is shown as late, then the screenshot of its console", async () => {
  expect(await offered({ after: 29 })).toEqual([]);
  const calls = await offered({});
  expect(verbsOf(calls)).toEqual(["ledger.changeNode", "screenshots.take", "ledger.changeNode"]);
  expect(calls[1]?.slice(1)).toEqual([lease.instanceId, `screenshots/reboot-1/${lease.instanceId}/${at(30)}.jpg`]);
  expect(changesOf(calls)).toEqual([
    expect.objectContaining({ lateSince: at(30), callbacks: { decision: "callback-1" } }),
    expect.objectContaining({ screenshot: { triedAt: at(30), taken: { at: at(30), url: "https://s3/picture" } } }),
  ]);
});

const taken = (triedAt: number, takenAt = triedAt) => ({
  triedAt: at(triedAt),
  taken: { at: at(takenAt), url: "https://s3/old" },
});

test.for<[string, LateReboot, number, boolean]>([
  ["nine minutes old", { screenshot: taken(31) }, 40, false],
  ["ten minutes old", { screenshot: taken(30) }, 40, true],
  ["older than a refused attempt of a minute ago", { screenshot: taken(39, 30) }, 40, false],
  ["older than a refused attempt of two minutes ago", { screenshot: taken(38, 30) }, 40, true],
  ["older than an order to EC2", { screenshot: taken(35), ec2Reboot: { at: at(36) } }, 66, true],
])("a screenshot that is %s is renewed: %#", async ([, late, after, isRenewed]) => {
  const calls = await offered({ after, late: { lateSince: at(30), ...late } });
  expect(verbsOf(calls).includes("screenshots.take")).toBe(isRenewed);
});

test("a refused screenshot leaves the picture of this boot, and none of the boot before", async () => {
  const screenshot = new Error("denied");
  const of = async (late: LateReboot) => changesOf(await offered({ after: 70, late, screenshot })).at(-1);
  expect(await of({ screenshot: taken(40) })).toMatchObject({
    screenshot: { triedAt: at(70), taken: taken(40).taken },
  });
  expect(await of({ screenshot: taken(30), ec2Reboot: { at: at(35) } })).toMatchObject({
    screenshot: { triedAt: at(70) },
  });
  expect(await of({ screenshot: taken(30), ec2Reboot: { at: at(35) } })).not.toMatchObject({
    screenshot: { taken: {} },
  });
});

test("the press of a permitted person orders the reboot once, with its entry in the audit and a note", async () => {
  const calls = await offered({ after: 40, late: { lateSince: at(30) }, presses: [press("U0OLIVIA", 35)] });
  const order = { by: "U0OLIVIA", at: at(40) };
  expect(verbsOf(calls)).toEqual([
    "ledger.changeNode",
    "instances.reboot",
    "audit.append",
    "ledger.changeNode",
    "ledger.changeNode",
  ]);
  expect(changesOf(calls)[0]).toEqual({
    ec2Reboot: { ...order, answer: "unknown" },
    pressesUntil: at(35),
    callbacks: {},
  });
  expect(changesOf(calls)[1]).toMatchObject({ ec2Reboot: order });
  expect(changesOf(calls)[2]).toMatchObject({ notes: [expect.stringContaining("EC2")] });
  expect(calls[2]?.slice(2)).toEqual([
    `reboot through EC2 at ${at(40)}`,
    expect.objectContaining({ what: "changed", by: { person: "U0OLIVIA" } }),
  ]);
});

test("a press without the permission is marked as judged, and a permitted one after it orders", async () => {
  const presses = [press("U0ANNA", 33), press("U0OLIVIA", 35)];
  const calls = await offered({ after: 40, presses });
  expect(verbsOf(calls).slice(0, 3)).toEqual(["thread.sendEphemeral", "ledger.changeNode", "ledger.changeNode"]);
  expect(changesOf(calls)[0]).toEqual({ pressesUntil: at(33) });
  expect(verbsOf(await offered({ after: 40, presses: presses.slice(0, 1) }))).not.toContain("instances.reboot");
});

test.for<[string, LateReboot, readonly object[]]>([
  ["was judged", { pressesUntil: at(35) }, [press("U0OLIVIA", 35)]],
  ["is about another decision", {}, [press("U0OLIVIA", 35, "continue")]],
  ["came before an order without an answer", { ec2Reboot: { at: at(36), answer: "unknown" } }, [press("U0OLIVIA", 35)]],
])("a press that %s orders nothing", async ([, late, presses]) => {
  expect(verbsOf(await offered({ after: 70, late, presses }))).not.toContain("instances.reboot");
});

test("a press after a refused order orders again", async () => {
  const late: LateReboot = { ec2Reboot: { at: at(36), answer: "refused" } };
  expect(verbsOf(await offered({ after: 37, late, presses: [press("U0OLIVIA", 35)] }))).toContain("instances.reboot");
});

test("after an order that EC2 accepted nothing is offered for half an hour, and then anew", async () => {
  const late: LateReboot = { lateSince: at(30), ec2Reboot: { at: at(40), by: "U0OLIVIA" } };
  const presses = [press("U0OLIVIA", 45)];
  expect(changesOf(await offered({ after: 69, late, presses }))[0]).toMatchObject({ lateSince: at(30), callbacks: {} });
  expect(changesOf(await offered({ after: 70, late }))[0]).toMatchObject({
    lateSince: at(70),
    callbacks: { decision: "callback-1" },
  });
  const again = { ...late, lateSince: at(70) };
  expect(changesOf(await offered({ after: 72, late: again }))[0]).toMatchObject({ lateSince: at(70) });
});

test("an order whose answer was lost has its entry, and is offered since the same time", async () => {
  const late: LateReboot = { lateSince: at(30), ec2Reboot: { at: at(40), by: "U0OLIVIA", answer: "unknown" } };
  const calls = await offered({ after: 41, late });
  expect(calls[0]?.slice(2)).toEqual([
    `reboot through EC2 at ${at(40)}`,
    expect.objectContaining({ by: { person: "U0OLIVIA" } }),
  ]);
  expect(changesOf(calls)[0]).toMatchObject({ lateSince: at(30), callbacks: { decision: "callback-1" } });
});

test("a refusal by EC2 is a note, and the wait goes on", async () => {
  const calls = await offered({ after: 40, presses: [press("U0OLIVIA", 35)], reboot: new Error("not authorized") });
  expect(changesOf(calls).slice(1)).toEqual([
    { ec2Reboot: { by: "U0OLIVIA", at: at(40), answer: "refused" }, callbacks: {} },
    expect.objectContaining({ notes: [expect.stringContaining("not authorized")] }),
  ]);
});

test.each(refusals)("a press is left for the next poll while Slack refuses the question who may: %s", async (slack) => {
  expect(await offered({ after: 40, presses: [press("U0OLIVIA", 35)], slack })).toEqual([]);
});

test("a busy service leaves the press for the next poll, and a lost lease ends the wait", async () => {
  const presses = [press("U0OLIVIA", 35)];
  const calls = await offered({ after: 40, presses, reboot: new Retryable("EC2 is busy") });
  expect(changesOf(calls)[1]).toMatchObject({ pressesUntil: "", ec2Reboot: { answer: "refused" } });
  await expect(offered({ after: 40, presses, reboot: new Refused("another operation has it") })).rejects.toThrow(
    "another operation has it",
  );
  expect(await offered({ ledger: new Retryable("busy") })).toEqual([]);
  await expect(offered({ ledger: new Error("a defect") })).rejects.toThrow("a defect");
});
