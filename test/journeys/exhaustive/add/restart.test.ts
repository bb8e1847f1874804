import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectSound, heldBack, joinSecrets, launchedBy, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { inThreads, openly } from "../../reading.ts";
import { joiner, type Moment, type Restarts, recordRestarts } from "../../restarts.ts";

const moments: readonly Moment[] = [
  // The operation, what the front door has accepted, and where a private answer goes.
  { after: "the request was written down", service: "dynamodb", action: "PutItem", principal: "front-door", count: 3 },
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
    principal: joiner,
    count: 1,
  },
  {
    after: "the node was labelled or opened",
    service: "kubernetes",
    action: "patch nodes",
    principal: joiner,
    count: 1,
  },
  { after: "the join secret was deleted", service: "secretsmanager", action: "DeleteSecret", count: 1 },
  { after: "the fifth line of the thread was posted", service: "slack", action: "chat.postMessage", count: 6 },
];

describe("a process that dies during an add and is started again on its files", () => {
  let restarts: Restarts;
  let here: Journey | undefined;

  beforeAll(async () => {
    restarts = await recordRestarts({}, moments, async (first) => {
      await first.type("operator", "/win add web 1");
      await settled(first);
    });
  });
  afterEach(async () => {
    await here?.close();
    here = undefined;
  });
  afterAll(() => restarts.end());

  test.each(moments)("right after $after, finishes it once", async ({ after }) => {
    here = await restarts.from(after);
    // A request that was written down and never started is what Slack's second delivery is for.
    if (after === "the request was written down") return expectNeverBegan(here);
    await settled(here);
    await expectAddedOnce(here);
  });
});

async function expectAddedOnce(here: Journey): Promise<void> {
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
  expect(message).toMatch(/✅ Add 1 node to web.*1 node is Ready/s);
  const told = inThreads(here);
  expect(told.filter((line) => line.includes(": Ready after"))).toHaveLength(1);
  expect(told.filter((line) => line.includes("<@U0OPERATOR> 1 node is Ready. ("))).toHaveLength(1);
  expect(new Set(told).size).toBe(told.length);
  await expectSound(here);
}

/** Only the ledger knows of it: the sweep finds it and says so. */
async function expectNeverBegan(here: Journey): Promise<void> {
  await here.pass(40);
  await settled(here);
  expect((await newest(here)).operation).toMatchObject({
    status: "failed",
    summary: expect.stringContaining("never started"),
  });
  expect(openly(here).join()).toContain("never started");
  await expectSound(here);
}
