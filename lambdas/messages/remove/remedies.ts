import type { StageOf } from "../../stages.ts";
import { type Remedy, stopped } from "../operation/remedy.ts";

/** Known failures of the stages that only a removal has, in the order in which they are tried. */
export const removalRemedies: Readonly<Record<Exclude<StageOf<"remove">, "cordon">, readonly Remedy[]>> = {
  slot: [
    stopped,
    {
      says: [],
      cause: "as many nodes of the pool are away as `maxUnavailable` allows",
      remedy: "see what holds the slots with the command operations, then try again",
    },
  ],
  evict: [
    stopped,
    {
      says: ["it may have been uncordoned"],
      cause: "the node was uncordoned during the drain",
      remedy: "find out by whom, then try again",
    },
    {
      says: ["the right to evict"],
      cause: "Casement's account may not evict pods",
      remedy: "run the doctor, which names the missing right, and apply the cluster's manifest again",
    },
    {
      says: ["an admission webhook to allow", "an admission policy to allow"],
      cause: "the cluster has a webhook or a policy that refuses the eviction",
      remedy: "read its words, and ask its owner",
    },
    {
      says: ["the API server to evict"],
      cause: "an admission webhook does not answer, or the API server is overloaded",
      remedy: "look at `kubectl get validatingwebhookconfigurations` and at the API server",
    },
    {
      says: ["must not be interrupted"],
      cause: "a job holds the node until it ends",
      remedy: "try again after its end, or take its annotation off",
    },
    {
      says: ["stuck terminating"],
      cause: "the kubelet does not end a pod, or a finalizer keeps it",
      remedy: "look at the machine and at the pod's finalizers",
    },
    {
      says: [],
      cause: "a disruption budget allows no eviction, or a pod takes long to terminate",
      remedy: "look at `kubectl get pdb -A` and at the pods on the node",
    },
  ],
  terminate: [
    stopped,
    {
      says: [],
      cause: "Windows takes minutes to shut down",
      remedy: "wait, and look at the instance's state in EC2",
    },
  ],
  delete: [
    { says: [], cause: "the API server did not delete the Node", remedy: "run `kubectl delete node` for this node" },
  ],
};
