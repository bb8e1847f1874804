import type { KubeObject } from "../kubernetes/model/object.ts";
import { install, type Neighbour } from "./neighbour.ts";

/** A Service that requests a Network Load Balancer instead of a classic one. */
const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: {
    name: "public-api",
    namespace: "default",
    annotations: { "service.beta.kubernetes.io/aws-load-balancer-type": "nlb" },
  },
  spec: {
    type: "LoadBalancer",
    selector: { app: "api" },
    ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: 8443, nodePort: 31_234 }],
  },
} as unknown as KubeObject;

/** A Network Load Balancer: the cloud controller opens its node ports to every address. */
export const nlb: Neighbour = {
  name: "nlb",
  sentence:
    "A team's Service has a Network Load Balancer, for which the cloud controller opens a node port to everybody.",
  start: (services) => install(services, [service]),
};
