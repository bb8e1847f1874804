import type { StageOf } from "../../stages.ts";
import { type Remedy, stopped } from "../operation/remedy.ts";

/** Known failures of the stages that only a removal has, in the order in which they are tried. */
export const removalRemedies: Readonly<Record<Exclude<StageOf<"remove">, "cordon">, readonly Remedy[]>> = {
  slot: [
    stopped,
    {
      says: ["got worse since it was approved"],
      cause: "the node changed after its rollout was approved",
      remedy: "reboot this node alone: its own plan asks for an approval",
    },
    {
      says: ["waiting for a slot"],
      cause: "the pool already has as many nodes out of service as `maxUnavailable` allows",
      remedy: "see with `{win} operations` what holds the slots, then try again",
    },
    {
      says: [],
      cause: "the node may not be disturbed any more, or a service did not answer",
      remedy: "clear what the message names, then run the command again",
    },
  ],
  evict: [
    stopped,
    {
      says: ["it may have been uncordoned"],
      cause: "the node was uncordoned during the drain",
      remedy: "find out who uncordoned it, then try again",
    },
    {
      says: ["the right to evict"],
      cause: "Casement's account is not allowed to evict pods",
      remedy: "run `{win} doctor`, which names the missing right, and apply the cluster's manifest again",
    },
    {
      says: ["an admission webhook to allow", "an admission policy to allow"],
      cause: "a webhook or a policy of the cluster denies the eviction",
      remedy: "read its message below, and ask its owner",
    },
    {
      says: ["the API server to evict"],
      cause: "an admission webhook does not answer, or the API server is overloaded",
      remedy: "check `kubectl get validatingwebhookconfigurations` and the API server",
    },
    {
      says: ["must not be interrupted"],
      cause: "a pod asks not to be interrupted until it ends",
      remedy: "try again when it has ended, or remove its annotation",
    },
    {
      says: ["stuck terminating"],
      cause: "the kubelet does not stop a pod, or a finalizer keeps it",
      remedy: "check the machine and the pod's finalizers",
    },
    {
      says: [],
      cause: "a disruption budget allows no eviction, or a pod takes long to terminate",
      remedy: "check `kubectl get pdb -A` and the pods on the node",
    },
  ],
  terminate: [
    stopped,
    {
      says: [],
      cause: "Windows takes minutes to shut down",
      remedy: "wait, and check the instance's state in EC2",
    },
  ],
  delete: [
    { says: [], cause: "the API server did not delete the Node", remedy: "run `kubectl delete node` for this node" },
  ],
};
