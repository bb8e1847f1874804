import { age } from "../slack/age.ts";
import { counted, some } from "../slack/text.ts";
import { drainWaits, type HoldUp, MOST_NAMES } from "./drain.ts";

/** A pod whose containers did not end within their grace. */
export interface StuckPod {
  /** "shop/web-0" */
  readonly pod: string;
  /** Claims of its volumes. */
  readonly claims: readonly string[];
}

/** Finds the pods whose containers did not end within their grace. */
export const stuckPods = (pods: readonly HoldUp[]): StuckPod[] =>
  pods.flatMap((held) => {
    if (held.kind !== "terminating" || !held.isStuck) return [];
    const { pod, claims = [] } = held;
    return [{ pod, claims }];
  });

const withVolumes = ({ pod, claims }: StuckPod): string =>
  claims.length > 0 ? `${pod} (volumes: ${some(claims, MOST_NAMES)})` : pod;

/** Note on a reboot that no longer waits for pods whose containers do not end. */
export const rebootsWithPods = (pods: readonly StuckPod[]): string =>
  `The reboot ends ${counted(pods.length, "pod")} whose containers did not end within their grace: ${some(pods.map(withVolumes), MOST_NAMES)}`;

type Of<K extends HoldUp["kind"]> = Extract<HoldUp, { readonly kind: K }>;

const budgetAdvice = ({ isForever, wantsAlwaysAllow, terminating }: Of<"budget">): string => {
  if (isForever) return "it never allows an eviction";
  if (wantsAlwaysAllow) return "none of its pods is healthy; its owner can set unhealthyPodEvictionPolicy: AlwaysAllow";
  return terminating.length > 0
    ? `${some(terminating, MOST_NAMES)} of the same budget is terminating and counts as unhealthy until its replacement is Ready elsewhere: check for Pending pods`
    : "it allows one when more of its pods are Ready: check for Pending and unready pods";
};

/** One line for each cause, with the step that a person can take. */
const advice: Partial<{ readonly [K in HoldUp["kind"]]: (of: Of<K>) => string }> = {
  budget: (of) => `budget ${of.budget} needs ${of.needs} and has ${of.has}: ${budgetAdvice(of)}`,
  "several-budgets": ({ budgets, pod }) =>
    `${pod} is selected by ${budgets.length > 0 ? budgets.join(" and ") : "several budgets"}: the API server evicts no such pod until one of them is changed`,
  processing: ({ budget }) =>
    `budget ${budget} has not been processed by its controller yet: check kube-controller-manager`,
  uncomputable: ({ budget, why }) => `budget ${budget} cannot be computed until it or its pods' owner is fixed: ${why}`,
  held: ({ pod, annotation, runningMs }) =>
    `${pod} must not be interrupted (${annotation})${runningMs === null ? "" : ` and has run for ${age(runningMs)}`}`,
  terminating: ({ pod, overMs, isStuck, finalizers = [], claims = [] }) => {
    const volumes = claims.length > 0 ? `; volumes: ${some(claims, MOST_NAMES)}` : "";
    const kept = finalizers.length > 0 ? `; its finalizer ${some(finalizers, MOST_NAMES)} would keep it then` : "";
    return isStuck
      ? `${pod} is stuck: its containers should have ended ${age(overMs)} ago${volumes}${kept}`
      : `${pod} has not ended yet`;
  },
};

const adviceOf = (held: HoldUp): string[] => {
  const words = advice[held.kind] as ((of: HoldUp) => string) | undefined;
  return words ? [words(held)] : [];
};

/**
 * An instance that is proven to be off. Only then does the report show how to release its volumes and delete its pods
 * by force.
 */
export interface MachineOff {
  readonly node: string;
  /** EC2's name for the state: "stopped". */
  readonly state: string;
}

const offCommands = ({ node, state }: MachineOff, stuck: readonly string[]): string[] => [
  `EC2 shows the instance as ${state}, so its pods cannot run. A person can release their volumes, and must remove the taint afterwards:`,
  `  kubectl taint nodes ${node} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`,
  ...stuck.slice(0, MOST_NAMES).map((pod) => {
    const [namespace = "", name = ""] = pod.split("/");
    return `  kubectl delete pod -n ${namespace} ${name} --grace-period=0 --force`;
  }),
];

/** State of a drain that has passed its deadline. */
export interface DrainReport {
  readonly node: string;
  readonly holdUps: readonly HoldUp[];
  /** Pods that `--disable-eviction` would delete past their budgets. */
  readonly wouldDelete: readonly string[];
  readonly off: MachineOff | null;
}

/** Limits of lines and characters: a message shows the report's first 1,000 characters, and the command comes last. */
const MOST_ADVICE = 6;
const MOST_CHARACTERS = 950;
const MOST_OF_HEAD = 300;

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

const lengthOf = (lines: readonly string[]): number => lines.join("\n").length;

/** Takes the lines that fit into the room, and counts the others. */
function fittingLines(lines: readonly string[], room: number): string[] {
  const shown: string[] = [];
  for (const line of lines.slice(0, MOST_ADVICE)) {
    if (lengthOf([...shown, line]) > room) break;
    shown.push(line);
  }
  const rest = lines.length - shown.length;
  return rest > 0 ? [...shown, `- and ${rest} more`] : shown;
}

/**
 * Reports a drain that has passed its deadline: what it waited for, what a person can do about each cause, and the
 * command that ignores the budgets.
 */
export function drainReport({ node, holdUps, wouldDelete, off }: DrainReport): string {
  const lines = [...new Set(holdUps.flatMap(adviceOf))].map((line) => `- ${line}`);
  const stuck = stuckPods(holdUps).map(({ pod }) => pod);
  const head = cut(`gave up waiting for ${drainWaits(holdUps)}`, MOST_OF_HEAD);
  const tail = [
    ...(off && stuck.length > 0 ? offCommands(off, stuck) : []),
    ...(wouldDelete.length > 0
      ? [
          `past budgets, this deletes ${counted(wouldDelete.length, "pod")} (${some(wouldDelete, MOST_NAMES)}):`,
          `  kubectl drain ${node} --ignore-daemonsets --delete-emptydir-data --force --disable-eviction`,
        ]
      : []),
  ];
  return [head, ...fittingLines(lines, MOST_CHARACTERS - lengthOf([head, ...tail])), ...tail].join("\n");
}
