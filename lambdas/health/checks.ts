import type { Questions } from "../machine/questions.ts";
import { renewalQuestions } from "../machine/renewal.ts";
import { type CheckResult, type NodeCheck, unknownResult, wrong } from "./check.ts";
import type { ExpectedMachine, HealthFacts } from "./facts.ts";
import { HNS } from "./host-network.ts";
import { bootCheck, guardCheck, LINK_LOCAL, machineChecks } from "./machine-checks.ts";
import { instanceChecks, nodeChecks } from "./node-checks.ts";

/** Check of the data plane by the newest scheduled probe; the check itself makes no pod. */
const dataPlaneCheck: NodeCheck = {
  name: "data-plane",
  needs: [],
  judge: ({ probe }) => {
    if (probe === undefined) return unknownResult("it was not asked for");
    const { result, at } = probe;
    if (result.state === "not-probed") return { state: "skipped", why: result.why, at };
    if (result.state === "works") return { state: "ok", at };
    return wrong({ kind: "data-plane", fault: result.fault, from: result.from, words: result.words, at });
  },
};

/**
 * Checks of a node in the order of dependencies: the first that is wrong is the cause, or the nearest to it. `/win why`
 * and the proof of a reboot use this list.
 */
export const healthChecks: readonly NodeCheck[] = [
  ...instanceChecks,
  bootCheck,
  ...machineChecks,
  ...nodeChecks,
  guardCheck,
  dataPlaneCheck,
];

/** Is a check requested? Those of the boot and of the data plane are optional. */
const isAsked = (check: NodeCheck, { before, probe }: HealthFacts): boolean =>
  (check !== bootCheck || before !== undefined) && (check !== dataPlaneCheck || probe !== undefined);

/**
 * Makes every requested check, in order: that of the boot only to prove a reboot, that of the data plane only with a
 * probe.
 * @returns one result for each check
 */
export const checked = (facts: HealthFacts): readonly CheckResult[] =>
  healthChecks.filter((check) => isAsked(check, facts)).map(({ name, judge }) => ({ name, ...judge(facts) }));

/** A check that is wrong. */
export type Fault = Extract<CheckResult, { readonly state: "wrong" }>;

/** The first check that is wrong; undefined if there is none. */
export const firstWrong = (all: readonly CheckResult[]): Fault | undefined =>
  all.find((one): one is Fault => one.state === "wrong");

/** Questions to a machine for the checks, and others that interest people. */
export const healthQuestions = ({ services }: Pick<ExpectedMachine, "services">): Questions => ({
  metadata: true,
  routes: LINK_LOCAL,
  services: [...services, { name: HNS }],
  exits: [...services, { name: HNS }],
  hns: true,
  guard: true,
  boot: true,
  reboot: true,
  disk: true,
  tasks: renewalQuestions,
  agent: true,
});
