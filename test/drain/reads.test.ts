import { ApiException, type V1Pod } from "@kubernetes/client-node";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { StepContext } from "../../lambdas/steps/context.ts";
import { drainReads, onlyOf } from "../../lambdas/steps/drain/drain-reads.ts";
import { podOwners } from "../../lambdas/steps/drain/owners.ts";
import { preflight } from "../../lambdas/steps/drain/preflight.ts";
import { holdUpsOf } from "../../lambdas/steps/drain/report.ts";
import { newDrain, type PodWait } from "../../lambdas/steps/drain/schedule.ts";
import { at, budgetNamed, careful, NODE, NOON, owner, podNamed } from "./objects.ts";

const refused = (code: number, message = "no") => new ApiException(code, "m", JSON.stringify({ message }), {});
const thrown = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);

/** The context of steps whose Kubernetes clients answer so. */
const contextWith = (kubernetes: object, now: () => number = () => NOON) =>
  ({ clients: { kubernetes }, now }) as unknown as StepContext;

describe("The volumes attached to a node", () => {
  const attached = (name: string, nodeName: string, persistentVolumeName?: string) => ({
    metadata: { name },
    spec: { nodeName, source: { persistentVolumeName } },
  });
  const on = (...pages: readonly (object | Error)[]) => {
    const asked: object[] = [];
    const listClusterCustomObject = async (parameters: object) => {
      asked.push(parameters);
      const page = pages[asked.length - 1];
      if (page instanceof Error) throw page;
      return page;
    };
    return { look: drainReads(contextWith({ custom: { listClusterCustomObject } })), asked };
  };

  test("are those of every page, by volume, or by attachment without one", async () => {
    const { look, asked } = on(
      { items: [attached("a", NODE, "pv-1"), attached("b", "win-2", "pv-2")], metadata: { continue: "next" } },
      { items: [attached("c", NODE)], metadata: { continue: "" } },
    );
    expect(await look.attachments(NODE)).toEqual({ attached: ["pv-1", "c"] });
    const where = { group: "storage.k8s.io", version: "v1", plural: "volumeattachments", limit: 500 };
    expect(asked).toEqual([where, { ...where, _continue: "next" }]);
    expect(await on({}).look.attachments(NODE)).toEqual({ attached: [] });
  });

  test.each([403, 404])("cannot be listed after a %i, in the server's words", async (code) => {
    expect(await on(refused(code, "not yours")).look.attachments(NODE)).toEqual({ unreadable: "not yours" });
  });

  test.each([refused(500), new Error("reset")])("are not known after %s", async (error) => {
    expect(await thrown(on(error).look.attachments(NODE))).toBe(error);
  });
});

describe("Budgets", () => {
  const budgets = (answer: () => object) =>
    thrown(
      drainReads(contextWith({ policy: { listPodDisruptionBudgetForAllNamespaces: async () => answer() } })).budgets(),
    );

  test("are listed, unknown without the right, and any other error is thrown", async () => {
    expect(await budgets(() => ({ items: [budgetNamed("web")] }))).toEqual([budgetNamed("web")]);
    const fail = (error: Error) =>
      budgets(() => {
        throw error;
      });
    expect(await fail(refused(403))).toBeNull();
    expect(await fail(refused(404))).toMatchObject({ code: 404 });
    expect(await fail(new Error("reset"))).toEqual(new Error("reset"));
  });
});

