import type { StageOf } from "../../stages.ts";
import type { Remedy } from "../operation/remedy.ts";

/** Known failures of the stages that only a removal has, in the order in which they are tried. */
export const removalRemedies: Readonly<Record<Exclude<StageOf<"remove">, "cordon">, readonly Remedy[]>> = {
  evict: [
    {
      says: ["it may have been uncordoned"],
      cause: "the node was uncordoned during the drain",
      remedy: "find out by whom, then try again",
    },
    {
      says: ["the API server to evict"],
      cause: "an admission webhook does not answer, or a pod has two disruption budgets",
      remedy: "look at `kubectl get validatingwebhookconfigurations` and `kubectl get pdb -A`",
    },
    {
      says: [],
      cause: "a disruption budget allows no eviction, or a pod takes long to terminate",
      remedy: "look at `kubectl get pdb -A` and at the pods on the node",
    },
  ],
  terminate: [
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
