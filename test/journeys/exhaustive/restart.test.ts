import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Call } from "../../../lib/sandbox/core/calls.ts";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import { expectSound, heldBack, joinSecrets, launchedBy, newest, nodeNamed, settled } from "../evidence.ts";
import { inThreads, openly } from "../reading.ts";
import { type World, type Write, world } from "../world.ts";

/** A call that the ground has answered, while the answer is still on its way: the process dies then. */
interface Moment {
  readonly after: string;
  readonly service: string;
  readonly action: string;
  readonly principal?: string;
  /** The how many-th such call. */
  readonly count: number;
}

const bot = "system:serviceaccount:casement:casement";

const moments: readonly Moment[] = [
  { after: "the request was written down", service: "dynamodb", action: "PutItem", principal: "front-door", count: 1 },
  { after: "the coordinator was started", service: "lambda", action: "Invoke", principal: "front-door", count: 1 },
  { after: "the message was posted", service: "slack", action: "chat.postMessage", count: 1 },
  {
    after: "the node's own execution was started",
    service: "lambda",
    action: "Invoke",
    principal: "add-nodes",
    count: 1,
  },
  { after: "the instance was launched", service: "ec2", action: "RunInstances", count: 1 },
  { after: "the first command was sent", service: "ssm", action: "SendCommand", count: 1 },
  { after: "the third command was sent", service: "ssm", action: "SendCommand", count: 3 },
  { after: "the join secret was written", service: "secretsmanager", action: "CreateSecret", count: 1 },
  {
    after: "the client certificate was approved",
    service: "kubernetes",
    action: "update certificatesigningrequests/approval",
    principal: bot,
    count: 1,
  },
  { after: "the node was labelled or opened", service: "kubernetes", action: "patch nodes", principal: bot, count: 1 },
  { after: "the join secret was deleted", service: "secretsmanager", action: "DeleteSecret", count: 1 },
  { after: "the fifth line of the thread was posted", service: "slack", action: "chat.postMessage", count: 6 },
];

/** What a process leaves behind that is gone from one moment to the next: its memory, its ledger, and when it was. */
interface Remains {
  readonly file: string;
  readonly ledger: readonly Write[];
  readonly now: number;
}

const fits = ({ service, action, principal }: Moment, call: Omit<Call, "seq" | "at">): boolean =>
  call.error === null &&
  call.service === service &&
  call.action === action &&
  (principal === undefined || call.principal === principal);

const WRITES = new Set(["PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems"]);

/** Keeps every write that the ledger took. */
function writesOf({ ground: { dynamodb } }: World): Write[] {
  const writes: Write[] = [];
  const service = dynamodb.service as { answer: typeof dynamodb.service.answer };
  const answer = service.answer;
  service.answer = async (action, request, caller) => {
    const response = await answer(action, request, caller);
    if (WRITES.has(action) && response.status < 400)
      writes.push({ action, body: Buffer.from(request.body).toString("utf8") });
    return response;
  };
  return writes;
}

/** Copies the world's file and ledger at each moment, as they are right then. */
function remember(here: World, from: string): Map<string, Remains> {
  const { calls } = here.ground.foundation;
  const record = calls.record;
  const writes = writesOf(here);
  const remains = new Map<string, Remains>();
  const seen = new Map<string, number>();
  calls.record = (call) => {
    record(call);
    for (const moment of moments.filter((one) => fits(one, call))) {
      const times = (seen.get(moment.after) ?? 0) + 1;
      seen.set(moment.after, times);
      if (times !== moment.count) continue;
      const folder = `${from}-${remains.size}`;
      cpSync(from, folder, { recursive: true });
      remains.set(moment.after, { file: join(folder, FILE), ledger: [...writes], now: Date.now() });
    }
  };
  return remains;
}

const FILE = "ground.sqlite";

describe("a process that dies during an add and is started again on its files", () => {
  let parent: string;
  let remains: Map<string, Remains>;
  let here: World | undefined;

  beforeAll(async () => {
    parent = mkdtempSync(join(tmpdir(), "casement-restart-"));
    const folder = join(parent, "files");
    mkdirSync(folder);
    const first = await world({}, openStore(join(folder, FILE)));
    remains = remember(first, folder);
    await first.type("operator", "/win add web 1");
    await settled(first);
    await first.close();
  }, 60_000);
  afterEach(async () => {
    await here?.close();
    here = undefined;
  });
  afterAll(() => rmSync(parent, { recursive: true, force: true }));

  test.each(moments)("right after $after, finishes it once", { timeout: 60_000 }, async ({ after }) => {
    const left = remains.get(after);
    if (!left) throw new Error(`the add never came to where ${after}`);
    // A process that starts anew draws other random numbers.
    here = await world({ ledger: left.ledger, now: left.now, seed: left.now % 1_000 }, openStore(left.file));
    // A request that was written down and never started is what Slack's second delivery is for.
    if (after === "the request was written down") return expectNeverBegan(here);
    await settled(here);
    await expectAddedOnce(here);
  });
});

async function expectAddedOnce(here: World): Promise<void> {
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("succeeded");
  const [instance, ...others] = launchedBy(here, operation.id);
  expect(others).toEqual([]);
  expect(instance?.State?.Name).toBe("running");
  expect(nodes.map(({ status, instanceId }) => ({ status, instanceId }))).toEqual([
    { status: "succeeded", instanceId: instance?.InstanceId },
  ]);
  expect(nodeNamed(here, nodes[0]?.nodeName)?.spec?.taints?.map(({ key }) => key)).toEqual(["os"]);
  expect(await heldBack(here)).toEqual([]);
  expect(await joinSecrets(here)).toEqual([]);
  const [message, ...more] = openly(here);
  expect(more).toEqual([]);
  expect(message).toMatch(/✅ Add 1 node to web.*web: 1 node is Ready/s);
  const told = inThreads(here);
  expect(told.filter((line) => line.includes("Ready after"))).toHaveLength(1);
  expect(new Set(told).size).toBe(told.length);
  await expectSound(here);
}

/** Nobody knows of it but the ledger: the sweep finds it and says so. */
async function expectNeverBegan(here: World): Promise<void> {
  await here.pass(40);
  await settled(here);
  expect((await newest(here)).operation).toMatchObject({
    status: "not-started",
    summary: expect.stringContaining("never began"),
  });
  expect(openly(here).join()).toContain("never began");
  await expectSound(here);
}