test("Pods are judged with their owners, and the state keeps what is known of those that are still there", async () => {
  const agent = podNamed("agent", { metadata: { ownerReferences: [owner("DaemonSet", "agent")] } });
  const claiming = podNamed("db-0", {
    metadata: { annotations: { "kubernetes.io/config.mirror": "x" } },
    spec: { volumes: [{ name: "d", persistentVolumeClaim: { claimName: "d" } }] },
  });
  const asked: object[] = [];
  const core = {
    listPodForAllNamespaces: async (parameters: object) => {
      asked.push(parameters);
      return { items: [podNamed("web-0"), agent, claiming] };
    },
  };
  const custom = { getNamespacedCustomObject: async () => ({}) };
  const refusal = { kind: "budget", words: "w", count: 1, notBefore: 0 } as never;
  const before = { ...newDrain, refused: { "uid-web-0": refusal, gone: refusal } };
  const seen = await drainReads(contextWith({ core, custom })).pods(NODE, careful, before);
  expect(asked).toEqual([{ fieldSelector: `spec.nodeName=${NODE}`, limit: 500 }]);
  expect([seen.evict, seen.stay].map((pods) => pods.map(({ metadata }) => metadata?.name))).toEqual([
    ["web-0"],
    ["agent", "db-0"],
  ]);
  expect(seen).toMatchObject({ at: NOON, state: { refused: { "uid-web-0": refusal }, stayingVolumes: 1 } });
  expect(seen.state.daemonSets).toEqual(["shop/agent"]);
  expect(Object.keys(seen.state.refused)).toEqual(["uid-web-0"]);
  expect(onlyOf(before, []).refused).toEqual({});
});

describe("The owners of pods", () => {
  const owners = (answer: (asked: { plural: string; name: string }) => object, now = NOON) => {
    const asked: object[] = [];
    const getNamespacedCustomObject = async (parameters: { plural: string; name: string }) => {
      asked.push(parameters);
      return answer(parameters);
    };
    return { owners: podOwners(contextWith({ custom: { getNamespacedCustomObject } }, () => now)), asked };
  };
  const of = (kind: string, name: string, apiVersion: string, more: Parameters<typeof podNamed>[1] = {}) =>
    podNamed(`${name}-1`, {
      ...more,
      metadata: { ownerReferences: [owner(kind, name, apiVersion)], ...more.metadata },
    });
  const fails = (error: Error) => () => {
    throw error;
  };

  test("that are DaemonSets exist, are absent or cannot be read, and each is read once", async () => {
    const answer = ({ name }: { name: string }) => {
      if (name === "gone") throw refused(404);
      if (name === "hidden") throw refused(403, "not yours");
      return {};
    };
    const here = owners(answer);
    const pods = [
      of("DaemonSet", "known", "apps/v1"),
      of("DaemonSet", "agent", "apps/v1"),
      of("DaemonSet", "agent", "apps/v1"),
      of("DaemonSet", "gone", "apps/v1"),
      of("DaemonSet", "hidden", "apps/v1"),
      of("DaemonSet", "done", "apps/v1", { status: { phase: "Succeeded" } }),
      podNamed("web-0"),
    ];
    expect([...(await here.owners.daemonSets(pods, ["shop/known"]))]).toEqual([
      ["shop/known", "exists"],
      ["shop/agent", "exists"],
      ["shop/gone", "absent"],
      ["shop/hidden", { unreadable: "not yours" }],
    ]);
    expect(here.asked).toHaveLength(3);
    expect(here.asked[0]).toEqual({
      group: "apps",
      version: "v1",
      plural: "daemonsets",
      namespace: "shop",
      name: "agent",
    });
    expect(await thrown(owners(fails(refused(503))).owners.daemonSets(pods, []))).toMatchObject({ code: 503 });
  });

  test("that are Jobs are read again after a minute", async () => {
    const job = { metadata: { uid: "u" } };
    const pods = [of("Job", "nightly", "batch/v1"), of("Job", "done", "batch/v1", { status: { phase: "Failed" } })];
    const read = async (known: Record<string, number>) => {
      const { states, readAt } = await owners(() => job).owners.jobs(pods, known);
      return [[...states], readAt];
    };
    expect(await read({})).toEqual([[["shop/nightly", job]], { "shop/nightly": NOON }]);
    const fresh = { "shop/nightly": NOON - 59_999, other: 1 };
    expect(await read(fresh)).toEqual([[["shop/nightly", "recreates"]], fresh]);
    expect(await read({ "shop/nightly": NOON - 60_000 })).toEqual([[["shop/nightly", job]], { "shop/nightly": NOON }]);
    const { states } = await owners(fails(refused(404))).owners.jobs(pods, {});
    expect([...states]).toEqual([["shop/nightly", "absent"]]);
  });
});

