import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from "vitest";
import { clients } from "../../lambdas/clients/clients.ts";
import type { KubernetesExchange } from "../../lambdas/clients/transport.ts";
import { isBusy } from "../../lambdas/steps/client-errors.ts";
import type { DrainOptions } from "../../lambdas/steps/drain/filters.ts";
import type { DrainState } from "../../lambdas/steps/drain/schedule.ts";
import { type Steps, steps } from "../../lambdas/steps/steps.ts";
import type { KubeObject } from "../../lib/sandbox/kubernetes/model/object.ts";
import {
  type Ask,
  linuxNode,
  needsControllers,
  type StillCluster,
  stillCluster,
} from "../sandbox/kubernetes/cluster.ts";
import { type TestSimulator, testSimulator } from "../steps/test-simulator.ts";
import { careful, forced } from "./objects.ts";

// The drain as it runs in the cloud, with the rights of the account "act", against the simulated API server or a real one.

const NAME = "casement-drain";
const isReal = inject("kubeconfig") !== undefined;

let simulator: TestSimulator;
let cluster: StillCluster;
let verbs: Steps;
let sent: string[];
let number = 0;

/** Sends the client's requests as the bot's account, whichever server answers. */
const through =
  (ask: Ask): KubernetesExchange =>
  async ({ method, url, headers, body }) => {
    const { pathname, search } = new URL(url);
    const { authorization: _own, ...rest } = headers;
    sent.push(`${method} ${pathname}`);
    const answer = await ask(`${method} ${pathname}${search}`, body, rest);
    const text = typeof answer.body === "string" ? answer.body : JSON.stringify(answer.body);
    return { status: answer.status, headers: { ...answer.headers }, body: text };
  };

const now = (): number => (isReal ? Date.now() : cluster.simulation.clock.now());
const pause = (ms: number): Promise<void> =>
  isReal ? new Promise((resolve) => setTimeout(resolve, ms)) : cluster.pass(ms / 1_000);

beforeAll(async () => {
  simulator = await testSimulator();
});
afterAll(() => simulator.close());

beforeEach(async () => {
  cluster = await stillCluster();
  needsControllers();
  sent = [];
  const settings = simulator.settings("drain-node");
  const transport = { ...simulator.transport, kubernetes: through(cluster.as("system:serviceaccount:casement:act")) };
  verbs = steps({ clients: clients(settings, transport), settings, now, pause });
  const node = linuxNode(NAME);
  const metadata = { ...node.metadata, labels: { ...node.metadata.labels, "kubernetes.io/os": "windows" } };
  cluster.api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: NAME } } as unknown as KubeObject);
  cluster.api.create({ ...node, metadata, spec: { unschedulable: true } } as unknown as KubeObject);
});
afterEach(() => cluster.stop());

interface Given {
  readonly metadata?: object;
  readonly spec?: object;
}

/** A pod on the node that ends at once when it is asked to, and is not made anew. */
function pod(name: string, { metadata = {}, spec = {} }: Given = {}): void {
  cluster.api.create({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: NAME, labels: { app: "web" }, ...metadata },
    spec: {
      nodeName: NAME,
      terminationGracePeriodSeconds: 0,
      tolerations: [{ operator: "Exists" }],
      containers: [{ name: "main", image: "registry.k8s.io/pause:3.10" }],
      ...spec,
    },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  } as unknown as KubeObject);
}

/** A budget over the pods, whose controller has looked at them. */
async function budget(name: string, minAvailable: number): Promise<void> {
  cluster.api.create({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name, namespace: NAME },
    spec: { minAvailable, selector: { matchLabels: { app: "web" } } },
  } as unknown as KubeObject);
  await cluster.until(async () => {
    const all = await cluster.objects("poddisruptionbudgets", "policy");
    const status = all.find(({ metadata }) => metadata.name === name)?.status as { observedGeneration?: number };
    return status?.observedGeneration !== undefined;
  }, `the status of ${name}`);
}

const path = (rest: string): string => `/api/v1/namespaces/${NAME}/${rest}`;
const left = async (): Promise<string[]> =>
  (await cluster.objects("pods"))
    .filter(({ metadata }) => metadata.namespace === NAME)
    .map(({ metadata }) => metadata.name);

