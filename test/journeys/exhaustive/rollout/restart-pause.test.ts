import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { PAUSE_ROLLOUT, RESUME_ROLLOUT } from "../../../../lambdas/messages/slack/buttons.ts";
import type { StageName } from "../../../../lambdas/stages.ts";
import type { KubeObject } from "../../../../lib/sandbox/kubernetes/model/object.ts";
import { expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { running } from "../../others.ts";
import { inThreads, openly } from "../../reading.ts";
import { type Moment, type Restarts, recordRestarts, remover } from "../../restarts.ts";

const coordinator = "reboot-nodes";
const asked = "the pause was written down";
const resumed = "the resumption was written down";
const written = { service: "dynamodb", action: "UpdateItem" };
const woken = { service: "lambda", action: "SendDurableExecutionCallbackSuccess" };

const ofPause: readonly Moment[] = [
  { after: asked, ...written, principal: "front-door", writes: /"decision":\{"S":"pause"/, count: 1 },
  { after: "the rollout was woken", ...woken, principal: "front-door", since: asked, count: 1 },
  { after: "the rollout was paused", ...written, principal: coordinator, writes: /Paused: <@/, since: asked, count: 1 },
];
const ofWait: readonly Moment[] = [
  { after: "people were reminded", service: "slack", action: "chat.postMessage", since: asked, count: 1 },
  { after: resumed, ...written, principal: "front-door", writes: /"decision":\{"S":"resume"/, count: 1 },
  { after: "the rollout was woken again", ...woken, principal: "front-door", since: resumed, count: 1 },
  { after: "the next node was started", service: "lambda", action: "Invoke", since: resumed, count: 1 },
];

/** A pause by a person, and the stage that the first node is in then. */
interface Row {
  readonly how: string;
  readonly during: StageName;
  readonly moments: readonly Moment[];
  readonly pause: (here: Journey) => Promise<unknown>;
  readonly resume: (here: Journey) => Promise<unknown>;
  /** State of the first node while the rollout is paused, and the reboots that were sent by then. */
  readonly paused: readonly [status: string, reboots: readonly number[]];
}

/** Pods that take two minutes to end, on every node of the pool. */
const slowToEnd = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "slow", namespace: "default" },
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: "slow" } },
    template: {
      metadata: { labels: { app: "slow" } },
      spec: {
        nodeSelector: { "kubernetes.io/os": "windows" },
        tolerations: [{ key: "os", operator: "Exists" }],
        terminationGracePeriodSeconds: 180,
        containers: [
          {
            name: "slow",
            image: "registry.example.com/shop/slow:1.0",
            lifecycle: { preStop: { sleep: { seconds: 120 } } },
          },
        ],
      },
    },
  },
} as unknown as KubeObject;

const idOf = async (here: Journey): Promise<string> => (await newest(here)).operation.id;

