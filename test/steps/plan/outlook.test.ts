import type { V1Pod } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { plan } from "../../../lambdas/steps/plan/plan.ts";
import { at, careful, forced, NODE, NOON, owner, podNamed } from "../../drain/objects.ts";
import { answering } from "../answering.ts";
import { type ApiAnswer, type ApiAnswers, apiRefusal, apiServer, clusterSecret, listOf } from "../api-server.ts";

const node = { metadata: { name: NODE, labels: { "node.kubernetes.io/windows-build": "10.0.20348" } } };
const BUDGETS = "GET /apis/policy/v1/poddisruptionbudgets";

const known = { pool: "web", away: [], maxUnavailable: 1, others: [], mostMinutes: 15, connectionSeconds: 30 };

/** A cluster in which these pods are on the node, and others elsewhere, and every eviction is accepted. */
function cluster(pods: readonly V1Pod[], more: ApiAnswers = {}, elsewhere: readonly V1Pod[] = []): ApiAnswers {
  const evictions = pods.map(({ metadata }) => [
    `POST /api/v1/namespaces/${metadata?.namespace}/pods/${metadata?.name}/eviction`,
    { body: {} } satisfies ApiAnswer,
  ]);
  return {
    "GET /api/v1/pods": ({ query }) => listOf(...(query.fieldSelector ? pods : [...pods, ...elsewhere])),
    [BUDGETS]: listOf(),
    ...Object.fromEntries(evictions),
    ...more,
  };
}

const on = (api: ApiAnswers) => {
  const { exchange } = apiServer(api);
  const { context } = answering(clusterSecret(), exchange);
  return plan({ ...context, now: () => NOON });
};
const outlook = (api: ApiAnswers, options = careful) =>
  on(api).outlook({ node, nodes: [], options, connectionSeconds: 30 });

const alone = (name: string, more: Parameters<typeof podNamed>[1] = {}) =>
  podNamed(name, { ...more, metadata: { ownerReferences: [], ...more.metadata } });

const nothing = {
  blockers: [],
  longJobs: [],
  untried: null,
  release: "Windows Server 2022",
  pods: [],
  staying: 0,
  refusals: [],
  unread: [],
  at: "2026-11-21T12:00:00.000Z",
};

