import { KURED_IN_PROGRESS, WMCO_REBOOT } from "../../cluster/node-keys.ts";
import type { OtherOwner } from "../../machine/assistance.ts";
import { typeThis } from "../command/syntax.ts";
import { removalRefusal } from "../remove/refusal.ts";
import { code, counted } from "../slack/text.ts";

/** A mark that a controller leaves on a node while it works on it. */
interface Mark {
  /** The controller is at work; false if its mark is older than its work lasts. */
  readonly acting: boolean;
  /** Age of the mark ("7d"), as far as it is known: the mark may be older. */
  readonly age?: string;
}

/** A taint with which an autoscaler marks a node for deletion, by its key. */
interface DeletionTaint extends Mark {
  readonly key: string;
}

/**
 * Another controller that may reboot, delete or uncordon a node, recognised by what it leaves on the node, its Machine, its
 * instance or in the account. `acting`: it is at work on the node now.
 */
export type OtherController =
  | { readonly kind: "owner"; readonly owner: OtherOwner }
  /** `checks`: kinds of health checks, "EC2,ELB"; null where they could not be read. */
  | { readonly kind: "group-check"; readonly group: string; readonly instance: string; readonly checks: string | null }
  /** `lifecycle`: "Terminating:Wait" and the like. */
  | ({ readonly kind: "group-ends"; readonly group: string; readonly lifecycle: string } & Mark)
  | { readonly kind: "karpenter-consolidates" }
  | ({ readonly kind: "wmco" } & Mark)
  | ({ readonly kind: "kured" } & Mark)
  | ({ readonly kind: "autoscaler" } & DeletionTaint)
  | { readonly kind: "autoscaler-candidate" }
  | ({ readonly kind: "karpenter" } & DeletionTaint)
  | ({ readonly kind: "machine-deleted"; readonly name: string } & Mark)
  | { readonly kind: "machine-chosen"; readonly name: string }
  | { readonly kind: "health-check"; readonly name: string; readonly timeout: string }
  | { readonly kind: "updates"; readonly pending: number; readonly reboots: boolean }
  | { readonly kind: "association"; readonly name: string; readonly document: string };

/** Words for another controller: its effect on the node, and how its owner pauses it; each a clause. */
export interface ControllerWords {
  readonly does: string;
  readonly pause: string;
}

/** Shows the command that takes a taint off a node. */
export const untaint = (node: string, key: string): string => code(`kubectl taint node ${node} ${key}-`);

/** Words for an autoscaler by its taint: it is deleting the node, or has left its taint on it. */
function deleterWords(deleter: string, { acting, age, key }: DeletionTaint, node: string): ControllerWords {
  if (!acting)
    return {
      does: `${deleter} marked it for deletion at least ${age} ago and left its taint ${code(key)}, so that no pod comes to it`,
      pause: `run ${untaint(node, key)}`,
    };
  const since = age === undefined ? "" : `; its taint is at least ${age} old`;
  return {
    does: `${deleter} is deleting it${since}`,
    pause: `let it finish: the node is going away. If it does not delete it, take its taint off with ${untaint(node, key)}`,
  };
}

type Words = {
  readonly [K in OtherController["kind"]]: (
    controller: Extract<OtherController, { kind: K }>,
    node: string,
  ) => ControllerWords;
};

