import { afterAll, beforeAll, expect, it } from "vitest";
import { addNodes } from "../../../lambdas/capabilities/add/add-nodes.ts";
import { acceptedAs, inMinutes, runStarted, setUp, tearDown, verbs } from "../../engine/durable-engine.ts";
import { nodeRecord, operationRecord } from "../../messages/records.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

beforeAll(setUp);
afterAll(tearDown);

const { id, asker } = operationRecord();

/** Runs an add whose nodes have ended as soon as they are started. @returns what it did, in order */
async function added(asked: { readonly count: number; readonly dryRun: boolean }): Promise<string[]> {
  const did: string[] = [];
  const request = { command: "add", pool: "web", ...asked } as const;
  const does = (what: string) => async (): Promise<void> => void did.push(what);
  const configuration = { ...configurationWith(), people: { operator: [asker.userId] }, policy: { add: ["operator"] } };
  const steps = verbs({
    runtime: { read: async () => ({ version: "7", configuration }) },
    people: { membership: async () => "member", groupsOf: async () => [] },
    instances: {
      checkSecurityGroup: async () => undefined,
      ofPool: async () => [],
      image: async () => ({ parameter: "/aws/…", imageId: "ami-0a1b2c3d4e5f60718" }),
    },
    cluster: {
      facts: async () => ({
        platform: "AWS",
        ownCloudController: false,
        networks: [],
        vpc: [],
        dnsAddress: null,
        wmco: false,
        wmcoNodes: [],
      }),
    },
    claims: { all: async () => [] },
    reservations: {
      reserve: async (_pool: unknown, _id: string, count: number) => {
        did.push(`promise ${count}`);
        return { before: 3, granted: true };
      },
      close: does("settle the pool"),
    },
    ledger: {
      accepted: acceptedAs({ request, asker }),
      operation: async () => operationRecord(),
      nodes: async () => [nodeRecord({ status: "succeeded", endedAt: "2026-11-21T15:00:00.000Z" })],
      changeOperation: async (_id: string, { status }: { status?: string }) => void did.push(`${status}`),
      recordNode: does("write a node"),
    },
    executions: { start: does("start a node") },
    unregistered: { kept: async () => [] },
    answers: { give: does("answer") },
    thread: {
      post: async () => {
        did.push("post");
        return "1.0";
      },
      update: async () => "1.0",
    },
  });
  const notAfter = Math.floor(inMinutes(15) / 1000);
  const start = { operation: id, request, asker, notAfter };
  await runStarted(start, (ctx) => addNodes(steps)(start, ctx));
  return did;
}

it("a dry run promises nothing, writes no node and starts none; it tells the requester and ends", async () => {
  const did = await added({ count: 2, dryRun: true });
  expect(did).toEqual(["running", "promise 0", "answer", "succeeded", "settle the pool"]);
});

it("an add settles its pool before it has ended, because no sweep looks after what has ended", async () => {
  const did = await added({ count: 1, dryRun: false });
  expect(did).toContain("succeeded");
  expect(did.indexOf("settle the pool")).toBeLessThan(did.indexOf("succeeded"));
  expect(did).toContain("settle the pool");
});
