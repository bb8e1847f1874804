import type { StageOf } from "../../stages.ts";
import type { CodeRemedies, StageRemedies } from "./remedy.ts";

/** Failures of the eviction of pods. */
export const evictionCodes = {
  "uncordoned-meanwhile": {
    cause: "the node was uncordoned during the drain",
    remedy: "find out who uncordoned it, then try again",
  },
  "eviction-forbidden": {
    cause: "Casement's account is not allowed to evict pods",
    remedy: "run `{win} doctor`, which names the missing right, and apply the cluster's manifest again",
  },
  "eviction-denied": {
    cause: "a webhook or a policy of the cluster denies the eviction",
    remedy: "read its message below, and ask its owner",
  },
  "eviction-unanswered": {
    cause: "an admission webhook does not answer, or the API server is overloaded",
    remedy: "check `kubectl get validatingwebhookconfigurations` and the API server",
  },
  "pod-must-not-be-interrupted": {
    cause: "a pod asks not to be interrupted until it ends",
    remedy: "try again when it has ended, or remove its annotation",
  },
  "pod-stuck": {
    cause: "the kubelet does not stop a pod, or a finalizer keeps it",
    remedy: "reboot the node with these pods, or check the machine and the pod's finalizers",
  },
  "budget-allows-none": {
    cause: "a disruption budget never allows an eviction",
    remedy: "ask its owner to change it",
  },
  "losses-not-allowed": {
    cause: "evicting a pod would lose it or its data, and no one has accepted that",
    remedy: "read which pods the message names, and save what they need",
  },
} as const satisfies CodeRemedies;

/** Stages that take a node out of service and remove it. */
export const removalStages: Readonly<Record<Exclude<StageOf<"remove">, "cordon">, StageRemedies>> = {
  slot: {
    own: {
      cause: "the node may not be disturbed any more, or a service did not answer",
      remedy: "clear what the message names, then run the command again",
    },
  },
  evict: {
    own: {
      cause: "a disruption budget allows no eviction, or a pod takes long to terminate",
      remedy: "check `kubectl get pdb -A` and the pods on the node",
    },
  },
  terminate: {
    own: {
      cause: "Windows takes minutes to shut down",
      remedy: "wait, and check the instance's state in EC2",
    },
  },
  delete: {
    own: { cause: "the API server did not delete the Node", remedy: "run `kubectl delete node` for this node" },
  },
};
