import type { DataPlaneFault } from "../../health/probe.ts";
import type { Trouble } from "../../health/trouble.ts";
import { typeThis } from "../command/syntax.ts";
import { between } from "../slack/age.ts";
import { code, counted, some } from "../slack/text.ts";
import { again, foreign, rebootPress, type Tell, type TroubleContext } from "./trouble-text.ts";

/** Kinds of troubles of the container network, and of the pods in it. */
type NetworkTrouble = Extract<
  Trouble["kind"],
  "network-missing" | "endpoint-missing" | "hns-restarted" | "pods-without-endpoint" | "data-plane"
>;

const dataPlaneWords: Readonly<Record<DataPlaneFault, string>> = {
  start: "A pod on the node gets no network: the kubelet cannot create its sandbox (event FailedCreatePodSandBox)",
  dns: "A pod on the node cannot resolve cluster DNS names",
  api: "A pod on the node cannot reach the service kubernetes.default",
  metadata: "A pod on the node reaches the instance metadata service, and with it the node's role",
  unreached: "A pod on the node cannot be reached from another node",
  host: "A pod on the node is reached from another node, but not from its own host: every readiness probe fails",
  outside: "A pod on the node does not reach a host outside of the cluster, which a pod on a Linux node reaches",
};

/** Reason why a node's data plane is not probed. @param system Linux, or the release of Windows, that has no image */
export const noProbeImage = (system: string): string => `${code("probe.images")} names no image for ${system}`;

/**
 * Says what a data plane lacks.
 * @param from node from which the pod was not reached
 * @param said words of the cluster about it, or the address outside of the cluster
 */
export function dataPlaneSays(fault: DataPlaneFault, from: string | null = null, said = ""): string {
  const places: Readonly<Partial<Record<DataPlaneFault, string | null>>> = { unreached: from, outside: said };
  const place = places[fault];
  const words = fault === "outside" || !said ? "" : ` The kubelet says: ${foreign(said, 240)}.`;
  return `${dataPlaneWords[fault]}${place ? ` (${code(place)})` : ""}.${words}`;
}

/** Next step for a data plane that does not work. */
const checkPlane = (fault: DataPlaneFault): string =>
  fault === "outside"
    ? "Check the route table of the node's subnet (NAT gateway), its security group, the egress firewall, and whether the host translates the addresses of pods (SNAT)"
    : "Check the node's container network and kube-proxy";

/** Pods named in one sentence. */
const MOST_PODS = 5;

const podsWords = (pods: readonly string[]): string =>
  `${counted(pods.length, "pod")} on the node ${pods.length === 1 ? "has" : "have"} no endpoint in HNS and so no network: ${some(pods.map(code), MOST_PODS)}`;

/** Next step for pods without an endpoint, which only a new pod gets. */
const movePods = (told: TroubleContext) => ({
  next: `${typeThis("reboot", told.node)} evicts its pods, so that others take their place, and proves the node. ${again(told)}`,
  press: rebootPress(told),
});

/** Words for the troubles of the container network. */
export const networkTells: { readonly [K in NetworkTrouble]: Tell<K> } = {
  "network-missing": ({ network }, told) => ({
    says: `The container network ${code(network)} does not exist: pods get no address.`,
    next: `${code("hybrid-overlay-node")} creates it when it starts: ${code("Restart-Service hybrid-overlay-node")} in Session Manager. ${again(told)}`,
    press: rebootPress(told),
  }),
  "endpoint-missing": ({ endpoint }, told) => ({
    says: `The endpoint ${code(endpoint)} is not attached to the machine: kube-proxy cannot reach pods from it.`,
    next: `Run the task ${code("Casement network")} in Session Manager: ${code('Start-ScheduledTask "Casement network"')}. ${again(told)}`,
    press: rebootPress(told),
  }),
  "hns-restarted": ({ at, pods }, told) => ({
    says: `The Host Networking Service (HNS) restarted ${between(at, told.now)} ago, after kube-proxy started: load balancers of Services are lost.${pods.length > 0 ? ` ${podsWords(pods)}.` : ""}`,
    ...(pods.length > 0
      ? movePods(told)
      : {
          next: `${typeThis("restart", told.node)} restarts kube-proxy, which makes them again; pods stay. ${again(told)}`,
          press: { text: "Restart services", command: `restart ${told.node}` },
        }),
  }),
  "pods-without-endpoint": ({ pods }, told) => ({ says: `${podsWords(pods)}.`, ...movePods(told) }),
  "data-plane": ({ fault, from, words: said, at }, told) => ({
    says: `${dataPlaneSays(fault, from, said)}${at ? ` The probe failed ${between(at, told.now)} ago.` : ""}`,
    next: at
      ? `${checkPlane(fault)}, or reboot it with ${typeThis("reboot", told.node)}: it takes pods again once the reboot is proven.`
      : `${checkPlane(fault)}. ${again(told)}`,
    press: rebootPress(told),
  }),
};
