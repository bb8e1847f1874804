import { afterAll, beforeAll, expect, it } from "vitest";
import { addNodes } from "../../lambdas/workflows/add-nodes.ts";
import { operationRecord } from "../messages/records.ts";
import { configurationWith } from "../profiles/okd/facts.ts";
import { inMinutes, run, setUp, tearDown, verbs } from "./durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

it("a dry run promises nothing, writes no node and starts none; it tells the asker and ends", async () => {
  const { id, asker } = operationRecord();
  const did: string[] = [];
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
      facts: async () => ({ platform: "AWS", ownCloudController: false, podNetworks: [], wmco: false, wmcoNodes: [] }),
    },
    claims: { all: async () => [] },
    places: {
      reserve: async (_pool: unknown, _id: string, count: number) => {
        did.push(`promise ${count}`);
        return { before: 3, granted: true };
      },
      closeReservation: async () => undefined,
    },
    ledger: {
      operation: async () => operationRecord(),
      changeOperation: async (_id: string, { status }: { status?: string }) => void did.push(`${status}`),
      beginNode: does("write a node"),
    },
    executions: { start: does("start a node") },
    thread: { whisper: does("whisper"), post: does("post") },
  });
  const request = { command: "add", pool: "web", count: 2, dryRun: true } as const;
  const notAfter = Math.floor(inMinutes(15) / 1000);
  await run((ctx) => addNodes(steps)({ operation: id, request, asker, notAfter }, ctx));
  expect(did).toEqual(["running", "promise 0", "whisper", "succeeded"]);
});
