import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { AnyChange } from "../../../../lambdas/change/change.ts";
import { approvable } from "../../../../lambdas/commands/approvals.ts";
import { parse } from "../../../../lambdas/commands/parse.ts";
import type { Request } from "../../../../lambdas/commands/request.ts";
import { functionNames, functions } from "../../../../lib/functions.ts";
import { heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { kubectl, type SeedNode } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { dialogOf, openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";
import { type Moment, type Restarts, recordRestarts } from "../../restarts.ts";
import { type ChangeEnd, type ChangeRow, changeRows, type NodeState, nodeStateOf } from "./change-rows.ts";

/** A change that a function carries out. */
interface Found {
  readonly entry: string;
  readonly change: AnyChange;
}

/** Finds the changes of all functions: an entry that carries some out exports them as `changes`. */
async function findChanges(): Promise<Found[]> {
  const entries = functionNames.map((name) => functions[name].entry);
  const changing = entries.filter((entry) => readFileSync(entry, "utf8").includes("changing("));
  const found = changing.map(async (entry) => {
    const { changes }: { changes?: readonly AnyChange[] } = await import(
      new URL(`../../../../${entry}`, import.meta.url).href
    );
    if (!changes) throw new Error(`${entry} carries changes out and does not export them as "changes"`);
    return changes.map((change) => ({ entry, change }));
  });
  return (await Promise.all(found)).flat();
}

function requestOf(command: string): Request {
  const read = parse(command, { pools: [], commandWord: "/win" });
  if ("problem" in read) throw new Error(`no command: ${command}`);
  return read.request;
}

const found = await findChanges();
const rowsOf = ({ change }: Found): ChangeRow[] => changeRows.filter(({ command }) => change.isFor(requestOf(command)));
const changeOf = ({ command }: ChangeRow): AnyChange | undefined =>
  found.find(({ change }) => change.isFor(requestOf(command)))?.change;

/** A configuration in which every command needs so many approvals, and a proof that fails does so soon. */
const configurationOf = (needs: number, deadlines: object = {}): object => ({
  approvals: Object.fromEntries(approvable.map((command) => [command, { needs }])),
  deadlines: { reboot: { prove: 10 }, ...deadlines },
});

let here: Journey;
let before: NodeState;
afterEach(() => here?.close());

/** State of the node once the cluster's own controllers have followed: one of them taints a cordoned node. */
async function settledState(node: SeedNode): Promise<NodeState> {
  await here.pass(1);
  return nodeStateOf(here, node);
}

/** Asks for the change, and says yes where it asks the requester. */
async function ask({ command, hasDialog }: ChangeRow): Promise<void> {
  await here.type("operator", `/win ${command}`);
  if (!hasDialog) return;
  await here.until(() => dialogOf(here, "operator").includes("[Remove]"), 6, "the dialog's facts");
  await here.submit("operator");
}

async function start({ node, setUp }: ChangeRow, deadlines: object = {}, needs = 0): Promise<void> {
  here = await withSeedNodes({ configuration: configurationOf(needs, deadlines) });
  await setUp?.(here);
  before = await settledState(node);
}

/** Starts the change and waits until it is in the stage in which it is held. @returns lets it go on */
async function held(row: ChangeRow, deadlines?: object): Promise<() => Promise<void>> {
  await start(row, deadlines);
  const letGo = row.holdsLater ? null : await row.hold(here);
  await ask(row);
  await here.until(async () => (await newest(here)).nodes[0]?.stage === row.stage, 20, `stage ${row.stage}`);
  return letGo ?? row.hold(here);
}

/** The operation's message in the channel. */
const messageOf = (id: string): string => openly(here).findLast((text) => text.includes(`\`${id}\``)) ?? "";

/** The newest operation has ended so, holds nothing, says it in its one message, and leaves the node so. */
async function expectEnd({ node }: ChangeRow, { status, says, leaves = (state) => state }: ChangeEnd): Promise<void> {
  const { operation } = await newest(here);
  expect(operation).toMatchObject({ status, endedAt: expect.any(String), callbacks: {} });
  expect(await heldBack(here)).toEqual([]);
  expect(messageOf(operation.id)).toMatch(says);
  expect(await settledState(node)).toEqual(leaves(before));
}

test("every change of one node has one row in the table, and every row is one", () => {
  for (const one of found) expect(rowsOf(one), `rows of a change in ${one.entry}`).toHaveLength(1);
  for (const row of changeRows) expect(changeOf(row), row.command).toBeDefined();
  expect(found).toHaveLength(changeRows.length);
});

test.each(changeRows)("$command waits for an approval and has a dry run, or the table says why not", (row) => {
  const { isApproved, hasDryRun } = changeOf(row) ?? {};
  expect([isApproved, hasDryRun]).toEqual([row.unapproved === undefined, row.withoutDryRun === undefined]);
});

const because = ({ because: why }: ChangeEnd): string => (why ? `, because ${why}` : "");

describe.each(changeRows)("$command", (row) => {
  const { cancelled, "out of time": late, "its Node is deleted": gone } = row.ends;

  test(`that is cancelled ends as ${cancelled.status}${because(cancelled)}`, async () => {
    const letGo = await held(row);
    await here.type("operator", `/win cancel ${(await newest(here)).operation.id}`);
    await here.pass(1);
    await letGo();
    await settled(here, 60);
    await expectEnd(row, cancelled);
  });

  test("is refused while another operation works on its node, and changes nothing", async () => {
    await held(row);
    const first = (await newest(here)).operation.id;
    const seen = async () => [await settledState(row.node), await heldBack(here)];
    const left = await seen();
    await here.type("operator", `/win ${row.command}`);
    const second = async () => (await newest(here)).operation;
    await here.until(async () => (await second()).id !== first && (await second()).endedAt !== null, 10, "the refusal");
    expect((await second()).status).toBe("refused");
    expect(await seen()).toEqual(left);
    expect(openly(here).at(-1)).toContain(`\`${first}\` is working on it`);
  });

  test.skipIf(row.unapproved !== undefined)("that is denied ends as refused, and changes nothing", async () => {
    await start(row, {}, 1);
    await ask(row);
    await here.until(() => /\[Approve\]/.test(openly(here).at(-1) ?? ""), 8, "the question");
    await here.type("approver", `/win deny ${(await newest(here)).operation.id}`);
    await settled(here, 60);
    await expectEnd(row, { status: "refused", says: /denied/i });
  });

  test(`that runs out of time ends as ${late.status}${because(late)}`, async () => {
    await held(row, row.deadlines);
    await settled(here, 90);
    await expectEnd(row, late);
  });

  test(`whose Node is deleted ends as ${gone.status}${because(gone)}`, async () => {
    const letGo = await held(row);
    await kubectl(here, "DELETE", `/api/v1/nodes/${row.node.name}`);
    await letGo();
    await settled(here, 90);
    await expectEnd(row, gone);
  });

  test("ends while Slack is down, holds nothing meanwhile, and says its end once Slack is back", async () => {
    const letGo = await held(row);
    const down = injectFault(here, "slack-down");
    await letGo();
    await here.until(async () => (await newest(here)).operation.endedAt !== null, 60, "its end");
    expect(await heldBack(here)).toEqual([]);
    endFault(here, down);
    await settled(here, 40);
    await expectEnd(row, row.succeeds);
  });

  test.skipIf(row.withoutDryRun !== undefined)(
    "with --dry-run says to the requester alone what would happen",
    async () => {
      await start(row);
      const said = openly(here).length;
      await here.type("operator", `/win ${row.command} --dry-run`);
      await settled(here, 10);
      expect((await newest(here)).operation).toMatchObject({ status: "succeeded", messageTs: null });
      expect(privately(here, "operator").at(-1)).toMatch(/Dry run: nothing was changed/);
      expect(openly(here)).toHaveLength(said);
      expect(await heldBack(here)).toEqual([]);
      expect(await settledState(row.node)).toEqual(before);
    },
  );

  describe("in a process that dies and is started again on its files", () => {
    const kind = row.command.split(" ")[0];
    const lease = (isHeld: boolean) =>
      new RegExp(`(?=.*lease#${row.node.instanceId})(?=.*"BOOL":${isHeld})(?=.*"S":"${kind}-)`);
    const count = row.command.endsWith("--end") ? 2 : 1;
    const wrote = { service: "dynamodb", action: "PutItem", count } as const;
    const moments: readonly Moment[] = [
      { after: "its lease was taken", ...wrote, writes: lease(true) },
      { after: "its lease was released", ...wrote, writes: lease(false) },
    ];
    let restarts: Restarts;
    beforeAll(async () => {
      const configuration = configurationOf(0);
      restarts = await recordRestarts({ seedNodes: true, configuration }, moments, async (first) => {
        here = first;
        await row.setUp?.(here);
        before = await settledState(row.node);
        await ask(row);
        await settled(here, 90);
      });
    });
    afterAll(() => restarts.end());

    test.each(moments)("right after $after, ends as if it had not died", async ({ after }) => {
      here = await restarts.from(after);
      await settled(here, 120);
      await expectEnd(row, row.succeeds);
      const { id } = (await newest(here)).operation;
      expect(openly(here).filter((text) => text.includes(`\`${id}\` ·`))).toHaveLength(1);
    });
  });
});
