import type { DataPlane } from "../core/ports.ts";
import { endpointsSince } from "./host-networking.ts";
import type { Machine } from "./machine.ts";
import { metadataRoute } from "./network.ts";
import { leavesPod } from "./pod-endpoints.ts";
import { serviceOf } from "./services.ts";

const isRunning = (machine: Machine, name: string): boolean => serviceOf(machine, name)?.state === "Running";

/**
 * Tells what pods on a machine can do, by its state: the overlay carries packets while its network and its service are there;
 * addresses of services, the cluster's DNS among them, need kube-proxy and its source address besides. TCP leaves the cluster by the
 * outbound rules of HNS (https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/).
 */
export function dataPlaneOf(machine: Machine): DataPlane {
  const { hnsNetworks, hnsEndpoints, power } = machine.state;
  const isUp = power === "running" && !machine.faultApplies("data-plane-dead", { how: "reaches nothing" });
  const overlay = isUp && hnsNetworks.some((one) => !one.persistent) && isRunning(machine, "hybrid-overlay-node");
  const services =
    overlay &&
    isRunning(machine, "kube-proxy") &&
    hnsEndpoints.some(({ attached }) => attached) &&
    !machine.faultApplies("data-plane-dead", { how: "no services" });
  return {
    isReached: overlay && !machine.faultApplies("data-plane-dead", { how: "unreached" }),
    isReachedByHost: overlay && !machine.faultApplies("data-plane-dead", { how: "host" }),
    podsSince: endpointsSince(machine),
    reachesServices: services,
    reachesOutside: overlay && !machine.faultApplies("data-plane-dead", { how: "no outside" }),
    reachesMetadata: isUp && metadataRoute(machine) && leavesPod(machine, "169.254.169.254"),
  };
}