describe("The forecast of emptying a node", () => {
  test("of no pod is empty", async () => {
    expect(await outlook(cluster([]))).toEqual({ ...nothing, placements: [], minutes: 1 });
  });

  test("names workloads that are there alone, and volumes that may be lost", async () => {
    const annotations = { "cluster-autoscaler.kubernetes.io/safe-to-evict": "true" };
    const volumes = [{ name: "cache", emptyDir: {} }];
    const pods = [podNamed("web-0", { metadata: { annotations }, spec: { volumes } }), podNamed("web-1")];
    const { lone, expendable, pods: moved } = await outlook(cluster(pods));
    expect(lone).toEqual([{ owner: "shop/ReplicaSet web", pods: 2 }]);
    expect(expendable).toEqual(["shop/web-0 (cache)"]);
    expect(moved).toEqual([
      { namespace: "shop", name: "web-0", owner: "ReplicaSet web", localData: [] },
      { namespace: "shop", name: "web-1", owner: "ReplicaSet web", localData: [] },
    ]);
    const { lone: none } = await outlook(cluster(pods, {}, [podNamed("web-2", { spec: { nodeName: "win-2" } })]));
    expect(none).toBeUndefined();
  });

  test("counts pods that stay, and names those that do not end", async () => {
    const agent = podNamed("agent", { metadata: { ownerReferences: [owner("DaemonSet", "agent")] } });
    const stuck = podNamed("stuck", {
      metadata: { name: "stuck", deletionTimestamp: at(-900), finalizers: ["example.com/x"] },
      status: { phase: "Succeeded" },
    });
    const found = await outlook(
      cluster([agent, stuck], { "GET /apis/apps/v1/namespaces/shop/daemonsets/agent": { body: {} } }),
    );
    expect(found).toMatchObject({ terminating: ["shop/stuck"], staying: 1, pods: [] });
  });

  test("names what it could not read, and takes it for no obstacle", async () => {
    const job = (name: string) =>
      podNamed(name, {
        metadata: { ownerReferences: [owner("Job", name, "batch/v1")] },
        spec: { restartPolicy: "Never", runtimeClassName: "windows" },
      });
    const refusal = (name: string) => ({
      [`GET /apis/batch/v1/namespaces/shop/jobs/${name}`]: apiRefusal(403, "no jobs"),
    });
    const more = {
      ...refusal("a"),
      ...refusal("b"),
      "GET /apis/node.k8s.io/v1/runtimeclasses": apiRefusal(403, "no classes"),
      [BUDGETS]: apiRefusal(403),
    };
    expect((await outlook(cluster([job("a")], more))).unread).toEqual([
      "the Job of 1 pod (shop/a: no jobs)",
      "RuntimeClasses (no classes)",
      "disruption budgets",
    ]);
    const both = await outlook(cluster([job("a"), job("b")], more));
    expect(both.unread[0]).toBe("the Jobs of 2 pods (shop/a: no jobs)");
    expect(both.lone).toBeUndefined();
  });

  test("marks pods that may not come back, whether they are allowed to be lost or not", async () => {
    const pods = [
      podNamed("step", {
        metadata: { ownerReferences: [owner("Workflow", "nightly", "argo/v1")] },
        spec: { restartPolicy: "Never" },
      }),
      podNamed("orphan", { metadata: { ownerReferences: [owner("DaemonSet", "gone", "apps/v1")] } }),
      podNamed("web-0"),
    ];
    const gone = { "GET /apis/apps/v1/namespaces/shop/daemonsets/gone": apiRefusal(404) };
    const marked = async (options: typeof careful) =>
      (await outlook(cluster(pods, gone), options)).pods.map(({ name, isUncertain = false }) => [name, isUncertain]);
    const expected = [
      ["step", true],
      ["web-0", false],
    ];
    expect([await marked(careful), await marked(forced)]).toEqual([expected, expected]);
    const { refusals } = await outlook(cluster(pods, gone));
    expect(refusals).toEqual([
      { pod: "shop/step", reason: "uncertain-owner", detail: "Workflow/nightly" },
      { pod: "shop/orphan", reason: "daemonset-orphaned", detail: "shop/gone" },
    ]);
  });

  test("names values of holds that cannot be read, and jobs that must not be interrupted", async () => {
    const held = (name: string, value: string) =>
      podNamed(name, { metadata: { annotations: { "karpenter.sh/do-not-disrupt": value } } });
    const { unreadHolds, longJobs } = await outlook(cluster([held("a", "soon"), held("b", "true")]));
    expect(JSON.stringify(unreadHolds)).toContain("karpenter.sh/do-not-disrupt: soon");
    expect(longJobs).toEqual([
      { pod: "shop/b", annotation: "karpenter.sh/do-not-disrupt", startedAt: null, until: null },
    ]);
  });

  test("leaves finished pods out of its time and of what is lost", async () => {
    const done = alone("done", { status: { phase: "Succeeded" } });
    expect(await outlook(cluster([done]))).toMatchObject({ pods: [], refusals: [], placements: [], minutes: 1 });
  });

  test("is none of a busy server", async () => {
    const busy = outlook(cluster([], { [BUDGETS]: apiRefusal(503) }));
    await expect(busy).rejects.toMatchObject({ code: 503 });
  });
});

test("A plan adds what its operation knows, and what it could not read", async () => {
  const found = await on(cluster([], { [BUDGETS]: apiRefusal(403) })).of({
    node,
    nodes: [],
    options: careful,
    unread: ["the Machine"],
    ...known,
  });
  const { connectionSeconds: _, ...facts } = known;
  expect(found).toEqual({
    ...nothing,
    ...facts,
    placements: [],
    minutes: 1,
    node: NODE,
    unread: ["the Machine", "disruption budgets"],
  });
});
