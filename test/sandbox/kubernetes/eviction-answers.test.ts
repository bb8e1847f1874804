import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { conditionOf, type Pod } from "../../../lib/sandbox/kubernetes/model/shapes.ts";
import type { Answer, Ask } from "./asking.ts";
import { budget, NOON, needsControllers, type StillCluster, sandboxOnly, stillCluster } from "./cluster.ts";
import { admission } from "./eviction-answers/admission.ts";
import { budgets } from "./eviction-answers/budgets.ts";
import { requests } from "./eviction-answers/requests.ts";
import type { PodInput, Row } from "./eviction-answers/row.ts";

/** Controllers without which a pod stays as it was made: the measured server had no kubelets either. */
const KUBELETS = ["pod-lifecycle", "pod-gc"];

/** Number of the case: a real server soon ends pods of a node that it knows to be missing, so each case names its own. */
let round = 0;

let cluster: StillCluster;
beforeEach(async () => {
  round += 1;
  cluster = await stillCluster(undefined, NOON, KUBELETS);
  needsControllers();
});
afterEach(() => cluster.stop());

const phases = { succeeded: "Succeeded", failed: "Failed", pending: "Pending", unscheduled: "Pending" } as const;

function podOf({ name = "p", is = "ready", grace, metadata }: PodInput) {
  const phase = is in phases ? phases[is as keyof typeof phases] : "Running";
  const ready = is === "ready" || is === "terminating";
  const conditions = [{ type: "Ready", status: ready ? "True" : "False" }];
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app: "web" }, ...metadata },
    spec: {
      containers: [{ name: "main", image: "registry.k8s.io/pause:3.10" }],
      ...(is === "unscheduled" ? { nodeSelector: { "example.com/none": "yes" } } : { nodeName: `elsewhere-${round}` }),
      ...(grace === undefined ? {} : { terminationGracePeriodSeconds: grace }),
    },
    status: { phase, ...(is === "unscheduled" ? {} : { conditions }) },
  } as never;
}

interface Budget {
  status?: { conditions?: { type: string; reason: string }[]; disruptedPods?: Record<string, string> };
}

async function budgetStatus(name = "b0"): Promise<Record<string, unknown>> {
  const { body } = await cluster.admin(`GET /apis/policy/v1/namespaces/default/poddisruptionbudgets/${name}`);
  const { status = {} } = body as Budget;
  const { conditions = [], disruptedPods = {}, ...rest } = status;
  return {
    observedGeneration: undefined,
    ...rest,
    disruptedPods: Object.keys(disruptedPods),
    why: conditions[0]?.reason,
  };
}

/** Waits until the budgets' controller has said something about each of them. */
async function judged(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await cluster.until(async () => (await budgetStatus(`b${index}`)).why !== undefined, "the budget's status");
}

async function prepare({ pods = [{}], budgets: wanted = [], atOnce, before }: Row): Promise<void> {
  for (const pod of pods) cluster.api.create(podOf(pod));
  for (const { name = "p", is } of pods)
    if (is === "terminating") await cluster.admin(`DELETE /api/v1/namespaces/default/pods/${name}`);
  await before?.(cluster);
  if (atOnce) sandboxOnly("is faster than the budget's controller");
  wanted.forEach((spec, index) => {
    cluster.api.create(budget(`b${index}`, spec, "web"));
  });
  if (!atOnce) await judged(wanted.length);
}

const asker = (as: NonNullable<Row["asked"]>["as"]): Ask => {
  if (as === "badToken")
    return (line, body, headers) => cluster.admin(line, body, { ...headers, authorization: "Bearer not.a.token" });
  return as ? cluster.as(`drain-${as}`) : cluster.admin;
};