describe("What holds a pod", () => {
  const pod = podNamed("web-0");
  const found = (why: PodWait, of: V1Pod = pod) => holdUpsOf([{ pod: of, why }], null, NOON);
  const refusal = (more: object) => ({ kind: "refused", refusal: { words: "no", ...more } }) as unknown as PodWait;

  test.each<[PodWait, object]>([
    [{ kind: "turn", budget: null } as unknown as PodWait, { kind: "turn" }],
    [{ kind: "overload", words: "busy" } as unknown as PodWait, { kind: "unanswered", why: "busy" }],
    [
      { kind: "held", annotation: "a", since: NOON - 60_000 } as unknown as PodWait,
      { kind: "held", annotation: "a", runningMs: 60_000 },
    ],
    [
      { kind: "held", annotation: "a", since: null } as unknown as PodWait,
      { kind: "held", annotation: "a", runningMs: null },
    ],
    [refusal({ kind: "namespace-ends" }), { kind: "namespace" }],
    [refusal({ kind: "several-budgets" }), { kind: "several-budgets", budgets: [] }],
    [refusal({ kind: "refused", by: "policy" }), { kind: "refused", by: "policy", why: "no" }],
    [refusal({ kind: "refused" }), { kind: "refused", by: "request", why: "no" }],
    [refusal({ kind: "budget" }), { kind: "budget-says", why: "no" }],
    [refusal({ kind: "unanswered" }), { kind: "unanswered", why: "no" }],
    [
      { kind: "budget", block: { kind: "several", budgets: ["shop/a", "shop/b"] } } as unknown as PodWait,
      { kind: "several-budgets", budgets: ["shop/a", "shop/b"] },
    ],
    [
      { kind: "budget", block: { kind: "processing", budget: "shop/a" } } as unknown as PodWait,
      { kind: "processing", budget: "shop/a" },
    ],
    [
      { kind: "budget", block: { kind: "used-up", budget: "shop/a", needs: 2, has: 1 } } as unknown as PodWait,
      { kind: "budget", budget: "shop/a", needs: 2, has: 1, terminating: [] },
    ],
  ])("for %j is %j", (why, cause) => {
    expect(found(why)).toEqual([{ pod: "shop/web-0", ...cause }]);
  });

  test("names terminating pods of its budget, and what a pod that does not end keeps", () => {
    const ending = podNamed("web-1", {
      metadata: { deletionTimestamp: at(-60), finalizers: ["example.com/kept"] },
      spec: { volumes: [{ name: "d", persistentVolumeClaim: { claimName: "d" } }] },
    });
    const other = podNamed("db-0", { metadata: { deletionTimestamp: at(-60), labels: { app: "db" } } });
    const terminating = { kind: "terminating", overMs: 60_000, isStuck: true } as unknown as PodWait;
    const used = { kind: "budget", block: { kind: "used-up", budget: "shop/web" } } as unknown as PodWait;
    const waiting = [
      { pod, why: used },
      { pod: ending, why: terminating },
      { pod: other, why: terminating },
    ];
    expect(holdUpsOf(waiting, [budgetNamed("web")], NOON)).toEqual([
      { pod: "shop/web-0", kind: "budget", budget: "shop/web", terminating: ["shop/web-1"] },
      { ...terminating, pod: "shop/web-1", finalizers: ["example.com/kept"], claims: ["d"] },
      { ...terminating, pod: "shop/db-0" },
    ]);
  });
});

