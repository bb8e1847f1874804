import { messageOf } from "../../../../message-of.ts";
import { type ApiAnswer, type Credentials, callApi, errorMessageOf } from "../../kube-client.ts";
import type { ProgramContext } from "../../machine.ts";
import { type Address, type Condition, conditionsOf, newNode, ownAddresses, statusOf } from "./node-object.ts";
import type { KubeletSettings } from "./settings.ts";

/** A kubelet that has its client certificate. */
export interface Kubelet {
  readonly context: ProgramContext;
  readonly settings: KubeletSettings;
  credentials(): Credentials;
  /** The state of its Node as it last saw it. */
  seen: { addresses: readonly Address[]; conditions: readonly Condition[]; reportedAt: number };
}

/** kubelet configuration: nodeLeaseDurationSeconds 40, renewed at a quarter of it; nodeStatusUpdateFrequency 10 s. */
const LEASE_SECONDS = 40;
const RENEW_MS = 10_000;
const STATUS_MS = 10_000;
/** nodeStatusReportFrequency. */
const REPORT_MS = 5 * 60_000;
/** kubelet_node_status.go: from 100 ms, doubling, at most 7 s. */
const FIRST_TRY_MS = 100;
const LAST_TRY_MS = 7_000;

const ask = (
  { context, credentials }: Kubelet,
  method: "GET" | "POST" | "PUT" | "PATCH",
  path: string,
  body?: unknown,
): Promise<ApiAnswer> => callApi(context.machine, context.process, credentials(), method, path, body);

const nodePath = ({ settings }: Kubelet): string => `/api/v1/nodes/${settings.nodeName}`;

/** Registers the Node, or finds it registered; retries until it exists. */
export async function registerNode(kubelet: Kubelet): Promise<void> {
  const { context, settings } = kubelet;
  for (let wait = FIRST_TRY_MS; ; wait = Math.min(wait * 2, LAST_TRY_MS)) {
    const answer = await ask(kubelet, "POST", "/api/v1/nodes", newNode(context.machine, settings, context.version));
    if (answer.status === 201 || answer.status === 409) {
      context.log(`Successfully registered node ${settings.nodeName}`);
      return;
    }
    context.log(`Unable to register node with API server: ${errorMessageOf(answer)}`);
    await context.process.pause(wait);
  }
}

async function lookAtNode(kubelet: Kubelet): Promise<void> {
  const answer = await ask(kubelet, "GET", nodePath(kubelet));
  if (answer.status !== 200)
    throw new Error(`error getting node ${kubelet.settings.nodeName}: ${errorMessageOf(answer)}`);
  const status = (answer.body.status ?? {}) as { addresses?: Address[]; conditions?: Condition[] };
  kubelet.seen.addresses = status.addresses ?? [];
  kubelet.seen.conditions = status.conditions ?? [];
}

const sameConditions = (one: readonly Condition[], other: readonly Condition[]): boolean =>
  one.every((condition) => {
    const last = other.find((known) => known.type === condition.type);
    return last?.status === condition.status && last.reason === condition.reason && last.message === condition.message;
  });

async function report(kubelet: Kubelet, conditions: readonly Condition[]): Promise<void> {
  const { context, settings, seen } = kubelet;
  const own = seen.addresses.length === 0 ? { addresses: ownAddresses(context.machine, settings) } : {};
  const status = { ...statusOf(context.machine, settings, context.version, conditions), ...own };
  const answer = await ask(kubelet, "PATCH", `${nodePath(kubelet)}/status`, { status });
  if (answer.status !== 200) throw new Error(`error updating node status: ${errorMessageOf(answer)}`);
  seen.conditions = conditions;
  seen.reportedAt = context.machine.simulation.clock.now();
}

/** Checks the machine and reports changes to the API server, and the whole status every five minutes. */
async function syncStatus(kubelet: Kubelet): Promise<void> {
  const { context, seen } = kubelet;
  try {
    await lookAtNode(kubelet);
    const conditions = conditionsOf(context.machine, seen.conditions);
    const due = context.machine.simulation.clock.now() - seen.reportedAt >= REPORT_MS;
    if (due || !sameConditions(conditions, seen.conditions)) await report(kubelet, conditions);
  } catch (error) {
    context.log(`Error updating node status, will retry: ${messageOf(error)}`);
  }
}

type Lease = Record<string, unknown>;

const newLease = (kubelet: Kubelet, renewTime: string): Lease => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: kubelet.settings.nodeName, namespace: "kube-node-lease" },
  spec: { holderIdentity: kubelet.settings.nodeName, leaseDurationSeconds: LEASE_SECONDS, renewTime },
});

/** client-go writes lease times in microseconds. */
const microTime = (ms: number): string => new Date(ms).toISOString().replace("Z", "000Z");

const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";

/** Renews the lease once. @returns the lease as the server has it now; undefined when it must be read again */
async function renew(kubelet: Kubelet, last: Lease | undefined): Promise<Lease | undefined> {
  const path = `${LEASES}/${kubelet.settings.nodeName}`;
  const fresh = newLease(kubelet, microTime(kubelet.context.machine.simulation.clock.now()));
  const known = last ? { status: 200, body: last } : await ask(kubelet, "GET", path);
  const answer =
    known.status === 200
      ? await ask(kubelet, "PUT", path, { ...known.body, spec: fresh.spec })
      : await ask(kubelet, "POST", LEASES, fresh);
  if (answer.status === 200 || answer.status === 201) return answer.body;
  kubelet.context.log(`Failed to update lease: ${errorMessageOf(answer)}`);
  return undefined;
}

/** Sends the heartbeat: a Lease every ten seconds, and the Node's status when it changes. */
export function startHeartbeat(kubelet: Kubelet): void {
  let lease: Lease | undefined;
  const renewal = async (): Promise<void> => {
    try {
      lease = await renew(kubelet, lease);
    } catch (error) {
      lease = undefined;
      kubelet.context.log(`Failed to update lease: ${String(error)}`);
    }
  };
  void renewal();
  void syncStatus(kubelet);
  kubelet.context.process.every(RENEW_MS, renewal);
  kubelet.context.process.every(STATUS_MS, () => syncStatus(kubelet));
}
