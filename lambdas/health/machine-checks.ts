import { isKnownByTime, isSameBoot, onOurClock, SAME_BOOT_MS } from "../machine/boots.ts";
import type { Answers, Group } from "../machine/questions.ts";
import { LOW_DISK_BYTES } from "../machine/seen-troubles.ts";
import { by, type CheckName, type Judgement, type NodeCheck, OK, unknownResult, wrong } from "./check.ts";
import { CLOCK_TOLERANCE_MS, clockAhead } from "./clock.ts";
import { keepsExiting } from "./exits.ts";
import { bootTime, byOurClock, type ExpectedMachine, type HealthFacts } from "./facts.ts";
import { hnsRestart, podsWithoutEndpoint } from "./host-network.ts";

/** Destinations of EC2Launch's routes: metadata, DNS, time, one that AWS does not explain, activation (two). */
export const LINK_LOCAL = [
  "169.254.169.254/32",
  "169.254.169.253/32",
  "169.254.169.123/32",
  "169.254.169.249/32",
  "169.254.169.250/32",
  "169.254.169.251/32",
] as const;

/** Makes a check of one group of the machine's answers; "unknown" if the machine could not observe the group. */
const byAnswer = <G extends Group>(
  group: G,
  name: CheckName,
  judge: (answer: NonNullable<Answers[G]>, facts: HealthFacts) => Judgement,
): NodeCheck =>
  by("machine", name, ({ answers, verdict }, facts) => {
    const answer = answers[group];
    return answer ? judge(answer, facts) : unknownResult(verdict.failed[group] ?? "the machine was not asked");
  });

/** The machine's boot id, else its kubelet's; null if neither reports one. A time is converted to Casement's clock. */
function bootIdNow({ machine, kubernetes }: HealthFacts): string | null {
  if (!machine.known) return kubernetes.known ? kubernetes.value.bootId : null;
  const { verdict, at } = machine.value;
  return onOurClock(verdict.bootId, verdict.clock, Date.parse(at));
}

/**
 * Compares the boots by their ids, else by their times. The time of a boot is its distance from the machine's current
 * time, so that setting the clock does not look like a boot.
 */
function bootChanged(facts: HealthFacts): Judgement {
  const { before } = facts;
  if (!before) return OK;
  const id = bootIdNow(facts);
  // Two boots within minutes look the same by their times; one after the order is the one that was ordered.
  if (id !== null && isKnownByTime(id) && Date.parse(id) > Date.parse(before.askedAt)) return OK;
  if (id !== null && before.bootId !== null) return isSameBoot(id, before.bootId) ? sameBoot(before) : OK;
  const booted = bootTime(facts);
  if (booted === null) return unknownResult("neither the machine nor its kubelet reports its boot");
  return booted - Date.parse(before.bootedAt) > SAME_BOOT_MS ? OK : sameBoot(before);
}

const sameBoot = ({ bootId, askedAt }: NonNullable<HealthFacts["before"]>): Judgement =>
  wrong({ kind: "same-boot", bootId, askedAt });

/** Check of the clock, which AWS compares with its own, but not to prove a reboot: its node works by a wrong clock too. */
const clock = by("machine", "clock", (seen, { before }) => {
  const byMs = clockAhead(seen);
  return Math.abs(byMs) > CLOCK_TOLERANCE_MS && !before ? wrong({ kind: "clock-wrong", byMs }) : OK;
});

/** Check of the free space, but not to prove a reboot, which does not change it. */
const disk = byAnswer("disk", "disk", ({ freeBytes, sizeBytes }, { before }) =>
  freeBytes < LOW_DISK_BYTES && !before ? wrong({ kind: "disk-low", freeBytes, sizeBytes }) : OK,
);

const metadata = byAnswer("metadata", "metadata", ({ answers }, { machine }) => {
  if (answers) return OK;
  const guard = machine.known ? machine.value.answers.guard : undefined;
  return wrong({ kind: "metadata-silent", guardError: guard?.error ?? "" });
});

