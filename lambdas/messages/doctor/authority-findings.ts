import { localDate } from "../slack/age.ts";
import { code, plain } from "../slack/text.ts";
import type { Finding } from "./finding.ts";
import { broken, type FindingText, list, note, warning } from "./finding-text.ts";

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

/** Texts of the findings about join tokens, and about the authorities that kubelets trust. */
export const ofAuthorities: {
  readonly [K in OfAuthorities["kind"]]: (of: Extract<Finding, { kind: K }>) => FindingText;
} = {
  "server-too-old": ({ server }) =>
    broken(
      "Cluster",
      `the cluster runs ${code(server)}, whose join tokens have no id: no node can be added`,
      "upgrade the cluster to Kubernetes 1.30 or newer",
    ),
  "authority-missing": ({ nodes, authority, logs }) => {
    const who = `${list(nodes)} ${nodes.length === 1 ? "does" : "do"} not trust ${code(authority)}, which the cluster uses or will use soon`;
    const remedy =
      "wait 15 minutes: the schedule `authority` gives it to nodes that run; if this stays, see docs/runbook.md#kubelet-client-authority";
    return logs
      ? broken("Nodes", `${who}: \`kubectl logs\` and \`exec\` fail with 401 there`, remedy)
      : warning("Nodes", `${who}: metrics and other kubelet clients may be refused there`, remedy);
  },
  "authority-unknown": ({ nodes }) =>
    note(
      "Nodes",
      `the authorities that the kubelets of ${list(nodes)} trust are not recorded: these nodes joined before Casement kept a record`,
      "check that `kubectl logs` works for a pod there",
    ),
  "authority-ends": ({ authority, at }) =>
    warning(
      "Cluster",
      `the authority behind \`kubectl logs\`, ${code(authority)}, expires ${localDate(at)} and the cluster has not replaced it`,
      "check `oc get clusteroperator kube-apiserver`: it normally replaces this authority long before it expires",
    ),
  "authority-unpublished": ({ why }) =>
    warning("Cluster", plain(why), "fix it, or compare the configuration with the cluster by hand once a year"),
};
