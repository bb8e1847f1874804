import type { Simulation } from "../../core/simulation.ts";
import { type Fields, fieldsOf, type KubeObject, listOf } from "../model/object.ts";
import { known } from "../model/resources.ts";
import type { Objects } from "../store/objects.ts";

const services = known("services");

/** Range of node ports (kube-apiserver --service-node-port-range). */
const NODE_PORTS = [30_000, 32_767] as const;

/** Last two numbers of an address in OKD's service network, 172.30.0.0/16. */
const ADDRESSES = [10, 65_534] as const;

const addressOf = (number: number): string => `172.30.${number >> 8}.${number & 255}`;

const specOf = ({ spec }: KubeObject): Fields => fieldsOf(spec);
const portsOf = (service: KubeObject): Fields[] => listOf<Fields>(specOf(service).ports);

/** Assigns an address and node ports to Services that do not name them (k8s pkg/registry/core/service). */
export function serviceAddresses({ random }: Simulation, objects: Objects): (service: KubeObject) => KubeObject {
  const free = <T>(
    [first, last]: readonly [number, number],
    made: (number: number) => T,
    taken: readonly unknown[],
  ): T => {
    const wanted = made(random.between(first, last));
    return taken.includes(wanted) ? free([first, last], made, taken) : wanted;
  };
  const withAddress = (spec: Fields): Fields => {
    if (spec.clusterIP || spec.type === "ExternalName") return spec;
    const clusterIP = free(
      ADDRESSES,
      addressOf,
      objects.list(services).map((one) => specOf(one).clusterIP),
    );
    return { ...spec, clusterIP, clusterIPs: [clusterIP] };
  };
  const withNodePorts = (spec: Fields): Fields => {
    if (spec.type !== "NodePort" && spec.type !== "LoadBalancer") return spec;
    const taken = objects.list(services).flatMap((one) => portsOf(one).map(({ nodePort }) => nodePort));
    const ports = listOf<Fields>(spec.ports).map((port) => {
      const nodePort = port.nodePort ?? free(NODE_PORTS, (number) => number, taken);
      taken.push(nodePort);
      return { ...port, nodePort };
    });
    return { ...spec, ports };
  };
  return (service) => ({ ...service, spec: withNodePorts(withAddress(specOf(service))) });
}
