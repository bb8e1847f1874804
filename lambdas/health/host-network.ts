import type { Answers } from "../machine/questions.ts";
import { bootTime, byOurClock, type ExpectedMachine, type HealthFacts, type NetworkedPod } from "./facts.ts";

/** Name of the Host Networking Service, which keeps the endpoints of pods and the load balancers of Services. */
export const HNS = "hns";

/**
 * Milliseconds by which HNS may be younger than a service that uses it (chosen): Windows starts it with the first call,
 * which may be that service's.
 */
const FIRST_CALL_MS = 60_000;

/** Finds the start of a service's process by the machine's clock, ISO 8601; undefined if it does not run. */
const startOf = (services: Answers["services"], name: string): string | undefined =>
  services?.find((one) => one.name === name && one.state === "Running")?.startedAt ?? undefined;

/**
 * Finds the start of HNS where it is younger than the service proxy.
 * @returns by the machine's clock, ISO 8601; undefined if it is not younger, or if a start is not known
 */
export function lateHnsStart(
  { services }: Answers,
  { networkServices: [proxy] = [] }: Pick<ExpectedMachine, "networkServices">,
): string | undefined {
  if (proxy === undefined) return undefined;
  const [hns, user] = [startOf(services, HNS), startOf(services, proxy)];
  if (hns === undefined || user === undefined) return undefined;
  return Date.parse(hns) - Date.parse(user) > FIRST_CALL_MS ? hns : undefined;
}

/**
 * Finds a restart of HNS after the start of the service proxy. HNS loses load balancers then, and a kube-proxy that goes
 * on running does not make them again (kubernetes/kubernetes issues 135802 and 139519).
 * @returns its time by Casement's clock in milliseconds since the epoch; null if there was none, or if it is not known
 */
export function hnsRestart({ machine, expected }: Pick<HealthFacts, "machine" | "expected">): number | null {
  const start = machine.known ? lateHnsStart(machine.value.answers, expected) : undefined;
  return machine.known && start !== undefined ? byOurClock(machine.value, start) : null;
}

/** Milliseconds for which a pod must have run: the pods and the endpoints are not read in the same moment. */
const SETTLED_MS = 3 * 60_000;

/**
 * Finds pods that run on the node without an endpoint in HNS: they have no network. A pod whose containers are those of
 * an earlier boot is left out, because its kubelet makes it anew.
 */
export function podsWithoutEndpoint(
  facts: Pick<HealthFacts, "machine" | "kubernetes" | "now">,
): readonly NetworkedPod[] {
  const { machine, kubernetes, now } = facts;
  const endpoints = machine.known ? machine.value.answers.hns?.endpoints : undefined;
  if (!machine.known || !kubernetes.known || endpoints === undefined) return [];
  const boot = bootTime(facts) ?? 0;
  const isSettled = ({ since }: NetworkedPod): boolean => {
    const start = byOurClock(machine.value, since);
    return start > boot && Date.parse(now) - start >= SETTLED_MS;
  };
  const known = new Set(endpoints.map(({ ip }) => ip));
  return (kubernetes.value.pods ?? []).filter((pod) => isSettled(pod) && !known.has(pod.ip));
}
