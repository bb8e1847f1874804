import { afterEach, expect, test } from "vitest";
import { type Journey, startJourney } from "../../journey.ts";
import { answerTo } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const report = (): Promise<string> => answerTo(here, "/win doctor");

test("a ClusterRoleBinding that gives an account more rights than the manifest is named with its role", async () => {
  here = await startJourney({ seedNodes: true });
  here.simulator.kubernetes.create({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "quick-fix" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: [
      { kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "olivia" },
      { kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "system:serviceaccounts:casement" },
    ],
  } as never);
  const said = await report();
  expect(said).toContain("quick-fix: ClusterRole cluster-admin for Group system:serviceaccounts:casement");
  expect(said).not.toContain("User olivia");
  expect(said).toContain("kubectl edit clusterrolebinding NAME");
});
