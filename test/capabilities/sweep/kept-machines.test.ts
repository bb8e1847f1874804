import { expect, test } from "vitest";
import { dueReminders, remind } from "../../../lambdas/capabilities/sweep/kept-machines.ts";
import type { NodeRecord } from "../../../lambdas/records/records.ts";
import { answers, recorded } from "../../engine/recorded.ts";
import { nodeRecord, operationRecord } from "../../messages/records.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const base = configurationWith();
const configuration = { ...base, people: { operator: ["S0OPERATORS"] }, policy: { remove: ["operator"] } };
const KEPT_AT = "2026-11-21T08:00:00.000Z";
const minutes = (count: number): number => Date.parse(KEPT_AT) + count * 60_000;
const DAY = 24 * 60;
const ID = "i-0ab12cd34ef567890";

const machine = (changes: object = {}) => ({
  ...{ instanceId: ID, state: "running" },
  tags: { "casement:launched": "true", "casement:cluster": "prod-west", "casement:operation": "add-3f9c2a71" },
  ...changes,
});

/** A machine that a person kept, of which a test changes what it cares for. */
interface Given {
  readonly machine?: object;
  readonly record?: Partial<NodeRecord>;
  readonly ready?: boolean;
  readonly after?: number;
  readonly operation?: object | null;
}

function world({ after = 15, ready, ...given }: Given) {
  const kept = {
    status: "failed",
    outcome: "kept",
    keptAt: KEPT_AT,
    failure: { stage: "features", why: "", left: "" },
  } as const;
  const record = nodeRecord({ ...kept, ...given.record });
  const operation = operationRecord({ messageTs: "1.0", pool: { name: "web" } as never, ...given.operation });
  const node = {
    metadata: { name: "web-1", labels: { "kubernetes.io/os": "windows" } },
    spec: { providerID: `aws:///us-west-2a/${ID}` },
    status: { conditions: [{ type: "Ready", status: ready ? "True" : "False" }] },
  };
  return recorded(
    {
      runtime: { read: answers({ configuration }) },
      nodes: { all: answers(ready === undefined ? [] : [node]) },
      instances: { ofCluster: answers([machine(given.machine), machine({ instanceId: "i-2", tags: {} })]) },
      ledger: {
        nodes: async (id: string) => (id === "add-3f9c2a71" ? [record] : []),
        operation: answers(given.operation === null ? undefined : operation),
      },
    },
    { thread: { post: answers("2.0") }, ledger: { changeNode: answers() } },
    minutes(after),
  );
}

const due = (given: Given) => dueReminders(world(given).steps);

test("people are reminded of a machine that was kept a quarter of an hour ago, and then each day", async () => {
  const reminder = (day: number) => ({
    ...{ operation: "add-3f9c2a71", index: 0, day, since: KEPT_AT },
    notice: expect.objectContaining({ kind: "kept", operation: "add-3f9c2a71", message: expect.stringContaining(ID) }),
  });
  expect(await due({ after: 14 })).toEqual([]);
  expect(await due({})).toEqual([reminder(0)]);
  const remindedAt = new Date(minutes(15)).toISOString();
  expect(await due({ record: { remindedAt }, after: DAY + 14 })).toEqual([]);
  expect(await due({ record: { remindedAt }, after: DAY + 15 })).toEqual([reminder(1)]);
  expect(await due({ after: 2 * DAY - 1 })).toEqual([reminder(1)]);
  expect(await due({ after: 2 * DAY })).toEqual([reminder(2)]);
});

test.for<[string, Given, number]>([
  ["has ended", { machine: { state: "terminated" } }, 0],
  ["is shutting down", { machine: { state: "shutting-down" } }, 0],
  ["is stopped", { machine: { state: "stopped" } }, 1],
  ["was launched by somebody else", { machine: { tags: { "casement:operation": "add-3f9c2a71" } } }, 0],
  ["has become a Ready node", { ready: true }, 0],
  ["has become a node that is not Ready", { ready: false }, 1],
  ["was not kept", { record: { keptAt: undefined, outcome: null, status: "running" } }, 0],
  ["has another record", { record: { instanceId: "i-3" } }, 0],
])("of a machine that %s there are so many reminders", async ([, given, count]) => {
  expect(await due(given)).toHaveLength(count);
});

test("the reminder is in the operation's thread, once a day, with the machine's buttons", async () => {
  const { steps, calls } = world({ after: 15 });
  await remind(steps, { operation: "add-3f9c2a71", index: 0, day: 0, since: KEPT_AT, notice: {} as never });
  expect(calls).toEqual([
    [
      ...["thread.post", "C0WINDOWS"],
      expect.objectContaining({
        text: expect.stringMatching(
          /^<!subteam\^S0OPERATORS> ⚠️ `i-0ab12cd34ef567890` has been kept for 15m and is still billed\. It failed at .* To terminate it: `\{win\} remove i-0ab12cd34ef567890`$/,
        ),
      }),
      ...["add-3f9c2a71 0 kept 0", "1.0"],
    ],
    ["ledger.changeNode", "add-3f9c2a71", 0, { remindedAt: new Date(minutes(15)).toISOString() }],
  ]);
});

test.for<[string, Given, number]>([
  ["the operation's record has expired", { operation: null }, 0],
  ["the node has another index", {}, 1],
  ["people were reminded meanwhile", { record: { remindedAt: new Date(minutes(10)).toISOString() } }, 0],
])("nobody is reminded where %s", async ([, given, index]) => {
  const { steps, calls } = world(given);
  await remind(steps, { operation: "add-3f9c2a71", index, day: 0, since: KEPT_AT, notice: {} as never });
  expect(calls).toEqual([]);
});
