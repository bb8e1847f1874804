import { clients } from "../../lambdas/clients/clients.ts";
import { isBusy } from "../../lambdas/steps/client-errors.ts";
import type { DrainOptions } from "../../lambdas/steps/drain/filters.ts";
import type { DrainOrder } from "../../lambdas/steps/drain/order.ts";
import type { DrainState } from "../../lambdas/steps/drain/schedule.ts";
import { type Steps, steps } from "../../lambdas/steps/steps.ts";
import type { KubeObject } from "../../lib/sandbox/kubernetes/model/object.ts";
import { linuxNode } from "../sandbox/kubernetes/cluster.ts";
import { type TestSimulator, testSimulator } from "../steps/test-simulator.ts";
import { forced } from "./objects.ts";

type Exchange = TestSimulator["transport"]["kubernetes"];

/** A request to the API server, as the client sent it. */
export interface Sent {
  /** "POST", "GET" */
  readonly method: string;
  /** Path without its parameters. */
  readonly path: string;
  readonly query: URLSearchParams;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its own request
  readonly body: any;
  /** Seconds of the simulator's time since the place was made. */
  readonly at: number;
  /** Requests that were under way, this one included. */
  readonly underWay: number;
}

/** An answer that the simulated server cannot be brought to give. */
export interface Scripted {
  readonly status: number;
  readonly body?: object | string;
  readonly headers?: Record<string, string>;
}

/** A Status of the API server, as an answer. */
export const refusal = (code: number, message: string, reason?: string, causes?: readonly object[]): Scripted => ({
  status: code,
  body: { kind: "Status", status: "Failure", message, reason, code, ...(causes ? { details: { causes } } : {}) },
});

/** A budget's refusal, as a 1.34.4 server gives it. */
export const violates = (words: string, retryAfter?: number): Scripted => ({
  ...refusal(429, "Cannot evict pod as it would violate the pod's disruption budget.", "TooManyRequests", [
    { reason: "DisruptionBudget", message: words },
  ]),
  ...(retryAfter === undefined ? {} : { headers: { "retry-after": String(retryAfter) } }),
});

const isEviction = ({ path, method }: Sent): boolean => method === "POST" && path.endsWith("/eviction");

/** The simulator, and the way to its API server with what a test puts in between. */
export async function drainingSimulator() {
  const simulator = await testSimulator();
  simulator.resume();
  const { clock } = simulator.simulation;
  const began = clock.now();
  const sent: Sent[] = [];
  const script: { answer: (request: Sent) => Scripted | undefined } = { answer: () => undefined };
  let underWay = 0;
  const exchange: Exchange = async (request) => {
    underWay += 1;
    const { pathname, searchParams } = new URL(request.url);
    const body: unknown = request.body ? JSON.parse(request.body) : undefined;
    const at = (clock.now() - began) / 1_000;
    const one = { method: request.method, path: pathname, query: searchParams, body, at, underWay };
    sent.push(one);
    try {
      const given = script.answer(one);
      if (!given) return await simulator.transport.kubernetes(request);
      const text = typeof given.body === "string" ? given.body : JSON.stringify(given.body ?? {});
      const type = typeof given.body === "string" ? "text/plain; charset=utf-8" : "application/json";
      return { status: given.status, headers: { "content-type": type, ...given.headers }, body: text };
    } finally {
      underWay -= 1;
    }
  };
  const settings = simulator.settings("remove-node");
  const verbs: Steps = steps({
    clients: clients(settings, { ...simulator.transport, kubernetes: exchange }),
    settings,
    now: clock.now,
    pause: (ms) => simulator.pass(ms / 1_000),
  });
  return { simulator, verbs, sent, script, now: clock.now };
}

type Here = Awaited<ReturnType<typeof drainingSimulator>>;

const stored = (here: Here, object: object): KubeObject => here.simulator.kubernetes.create(object as KubeObject);

/** A cluster administrator at kubectl. */
async function asAdmin({ simulator }: Here, method: string, url: string, body: object = {}): Promise<void> {
  const token = simulator.kubernetes.issueToken({ name: "admin", groups: ["system:masters"] }, null);
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const headers = { authorization: `Bearer ${token}`, "content-type": type };
  const answer = await simulator.kubernetes.answer({ method, url, headers, body: Buffer.from(JSON.stringify(body)) });
  if (answer.status >= 400) throw new Error(`${method} ${url}: ${String(answer.body)}`);
}