describe("Evictions that are tried before a drain", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"], now: NOON });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const tried = async (pods: readonly V1Pod[], answer: (name: string) => Promise<unknown>) => {
    const asked: { name: string }[] = [];
    const createNamespacedPodEviction = (parameters: { name: string }) => {
      asked.push(parameters);
      return answer(parameters.name);
    };
    const { try: attempt } = preflight(contextWith({ core: { createNamespacedPodEviction } }, Date.now));
    const result = thrown(attempt(pods));
    await vi.advanceTimersByTimeAsync(60_000);
    const { answers, untried } = (await result) as Awaited<ReturnType<typeof attempt>>;
    return { answers: [...answers], untried, asked };
  };
  const pods = (count: number) => Array.from({ length: count }, (_, index) => podNamed(`web-${index}`));
  const fine = async () => ({});

  test("are dry runs, of pods that a drain would evict", async () => {
    const held = podNamed("held", { metadata: { annotations: { "casement.dev/do-not-disrupt": "true" } } });
    const ending = podNamed("ending", { metadata: { deletionTimestamp: at(0) } });
    const { answers, untried, asked } = await tried([podNamed("web-0"), held, ending], fine);
    expect(answers).toEqual([["uid-web-0", { kind: "accepted" }]]);
    expect([untried, asked]).toEqual([
      null,
      [
        {
          name: "web-0",
          namespace: "shop",
          dryRun: "All",
          body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "web-0", namespace: "shop" } },
        },
      ],
    ]);
  });

  test("are a hundred at most", async () => {
    expect((await tried(pods(100), fine)).untried).toBeNull();
    const { answers, untried, asked } = await tried(pods(101), fine);
    expect([answers.length, asked.length, untried]).toEqual([100, 100, { pods: 1, why: "100 are tried at most" }]);
  });

  test("end with the first answer that says that the server cannot be asked", async () => {
    const rbac = refused(403, 'u cannot create resource "pods/eviction"');
    const { answers, untried, asked } = await tried(pods(25), (name) =>
      name === "web-3" ? Promise.reject(rbac) : fine(),
    );
    expect([answers.length, asked.length, untried]).toEqual([
      9,
      10,
      { pods: 16, why: 'u cannot create resource "pods/eviction"' },
    ]);
  });

  test.each<[string, Error, string]>([
    ["overload", new ApiException(429, "m", "Too many", {}), "too many requests"],
    ["no answer", refused(503, "later"), "the API server answered 503: later"],
  ])("end after %s", async (_what, error, why) => {
    const { untried } = await tried(pods(2), () => Promise.reject(error));
    expect(untried).toEqual({ pods: 2, why });
  });

  test("that a policy refuses are answers", async () => {
    const denied = refused(422, "ValidatingAdmissionPolicy 'p' denied it");
    const { answers, untried } = await tried(pods(1), () => Promise.reject(denied));
    expect([answers, untried]).toEqual([
      [["uid-web-0", { kind: "refused", by: "policy", words: "ValidatingAdmissionPolicy 'p' denied it" }]],
      null,
    ]);
  });

  test("end after twenty seconds, in a batch that hangs or between two", async () => {
    const silent = await tried(pods(12), () => new Promise(() => undefined));
    expect([silent.asked.length, silent.untried]).toEqual([10, { pods: 12, why: "no answer within 20 s" }]);
    const slow = () => new Promise((resolve) => setTimeout(resolve, 10_000));
    const { answers, untried } = await tried(pods(30), slow);
    expect([answers.length, untried]).toEqual([20, { pods: 10, why: "there was no more time after 20 s" }]);
  });

  test("are no answers after a bug, which is thrown", async () => {
    const { try: attempt } = preflight(
      contextWith({ core: { createNamespacedPodEviction: () => Promise.reject(new TypeError("bug")) } }, Date.now),
    );
    expect(await thrown(attempt(pods(1)))).toEqual(new TypeError("bug"));
  });
});