const rows: readonly Row[] = [
  {
    how: "with /win pause, while pods leave its node",
    during: "evict",
    moments: [
      ...ofPause,
      {
        after: "the node was schedulable again",
        ...{ service: "kubernetes", action: "patch nodes", principal: remover, since: asked, count: 1 },
      },
      {
        after: "the node was put back",
        ...written,
        principal: "reboot-node",
        writes: /:\{"S":"cancelled"/,
        since: asked,
        count: 1,
      },
      ...ofWait,
    ],
    pause: async (here) => here.type("operator", `/win pause ${await idOf(here)}`),
    resume: async (here) => here.type("operator", `/win resume ${await idOf(here)}`),
    paused: ["cancelled", []],
  },
  {
    how: "with the button Pause, while its node reboots",
    during: "reboot",
    moments: [
      ...ofPause,
      {
        after: "the node was proven",
        ...written,
        principal: "reboot-node",
        writes: /:\{"S":"succeeded"/,
        since: asked,
        count: 1,
      },
      ...ofWait,
    ],
    pause: (here) => here.press("operator", PAUSE_ROLLOUT),
    resume: (here) => here.press("operator", RESUME_ROLLOUT),
    paused: ["succeeded", [1]],
  },
];

interface Sent {
  readonly documentName: string;
  readonly comment: string;
  readonly instanceIds: readonly string[];
}

/** Reboots that SSM was told of, one number for each machine. */
function reboots(here: Journey): readonly number[] {
  const counts = new Map<string, number>();
  for (const { documentName, comment, instanceIds } of here.simulator.simulation.store
    .collection<Sent>("ssm-commands")
    .values())
    if (documentName.includes("-reboot-") && comment.includes("reboot-"))
      for (const id of instanceIds) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts.values()];
}

describe.each(rows)("a process that dies after a person paused a rollout $how", (row) => {
  let restarts: Restarts;
  let here: Journey | undefined;
  let names: readonly (string | null)[];

  const cordoned = (on: Journey) => names.filter((name) => nodeNamed(on, name)?.spec?.unschedulable === true);
  const isPaused = async (on: Journey): Promise<boolean> => (await newest(on)).operation.rollout?.paused != null;
  const isAtRest = async (on: Journey): Promise<boolean> => (await newest(on)).nodes[0]?.endedAt != null;
  const wasResumed = async (on: Journey): Promise<boolean> =>
    (await newest(on)).operation.steering?.decision === "resume";

  /** Waits until a paused rollout has nothing in flight, lets people be reminded, and lets it go on. */
  async function goOn(on: Journey): Promise<void> {
    if (!(await wasResumed(on))) {
      await on.until(() => isPaused(on), 10, "the pause");
      await on.until(() => isAtRest(on), 120, "the end of the work on the first node");
      await on.pass(25);
      const { operation, nodes } = await newest(on);
      expect(operation).toMatchObject({
        status: "waiting",
        summary: expect.stringMatching(/^Paused: <@.*> paused it\./),
      });
      expect([nodes[0]?.status, reboots(on)]).toEqual(row.paused);
      expect([cordoned(on), await heldBack(on)]).toEqual([[], []]);
      await row.resume(on);
    }
    await settled(on, 240);
  }

  beforeAll(async () => {
    const approvals = { reboot: { needs: 0 } };
    restarts = await recordRestarts({ configuration: { approvals } }, row.moments, async (first) => {
      await first.type("operator", "/win add web 2");
      await settled(first);
      names = (await newest(first)).nodes.map(({ nodeName }) => nodeName);
      first.simulator.kubernetes.create(slowToEnd);
      await first.until(() => running(first, "slow") === 4, 10, "the pods");
      await first.type("operator", "/win reboot web");
      await first.until(async () => (await newest(first)).nodes[0]?.stage === row.during, 60, `stage ${row.during}`);
      if (row.during === "reboot") await first.until(() => reboots(first).length > 0, 10, "the order");
      expect(nodeNamed(first, (await newest(first)).nodes[0]?.nodeName)?.spec?.unschedulable).toBe(true);
      await row.pause(first);
      await goOn(first);
    });
  });
  afterEach(async () => {
    await here?.close();
    here = undefined;
  });
  afterAll(() => restarts.end());

  test.each(row.moments)(
    "right after $after, stays paused, goes on when told to, and reboots each node once",
    async ({ after }) => {
      here = await restarts.from(after);
      const restarted = here;
      await goOn(restarted);
      const { operation } = await newest(restarted);
      expect(operation).toMatchObject({
        status: "succeeded",
        summary: "2 of 2 nodes are rebooted and proven.",
        rollout: { paused: null },
      });
      expect(reboots(restarted)).toEqual([1, 1]);
      expect([cordoned(restarted), await heldBack(restarted)]).toEqual([[], []]);
      expect(openly(restarted).filter((text) => text.includes("Reboot pool web"))).toHaveLength(1);
      const told = inThreads(restarted);
      expect(told.filter((text) => text.includes("is a rollout that is paused, for"))).toHaveLength(1);
      expect(told.filter((text) => text.includes("the rollout is paused"))).toEqual([]);
      await expectSound(restarted);
    },
  );
});
