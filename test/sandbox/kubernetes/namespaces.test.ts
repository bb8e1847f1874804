import { expect, test } from "vitest";
import { createSimulation } from "../../../lib/sandbox/core/simulation.ts";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import type { Distribution } from "../../../lib/sandbox/kubernetes/access/admission.ts";
import { namespaceKeeper } from "../../../lib/sandbox/kubernetes/controllers/namespaces.ts";
import { known } from "../../../lib/sandbox/kubernetes/model/resources.ts";
import { objectStore } from "../../../lib/sandbox/kubernetes/store/objects.ts";
import { manualClock } from "../manual-clock.ts";

/** Lets the controller see a new namespace. @returns its ConfigMaps by name, with the names of their files */
function mapsOf(distribution: Distribution): Record<string, string[]> {
  const simulation = createSimulation({ clock: manualClock(), store: openStore(":memory:"), seed: 1 });
  const objects = objectStore(simulation);
  objects.create(known("namespaces"), { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
  const keeper = namespaceKeeper({ simulation, objects, authority: { pem: "PEM" }, distribution } as never);
  keeper.reconcile({ namespace: undefined, name: "shop" });
  const maps = objects.list(known("configmaps"), "shop");
  return Object.fromEntries(maps.map(({ metadata, data }) => [metadata.name, Object.keys(data as object)]));
}

test("a namespace has the cluster's authority, and on OpenShift that of Services too", () => {
  const everywhere = { "kube-root-ca.crt": ["ca.crt"] };
  expect(mapsOf("kubernetes")).toEqual(everywhere);
  expect(mapsOf("openshift")).toEqual({ ...everywhere, "openshift-service-ca.crt": ["service-ca.crt"] });
});