/** A kubelet that never falls silent. */
const forever = (name: string) => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name, namespace: "kube-node-lease" },
  spec: { holderIdentity: name, renewTime: "2036-11-21T08:00:00.000000Z", leaseDurationSeconds: 40 },
});

/** A pod that nothing recreates, in the place's namespace. */
const podIn = (place: string, name: string, { metadata, spec, status }: Record<string, object> = {}) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: place, labels: { app: "web" }, ...metadata },
  spec: { nodeName: place, containers: [{ name: "main", image: "pause" }], ...spec },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }], ...status },
});

/** Seconds after which the workflow asks a busy service again, at the beginning of a wait. */
const FIRST_PAUSE = 5;

/** The workflow keeps what it knows while a service is busy; every other error is the drain's end. */
const unanswered = (error: unknown): null => {
  if (isBusy(error)) return null;
  throw error;
};

/** Course of a drain: what it was told at its end, and how long it took. */
export interface Drained {
  readonly end: Awaited<ReturnType<Steps["drain"]["tick"]>>["end"];
  readonly waitsFor: readonly string[];
  readonly seconds: number;
}

/** A place of its own in the simulator: a cordoned Windows node and a namespace of the same name, held by a lease. */
export async function placeIn(here: Here, name: string, spec: object = { unschedulable: true }) {
  const metadata = { name, labels: { "kubernetes.io/os": "windows" } };
  const node = stored(here, { ...linuxNode(name), metadata, spec });
  stored(here, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  stored(here, forever(name));
  const held = await here.verbs.leases.take(`i-${name}`, "remove-1:0");
  here.script.answer = () => undefined;
  here.sent.length = 0;

  const order = (changes: Partial<DrainOrder> = {}, options: DrainOptions = forced): DrainOrder => ({
    node: { name, uid: node.metadata.uid },
    held,
    options,
    deadline: here.now() + 600_000,
    notBefore: 0,
    mayGoOn: async () => true,
    ...changes,
  });
  const tick = (state: DrainState | null = null, changes: Partial<DrainOrder> = {}, options: DrainOptions = forced) =>
    here.verbs.drain.tick(order(changes, options), state);
  const pods = () =>
    here.simulator.kubernetes.objects("pods").filter(({ metadata }) => metadata.namespace === name) as KubeObject[];

  return {
    name,
    held,
    order,
    tick,
    pods,
    pod: (podName: string, more: Record<string, object> = {}) => stored(here, podIn(name, podName, more)),
    budget: async (budgetName: string, spec: object, app = "web") => {
      const selector = { matchLabels: { app } };
      const [apiVersion, kind] = ["policy/v1", "PodDisruptionBudget"];
      stored(here, { apiVersion, kind, metadata: { name: budgetName, namespace: name }, spec: { selector, ...spec } });
      await here.simulator.pass(2);
    },
    stored: (object: object) => stored(here, object),
    kubectl: (method: string, url: string, body?: object) => asAdmin(here, method, url, body),
    evictions: () => here.sent.filter(isEviction),
    evicted: () => here.sent.filter(isEviction).map(({ path }) => path.split("/").at(-2)),

    /** Polls as the workflow does, until the drain ends. */
    drain: async (changes: Partial<DrainOrder> = {}, options: DrainOptions = forced): Promise<Drained> => {
      const begun = here.now();
      const whole = order(changes, options);
      const waitsFor: string[] = [];
      for (let state: DrainState | null = null; ; ) {
        const seen: Awaited<ReturnType<typeof tick>> | null = await here.verbs.drain
          .tick(whole, state)
          .catch(unanswered);
        if (seen === null) {
          await here.simulator.pass(FIRST_PAUSE);
          continue;
        }
        if (seen.end) return { end: seen.end, waitsFor, seconds: (here.now() - begun) / 1_000 };
        waitsFor.push(seen.waitsFor);
        state = seen.state;
        const left = Math.max(1, Math.ceil((whole.deadline - here.now()) / 1_000));
        await here.simulator.pass(Math.min(seen.againIn ?? 15, left));
      }
    },
  };
}