/** Drains as the workflow does, poll by poll. @param seconds until the deadline */
async function drain(options: DrainOptions = forced, seconds = 60) {
  const uid = (await cluster.admin(`GET /api/v1/nodes/${NAME}`)).body.metadata.uid as string;
  number += 1;
  const held = await verbs.leases.take(`i-${NAME}-${number}`, "drain-1:0");
  const order = {
    node: { name: NAME, uid },
    held,
    options,
    deadline: now() + seconds * 1_000,
    notBefore: 0,
    mayGoOn: async () => true,
  };
  for (let state: DrainState | null = null; ; ) {
    const seen: Awaited<ReturnType<typeof verbs.drain.tick>> | null = await verbs.drain
      .tick(order, state)
      .catch((error: unknown) => {
        if (isBusy(error)) return null;
        throw error;
      });
    if (seen?.end) return seen.end;
    if (seen) state = seen.state;
    await pause(Math.max(1_000, Math.min(5_000, (seen?.againIn ?? 5) * 1_000, order.deadline - now())));
  }
}

test("DR-01 nothing is evicted from a node that is not cordoned", { tags: ["long"] }, async () => {
  pod("web-1");
  await cluster.admin(
    `PATCH /api/v1/nodes/${NAME}`,
    { spec: { unschedulable: null } },
    { "content-type": "application/merge-patch+json" },
  );
  expect(await drain()).toEqual({ kind: "uncordoned" });
  expect(await left()).toEqual(["web-1"]);
});

test("DR-05 one pod that may not be lost keeps all of them", async () => {
  pod("web-1");
  pod("web-2", { spec: { volumes: [{ name: "scratch", emptyDir: {} }] } });
  expect(await drain(careful)).toMatchObject({ kind: "refused" });
  expect(await left()).toEqual(["web-1", "web-2"]);
});

test("DR-07 DR-12 pods leave by evictions alone, a static pod stays", async () => {
  for (const name of ["web-1", "web-2", "web-3"]) pod(name);
  pod("static", {
    metadata: { annotations: { "kubernetes.io/config.mirror": "made-by-the-kubelet" }, labels: { app: "static" } },
  });
  expect(await drain()).toEqual({ kind: "drained" });
  expect(await left()).toEqual(["static"]);
  expect(sent.filter((line) => line.startsWith("DELETE"))).toEqual([]);
  expect(sent.filter((line) => line.endsWith("/eviction")).length).toBeGreaterThanOrEqual(3);
});

test("DR-14 two budgets over one pod are both named, and the pod is not asked", async () => {
  pod("web-1");
  await budget("one", 0);
  await budget("other", 0);
  const end = await drain(forced, 10);
  expect(end.kind).toBe("late");
  expect(JSON.stringify(end)).toMatch(new RegExp(`${NAME}/one[\\s\\S]*${NAME}/other`));
  expect(await left()).toEqual(["web-1"]);
});

test("V14 a budget that needs all of its pods holds them until the deadline, and is named with what it needs", async () => {
  pod("web-1");
  pod("web-2");
  await budget("all", 2);
  const end = await drain(forced, 12);
  expect(end.kind).toBe("late");
  expect(JSON.stringify(end)).toContain(`${NAME}/all`);
  expect(await left()).toEqual(["web-1", "web-2"]);
});

test("V6 a budget that gives way lets the drain end", async () => {
  pod("web-1");
  await budget("guard", 1);
  const whole = drain(forced, 60);
  const change = cluster.admin(
    `PATCH /apis/policy/v1/namespaces/${NAME}/poddisruptionbudgets/guard`,
    { spec: { minAvailable: 0 } },
    { "content-type": "application/merge-patch+json" },
  );
  expect((await change).status).toBe(200);
  expect(await whole).toEqual({ kind: "drained" });
  expect(await left()).toEqual([]);
});

test("V9 DR-11 a pod that others delete meanwhile is no trouble", async () => {
  pod("web-1");
  pod("web-2");
  await cluster.admin(`DELETE ${path("pods/web-1")}`, { gracePeriodSeconds: 0 });
  expect(await drain()).toEqual({ kind: "drained" });
  expect(await left()).toEqual([]);
});

test("V18 a Node that is deleted ends the drain", async () => {
  pod("web-1");
  await budget("guard", 1);
  const whole = drain(forced, 60);
  await cluster.admin(`DELETE /api/v1/nodes/${NAME}`);
  expect((await whole).kind).toBe("node-gone");
});
