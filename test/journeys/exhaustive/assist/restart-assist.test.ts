import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import { asked, assist, EDGE, isGuarded, recordOf, tagOf, traces, typed } from "../../assisting.ts";
import { calls, expectSound, heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { edge } from "../../others.ts";
import { inThreads, openly } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";
import { type Moment, type Restarts, recordRestarts } from "../../restarts.ts";
import { stopAll } from "../../stopping.ts";

const assister = "assist-node";
const started = { service: "lambda", action: "Invoke", principal: "front-door" } as const;
const posted = { service: "slack", action: "chat.postMessage", count: 1 } as const;
const sent = { service: "ssm", action: "SendCommand", principal: assister } as const;
const written = { service: "dynamodb", action: "UpdateItem", principal: assister, count: 1 } as const;

/** State of the machine and of its approval: nothing in between is left by a process that dies. */
const whole = async (here: Journey) => ({
  tag: tagOf(here) ?? null,
  isGuarded: isGuarded(here),
  traces: traces(here).length > 0,
  record: (await recordOf(here))?.state ?? null,
});

/** Documents that an operation sent, in no order: two commands of one second have none. */
function documentsOf(here: Journey, operation: string): string[] {
  interface Sent {
    readonly documentName: string;
    readonly comment: string;
  }
  return [...here.simulator.simulation.store.collection<Sent>("ssm-commands").values()]
    .filter(({ comment }) => comment.includes(operation))
    .map(({ documentName }) => /-(observe|route|apply|reboot)-/.exec(documentName)?.[1] ?? documentName)
    .toSorted();
}

interface Row {
  readonly what: string;
  readonly moments: readonly Moment[];
  readonly journey: (first: Journey) => Promise<unknown>;
  readonly leaves: Awaited<ReturnType<typeof whole>>;
  readonly sent: readonly string[];
  readonly summary: RegExp;
}

async function approved(first: Journey): Promise<void> {
  await asked(first, `assist ${EDGE}`);
  await first.press("approver", APPROVE_OPERATION);
  await settled(first, 90);
}

async function ended(first: Journey): Promise<void> {
  await assist(first);
  await first.type("operator", `/win assist ${EDGE} --end`);
  await settled(first, 90);
}

const END = "the end was asked";

const rows: readonly Row[] = [
  {
    what: "an assistance",
    moments: [
      { after: "it was asked", ...started, count: 1 },
      { after: "the card was posted", ...posted },
      { after: "the approval was written down", ...written, writes: /"state":\{"S":"beginning"/ },
      { after: "the tag was set", service: "ec2", action: "CreateTags", principal: assister, count: 1 },
      { after: "the guard was sent", ...sent, count: 1 },
      { after: "the guard was looked at", ...sent, count: 2 },
      { after: "the approval got its power", ...written, writes: /"state":\{"S":"assisted"/ },
    ],
    journey: approved,
    leaves: { tag: "prod-west", isGuarded: true, traces: true, record: "assisted" },
    sent: ["observe", "route"],
    summary: /is assisted: the guard of the metadata route works/,
  },
  {
    what: "the end of an assistance",
    moments: [
      { after: END, ...started, count: 2 },
      { after: "the message was posted", ...posted, since: END },
      { after: "the approval lost its power", ...written, writes: /"state":\{"S":"beginning"/, since: END },
      { after: "the removal of the guard was sent", ...sent, count: 1, since: END },
      { after: "the tag was taken off", service: "ec2", action: "DeleteTags", principal: assister, count: 1 },
    ],
    journey: ended,
    leaves: { tag: null, isGuarded: false, traces: false, record: null },
    sent: ["route"],
    summary: /is not assisted any more: guard and tag are taken away/,
  },
];

describe.each(rows)("a process that dies during $what and is started again on its files", (row) => {
  let restarts: Restarts;
  let here: Journey | undefined;

  beforeAll(async () => {
    restarts = await recordRestarts({ seedNodes: true }, row.moments, async (first) => {
      await row.journey(first);
    });
  });
  afterEach(async () => {
    await here?.close();
    here = undefined;
  });
  afterAll(() => restarts.end());

  test.each(row.moments)("right after $after, does it once and leaves nothing half done", async ({ after }) => {
    here = await restarts.from(after);
    if (after === "the card was posted") {
      await here.pass(1);
      await here.press("approver", APPROVE_OPERATION);
    }
    if (after === "it was asked") {
      await here.until(() => /\[Approve\]/.test(openly(here as Journey).at(-1) ?? ""), 8, "the card");
      await here.press("approver", APPROVE_OPERATION);
    }
    await settled(here, 120);
    const { operation } = await newest(here);
    expect(operation).toMatchObject({ status: "succeeded", summary: expect.stringMatching(row.summary) });
    expect(await whole(here)).toEqual(row.leaves);
    expect(documentsOf(here, operation.id)).toEqual(row.sent);
    expect(calls(here, "ec2", "RebootInstances")).toEqual([]);
    expect(await heldBack(here)).toEqual([]);
    expect(openly(here).filter((text) => text.includes(`\`${operation.id}\` ·`))).toHaveLength(1);
    const told = inThreads(here);
    expect(new Set(told).size).toBe(told.length);
    await expectSound(here);
  });
});

describe("An assistance whose execution was stopped", () => {
  let here: Journey;
  afterEach(() => here.close());

  const unasked = { configuration: { approvals: { reboot: { needs: 0 } } } };
  const hasStage = async (stage: string): Promise<boolean> => (await newest(here)).nodes[0]?.stage === stage;

  test.each<[string, () => boolean | Promise<boolean>]>([
    ["once the tag is set", () => tagOf(here) !== undefined],
    ["while the guard is installed", () => hasStage("guard")],
    ["once the guard is there", () => isGuarded(here)],
  ])("%s has no power, is explained, and is made up for or taken away by a command", async (_, isThere) => {
    here = await withSeedNodes(unasked);
    await asked(here, `assist ${EDGE}`);
    await here.press("approver", APPROVE_OPERATION);
    await here.until(isThere, 20, "the moment");
    await stopAll(here);
    await here.pass(45);
    await settled(here, 30);
    const { operation } = await newest(here);
    expect(operation.status).toBe("failed");
    expect(openly(here).concat(inThreads(here)).join("\n")).toContain(`/win assist ${edge.name} --end`);
    expect([tagOf(here), (await recordOf(here))?.state]).toEqual(["prod-west", "beginning"]);
    expect(await heldBack(here)).toEqual([]);

    const refused = await typed(here, `reboot ${EDGE}`);
    expect(refused).toContain("the operation that was to assist it has not ended well");
    expect(refused).toContain(`/win assist ${edge.name}`);
    expect(await typed(here, "doctor", 10)).toContain("the operation that was to assist it has not ended well");
    const rebooted = calls(here, "ssm", "SendCommand").filter(
      ({ principal, error }) => principal === "reboot-node" && error === null,
    );
    expect(rebooted).toEqual([]);

    await approved(here);
    expect(await whole(here)).toEqual({ tag: "prod-west", isGuarded: true, traces: true, record: "assisted" });
    expect(await typed(here, `assist ${EDGE} --end`)).toContain("not assisted any more");
    expect(await whole(here)).toEqual({ tag: null, isGuarded: false, traces: false, record: null });
  });

  test("while it ends has no power, and is ended by the same command", async () => {
    here = await withSeedNodes(unasked);
    await assist(here);
    await here.type("operator", `/win assist ${EDGE} --end`);
    await here.until(async () => (await recordOf(here))?.state === "beginning", 20, "the loss of its power");
    await stopAll(here);
    await here.pass(45);
    await settled(here, 30);
    expect((await newest(here)).operation.status).toBe("failed");
    expect(await typed(here, `reboot ${EDGE}`)).toContain("cannot be rebooted");
    expect(await typed(here, `assist ${EDGE} --end`)).toContain("not assisted any more");
    expect(await whole(here)).toEqual({ tag: null, isGuarded: false, traces: false, record: null });
    expect(await heldBack(here)).toEqual([]);
  });
});