const words: Words = {
  owner: ({ owner }, _) => {
    const { why, next } = removalRefusal(owner);
    return { does: why, pause: next };
  },
  wmco: ({ acting, age }, node) => ({
    does: acting
      ? "the Windows Machine Config Operator is about to reboot it"
      : age === undefined
        ? "the Windows Machine Config Operator configures it, and may reboot it"
        : `the Windows Machine Config Operator requested its reboot at least ${age} ago, and has not rebooted it`,
    pause:
      age === undefined
        ? `wait until its annotation ${code(WMCO_REBOOT)} is gone`
        : `run ${code(`kubectl annotate node ${node} ${WMCO_REBOOT}-`)}`,
  }),
  kured: ({ acting, age }, node) => ({
    does: acting
      ? "kured is draining and rebooting it"
      : age === undefined
        ? "kured reboots it when it asks for a reboot"
        : `kured began to reboot it ${age} ago and left its mark: ${code(`kubectl annotate node ${node} ${KURED_IN_PROGRESS}-`)} takes it off`,
    pause: `wait until ${code(`kubectl get node ${node}`)} shows it schedulable, or hold kured's lock by hand`,
  }),
  autoscaler: (mark, node) => deleterWords("the cluster autoscaler", mark, node),
  "autoscaler-candidate": (_, node) => ({
    does: "the cluster autoscaler finds it unneeded and may delete it",
    pause: `run ${code(`kubectl annotate node ${node} cluster-autoscaler.kubernetes.io/scale-down-disabled=true`)}`,
  }),
  karpenter: (mark, node) => deleterWords("Karpenter", mark, node),
  "karpenter-consolidates": (_, node) => ({
    does: "Karpenter takes it away when it is empty",
    pause: `run ${code(`kubectl annotate node ${node} karpenter.sh/do-not-disrupt=true`)}, and take the annotation off afterwards`,
  }),
  "group-check": ({ group, instance, checks }) => ({
    does:
      checks === null
        ? `the Auto Scaling group ${code(group)} may replace it during a reboot, and its health checks could not be read`
        : `the Auto Scaling group ${code(group)} replaces it when a health check (${checks}) fails during a reboot`,
    pause: `run ${code(`aws autoscaling suspend-processes --auto-scaling-group-name ${group} --scaling-processes HealthCheck ReplaceUnhealthy`)} and afterwards ${code("resume-processes")} with the same options, or take this instance alone out of the checks with ${code(`aws autoscaling enter-standby --auto-scaling-group-name ${group} --instance-ids ${instance} --should-decrement-desired-capacity`)}`,
  }),
  "group-ends": ({ group, lifecycle }) => ({
    does: `the Auto Scaling group ${code(group)} is terminating it (${lifecycle})`,
    pause: "let it finish: the node is going away",
  }),
  "machine-deleted": ({ name, age }) => ({
    does: `its Machine ${code(name)} is being deleted${age === undefined ? "" : ` for ${age}`}`,
    pause:
      age === undefined
        ? "let it finish: the node is going away"
        : `find what holds it up: ${code(`oc describe machine ${name} -n openshift-machine-api`)}`,
  }),
  "machine-chosen": ({ name }) => ({
    does: `its Machine ${code(name)} is the first to be deleted when its MachineSet gets smaller`,
    pause: `run ${code(`oc annotate machine ${name} -n openshift-machine-api machine.openshift.io/delete-machine-`)}`,
  }),
  "health-check": ({ name, timeout }) => ({
    does: `the MachineHealthCheck ${code(name)} deletes its Machine when it is NotReady for ${timeout}`,
    pause: `run ${code(`oc annotate mhc ${name} -n openshift-machine-api cluster.x-k8s.io/paused=""`)}`,
  }),
  updates: ({ pending, reboots }, _) => ({
    does: `Patch Manager says that ${counted(pending, "update")} on it ${pending === 1 ? "waits" : "wait"} for a reboot${reboots ? ", and its runs reboot by themselves" : ""}`,
    pause: `patch with \`RebootOption=NoReboot\`, and reboot with ${typeThis("reboot")}`,
  }),
  association: ({ name, document }) => ({
    does: `the SSM association ${code(name)} runs ${code(document)} on it, which may reboot it`,
    pause: "change its schedule in State Manager",
  }),
};

/** Says what another controller does to a node, and how its owner pauses it. */
export const controllerWords = (controller: OtherController, node: string): ControllerWords =>
  (words[controller.kind] as (of: OtherController, node: string) => ControllerWords)(controller, node);