/** Every destination needs a route through a usable adapter; if EC2 reports the primary interface, through that one. */
const routes = byAnswer("routes", "routes", (found, { ec2 }) => {
  const mac = ec2.known ? ec2.value.mac : null;
  const good = found.filter((route) => route.usable && (mac === null || route.mac === mac));
  const prefixes = LINK_LOCAL.filter((prefix) => !good.some((route) => route.prefix === prefix));
  return prefixes.length === 0 ? OK : wrong({ kind: "routes-missing", prefixes });
});

/** Judges services: the first that does not run is named, because the later ones depend on it. */
function judgeServices(
  names: readonly string[],
  found: NonNullable<Answers["services"]>,
  { optionalServices }: ExpectedMachine,
): Judgement {
  for (const name of names) {
    const service = found.find((one) => one.name === name);
    if (!service || service.state === null) {
      if (optionalServices.includes(name)) continue;
      return wrong({ kind: "service-missing", service: name });
    }
    if (service.state === "Running") continue;
    const { state, exitCode, log } = service;
    return wrong({ kind: "service-down", service: name, state, exitCode: exitCode ?? 0, log });
  }
  return OK;
}

const services = byAnswer("services", "services", (found, { expected }) => {
  const others = expected.networkServices ?? [];
  const names = expected.services.map(({ name }) => name).filter((name) => !others.includes(name));
  return judgeServices(names, found, expected);
});

/** Check of the services that end without the container network, so that the network is named first. */
const networkServices = byAnswer("services", "network-services", (found, { expected }) =>
  judgeServices(expected.networkServices ?? [], found, expected),
);

/**
 * Check of the services' exits since the boot, but not to prove a reboot or a restart: these end what made a service
 * exit, and the proof compares its processes.
 */
const exits = by("machine", "exits", ({ answers, verdict, at }, facts) => {
  if (facts.before) return OK;
  if (!answers.exits) return unknownResult(verdict.failed.exits ?? "the machine was not asked");
  const found = answers.exits
    .map((one) => ({ ...one, last: new Date(byOurClock({ verdict, at }, one.last)).toISOString() }))
    .find((one) => keepsExiting(one, Date.parse(at)) && Date.parse(one.last) >= (bootTime(facts) ?? 0));
  if (!found) return OK;
  const { name: service, ...exited } = found;
  return wrong({ kind: "service-exits", service, ...exited });
});

const network = byAnswer("hns", "network", ({ networks, endpoints }, facts) => {
  const { expected } = facts;
  if (!networks.includes(expected.network)) return wrong({ kind: "network-missing", network: expected.network });
  const attached = endpoints.some((one) => one.name === expected.endpoint && one.attached);
  if (!attached) return wrong({ kind: "endpoint-missing", endpoint: expected.endpoint });
  const pods = podsWithoutEndpoint(facts).map(({ name }) => name);
  const restart = hnsRestart(facts);
  if (restart !== null) return wrong({ kind: "hns-restarted", at: new Date(restart).toISOString(), pods });
  return pods.length === 0 ? OK : wrong({ kind: "pods-without-endpoint", pods });
});

/** Check of the guard. While its task runs, it has no result, which is no fault. */
const guard = byAnswer("guard", "guard", ({ present, taskEnabled, lastResult, error }) => {
  if (!present) return wrong({ kind: "guard-broken", what: "missing", error });
  if (!taskEnabled) return wrong({ kind: "guard-broken", what: "disabled", error });
  return lastResult === null || lastResult === 0 ? OK : wrong({ kind: "guard-broken", what: "failing", error });
});

/** Check of the boot, with facts of machine and kubelet. */
export const bootCheck: NodeCheck = { name: "boot", needs: ["machine", "kubernetes"], judge: bootChanged };

/** Checks of the facts from `observe.ps1`, in the order of dependencies. */
export const machineChecks: readonly NodeCheck[] = [
  metadata,
  routes,
  clock,
  services,
  network,
  networkServices,
  exits,
  disk,
];

/** Check of the guard, which a machine needs at its next boot. */
export const guardCheck: NodeCheck = guard;
