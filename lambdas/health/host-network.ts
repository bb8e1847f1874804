import { bootTime, byOurClock, type HealthFacts, type MachineFacts, type NetworkedPod } from "./facts.ts";

/** Name of the Host Networking Service, which keeps the endpoints of pods and the load balancers of Services. */
export const HNS = "hns";

/**
 * Milliseconds by which HNS may be younger than a service that uses it (chosen): Windows starts it with the first call,
 * which may be that service's.
 */
const FIRST_CALL_MS = 60_000;

/** Finds the start of a service's process by the machine's clock, ISO 8601; undefined if it does not run. */
const startOf = ({ answers }: MachineFacts, name: string): string | undefined =>
  answers.services?.find((one) => one.name === name && one.state === "Running")?.startedAt ?? undefined;

/**
 * Finds a restart of HNS after the start of the service proxy. HNS loses load balancers then, and a kube-proxy that goes
 * on running does not make them again (kubernetes/kubernetes issues 135802 and 139519).
 * @returns its time by Casement's clock in milliseconds since the epoch; null if there was none, or if it is not known
 */
export function hnsRestart({ machine, expected }: Pick<HealthFacts, "machine" | "expected">): number | null {
  const [proxy] = expected.networkServices ?? [];
  if (!machine.known || proxy === undefined) return null;
  const [hns, user] = [startOf(machine.value, HNS), startOf(machine.value, proxy)];
  if (hns === undefined || user === undefined) return null;
  const isYounger = Date.parse(hns) - Date.parse(user) > FIRST_CALL_MS;
  return isYounger ? byOurClock(machine.value, hns) : null;
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