/** Sends the eviction; lets so many seconds pass when the answer is to take them. */
async function ask({ asked = {}, answer }: Row, seen: Pod | undefined): Promise<Answer> {
  const { name = "p", namespace = "default", query = "", options } = asked;
  const eviction = {
    apiVersion: "policy/v1",
    kind: "Eviction",
    metadata: { name, namespace },
    ...(options ? { deleteOptions: options } : {}),
  };
  const body = asked.body === undefined ? eviction : (asked.body ?? undefined);
  const filled = body === undefined ? undefined : JSON.parse(filledIn(JSON.stringify(body), seen));
  const sent = asker(asked.as)(`POST /api/v1/namespaces/${namespace}/pods/${name}/eviction${query}`, filled);
  if (answer.seconds === undefined) return sent;
  const start = cluster.simulation.clock.now();
  const took = sent.then(() => cluster.simulation.clock.now() - start);
  await cluster.pass(answer.seconds + 1);
  expect(await took).toBe(answer.seconds * 1_000);
  return sent;
}

const filledIn = (text: string, seen: Pod | undefined): string =>
  text.replaceAll("{uid}", seen?.metadata.uid ?? "").replaceAll("{version}", seen?.metadata.resourceVersion ?? "");

async function podNow(namespace = "default"): Promise<Pod | undefined> {
  const { status, body } = await cluster.admin(`GET /api/v1/namespaces/${namespace}/pods/p`);
  return status === 200 ? (body as Pod) : undefined;
}

function expectPod(wanted: Row["pod"], before: Pod | undefined, after: Pod | undefined, isEvicted: boolean): void {
  if (wanted === undefined) return;
  if (wanted === "gone") {
    expect(after).toBeUndefined();
    return;
  }
  if (wanted === "untouched") {
    expect(after?.metadata).toEqual(before?.metadata);
    expect(after?.metadata.deletionTimestamp).toBeUndefined();
    return;
  }
  expect(after?.metadata.deletionGracePeriodSeconds).toBe(wanted.grace);
  expect(after?.metadata.deletionTimestamp).toBeDefined();
  if (isEvicted)
    expect(conditionOf(after?.status?.conditions, "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "EvictionByEvictionAPI",
      message: "Eviction API: evicting",
    });
}

/** Lets the controllers work for a moment, on either server. */
async function settle(): Promise<void> {
  let looks = 0;
  await cluster.until(() => {
    looks += 1;
    return looks > 1;
  }, "a moment");
}

/** An answer without the place in the server's source that registers its kinds: builds differ in it. */
const withoutBuild = (body: unknown): unknown =>
  JSON.parse(JSON.stringify(body ?? null).replace(/ in scheme \\"[^"]*\\"/, ""));

/** Words of a server from 1.36 on about a budget whose numbers do not explain its refusal; the rows have those of 1.34. */
async function inWordsOf({ admin }: StillCluster, text: string): Promise<string> {
  const { body } = await admin("GET /version");
  if (Number(body.minor) < 36) return text;
  return text.replace(/needs (\d+) healthy pods and has (\d+) currently/, (counted, needs, has) =>
    Number(has) > Number(needs) ? "does not allow evicting pods currently" : counted,
  );
}

describe("The answer to the eviction of", () => {
  test.each([...requests, ...budgets, ...admission])("$situation", async (row) => {
    await prepare(row);
    const before = await podNow(row.asked?.namespace);
    const { status, headers, body } = await ask(row, before);
    const wanted = JSON.parse(await inWordsOf(cluster, filledIn(JSON.stringify(row.answer.body), before)));
    expect([status, withoutBuild(body)]).toEqual([row.answer.status, withoutBuild(wanted)]);
    expect(headers).toMatchObject(row.answer.headers ?? {});
    if (!row.answer.headers?.["retry-after"]) expect(headers["retry-after"]).toBeUndefined();
    expectPod(row.pod, before, await podNow(row.asked?.namespace), status === 201);
    if (!row.budget) return;
    await settle();
    expect(await budgetStatus()).toMatchObject(row.budget);
  });
});
