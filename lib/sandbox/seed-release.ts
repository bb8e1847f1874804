import { demo } from "./demo.ts";
import type { KubeObject } from "./kubernetes/model/object.ts";
import { releaseImageOf } from "./publishers/publishers.ts";
import type { Simulator } from "./simulator.ts";

/** Seeds the object by which OKD names the release that the cluster runs. */
export async function seedRelease({ kubernetes }: Simulator): Promise<void> {
  const { id, release, version } = demo.cluster;
  const image = await releaseImageOf(version.split(".").slice(0, 2).join("."));
  kubernetes.create({
    apiVersion: "config.openshift.io/v1",
    kind: "ClusterVersion",
    metadata: { name: "version" },
    spec: { clusterID: id },
    status: { desired: { version: release, image } },
  } as unknown as KubeObject);
}
