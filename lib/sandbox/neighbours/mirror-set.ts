import { demo } from "../demo.ts";
import type { KubeObject } from "../kubernetes/model/object.ts";
import { install, type Neighbour } from "./neighbour.ts";

/** A mirror set for the images of the demo's workloads, which are pulled by tag. */
const shop = {
  apiVersion: "config.openshift.io/v1",
  kind: "ImageTagMirrorSet",
  metadata: { name: "shop" },
  spec: { imageTagMirrors: [{ source: "registry.example.com/shop", mirrors: [`${demo.mirror}/shop`] }] },
} as unknown as KubeObject;

/** A cluster administrator who mirrors a registry, as OpenShift's documentation on image registry repository mirroring shows it. */
export const mirrorSet: Neighbour = {
  name: "mirror-set",
  sentence: "A cluster administrator mirrors registry.example.com/shop to mirror.example.com by an ImageTagMirrorSet.",
  start: (services) => install(services, [shop]),
};
