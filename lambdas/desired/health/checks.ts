import type { Questions } from "../questions.ts";
import type { Check, Checked } from "./check.ts";
import type { Expected, HealthFacts } from "./facts.ts";
import { bootCheck, guardCheck, LINK_LOCAL, machineChecks } from "./machine-checks.ts";
import { instanceChecks, nodeChecks } from "./node-checks.ts";

/**
 * Checks of a node, in the order in which one thing needs the other: the first that is wrong is the cause, or the nearest to
 * it. `/win why` and the proof of a reboot go by this list.
 */
export const healthChecks: readonly Check[] = [
  ...instanceChecks,
  bootCheck,
  ...machineChecks,
  ...nodeChecks,
  guardCheck,
];

/**
 * Makes every check, in order. The check of the boot is left out where no reboot is to be proven.
 * @returns one judgement for each check
 */
export const checked = (facts: HealthFacts): readonly Checked[] =>
  healthChecks
    .filter((check) => check !== bootCheck || facts.before !== undefined)
    .map(({ name, judge }) => ({ name, ...judge(facts) }));

/** A check that is wrong. */
export type Fault = Extract<Checked, { readonly state: "wrong" }>;

/** The first check that is wrong; undefined where none is. */
export const firstWrong = (all: readonly Checked[]): Fault | undefined =>
  all.find((one): one is Fault => one.state === "wrong");

/** Questions that the checks need answered by a machine, and those that people want to know beside. */
export const healthQuestions = ({ services }: Pick<Expected, "services">): Questions => ({
  metadata: true,
  routes: LINK_LOCAL,
  services,
  hns: true,
  guard: true,
  boot: true,
  reboot: true,
  disk: true,
});
