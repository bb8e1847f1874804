import { code, plain, some } from "../slack/text.ts";
import type { Finding } from "./finding.ts";
import { broken, note, type Words, warning } from "./finding-words.ts";

type OfAuthorities = Extract<
  Finding,
  {
    readonly kind:
      | "server-too-old"
      | "authority-missing"
      | "authority-unknown"
      | "authority-ends"
      | "authority-unpublished";
  }
>;

const list = (names: readonly string[]): string => some(names.map(code), 8);

/** Words of the findings about join tokens, and about the authorities that kubelets trust. */
export const ofAuthorities: { readonly [K in OfAuthorities["kind"]]: (of: Extract<Finding, { kind: K }>) => Words } = {
  "server-too-old": ({ server }) =>
    broken(
      "Cluster",
      `the cluster runs ${code(server)}, whose join tokens have no id: no node can be added`,
      "update the cluster to Kubernetes 1.30 or newer",
    ),
  "authority-missing": ({ nodes, authority, logs }) => {
    const who = `${list(nodes)} ${nodes.length === 1 ? "does" : "do"} not trust ${code(authority)}, which the cluster uses now or soon`;
    const remedy = "replace these nodes one by one: add a new one, then remove the old one";
    return logs
      ? broken("Nodes", `${who}: there \`kubectl logs\` and \`exec\` answer 401`, remedy)
      : warning("Nodes", `${who}: there metrics and other clients of the kubelet may be refused`, remedy);
  },
  "authority-unknown": ({ nodes }) =>
    note(
      "Nodes",
      `it is not recorded which authorities the kubelets of ${list(nodes)} trust: they joined before this was kept`,
      "see whether `kubectl logs` works for a pod there",
    ),
  "authority-ends": ({ authority, at }) =>
    warning(
      "Cluster",
      `the authority behind \`kubectl logs\`, ${code(authority)}, ends at ${plain(at)} and the cluster has not replaced it`,
      "look at `oc get clusteroperator kube-apiserver`: it replaces this authority long before its end",
    ),
  "authority-unpublished": ({ why }) =>
    warning("Cluster", plain(why), "correct it, or compare the configuration with the cluster by hand once a year"),
};
