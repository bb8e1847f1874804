import { expect, test } from "vitest";
import { type Distribution, restrictNode } from "../../../lib/sandbox/kubernetes/access/admission.ts";
import { known } from "../../../lib/sandbox/kubernetes/model/resources.ts";

/** A kubelet registers its Node with a label. @returns the refusal; null if it is admitted */
function registered(distribution: Distribution, label: string): string | null {
  const after = { apiVersion: "v1", kind: "Node", metadata: { name: "win", labels: { [label]: "" } } };
  const user = { name: "system:node:win", groups: ["system:nodes"] };
  const attempt = { operation: "CREATE", user, type: known("nodes"), subresource: "", name: "win" } as const;
  try {
    restrictNode({ ...attempt, namespace: undefined, before: undefined, after } as never, distribution);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

test.each(["control-plane", "master", "worker", "etcd", "arbiter"])(
  "a kubelet registers as %s with OpenShift's API server, and is refused by plain Kubernetes",
  (role) => {
    const label = `node-role.kubernetes.io/${role}`;
    expect(registered("openshift", label)).toBeNull();
    expect(registered("kubernetes", label)).toContain(`is not allowed to set the following labels: ${label}`);
  },
);

test.each(["node-role.kubernetes.io/web", "node-restriction.kubernetes.io/pool"])(
  "no API server lets a kubelet register with %s",
  (label) => {
    expect(registered("openshift", label)).toContain(label);
    expect(registered("kubernetes", label)).toContain(label);
  },
);
