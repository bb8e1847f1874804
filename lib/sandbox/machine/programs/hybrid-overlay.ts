import { messageOf } from "../../../message-of.ts";
import { issuedAt, maintainCertificate } from "../certificate-manager.ts";
import { flagsOf } from "../command-line.ts";
import { networkLosses } from "../fault-kinds.ts";
import { type Credentials, callApi, certificateIn, credentialsAt, errorMessageOf, textAt } from "../kube-client.ts";
import type { Program, ProgramContext } from "../machine.ts";
import {
  copyRoutesToSwitch,
  createHnsNetwork,
  hnsNetwork,
  removeHnsNetwork,
  removeLinkLocalRoutes,
} from "../network.ts";
import { logFault } from "./plain.ts";

/** ho_node_windows.go: the persistent base network, and the pods' network on top of it. */
const BASE = { name: "BaseOVNKubernetesHybridOverlayNetwork", subnet: "100.64.0.0/30" };
const OVERLAY = "OVNKubernetesHybridOverlayNetwork";
const SUBNET = "k8s.ovn.org/hybrid-overlay-node-subnet";
const ROUTER_MAC = "k8s.ovn.org/hybrid-overlay-distributed-router-gateway-mac";
const POLL_MS = 2_000;

interface Overlay {
  readonly context: ProgramContext;
  readonly node: string;
  readonly certificate: string;
  readonly bootstrap: string;
}

function overlayOf(context: ProgramContext): Overlay {
  const flags = flagsOf(context.words, ["windows-service"]);
  const fault = logFault(context.machine, flags.get("logfile"));
  if (fault) throw new Error(fault);
  const node = flags.get("node");
  const bootstrap = flags.get("bootstrap-kubeconfig");
  if (!node || !bootstrap) throw new Error("missing node name or bootstrap kubeconfig");
  textAt(context.machine, bootstrap);
  textAt(context.machine, flags.get("k8s-cacert") ?? "");
  const directory = (flags.get("cert-dir") ?? "").replace(/\\+$/, "");
  return { context, node, bootstrap, certificate: `${directory}\\ovnkube-client-current.pem` };
}

/** Uses its own certificate when it has one, otherwise the kubelet's credentials. */
function credentials({ context, certificate, bootstrap }: Overlay): Credentials {
  const own = issuedAt(context.machine, certificate);
  const kubelet = credentialsAt(context.machine, bootstrap);
  if (!own || own.notAfter <= context.machine.simulation.clock.now()) return kubelet;
  return { ...kubelet, token: null, certificate: certificateIn(textAt(context.machine, certificate), certificate) };
}

/** OVN-Kubernetes' own client certificate; the cluster's network operator approves it (node identity). */
function keepOwnCertificate(overlay: Overlay): void {
  void maintainCertificate(overlay.context, {
    signerName: "kubernetes.io/kube-apiserver-client",
    usage: "client auth",
    expirationSeconds: 86_400,
    file: overlay.certificate,
    template: () => ({
      commonName: `system:ovn-node:${overlay.node}`,
      organizations: ["system:ovn-nodes"],
      dnsNames: [],
      ipAddresses: [],
    }),
    credentials: () => credentials(overlay),
  });
}

async function annotations(overlay: Overlay): Promise<Record<string, string>> {
  const { machine, process } = overlay.context;
  const answer = await callApi(machine, process, credentials(overlay), "GET", `/api/v1/nodes/${overlay.node}`);
  if (answer.status !== 200) throw new Error(errorMessageOf(answer));
  const { annotations: found } = answer.body.metadata as { readonly annotations?: Record<string, string> };
  return found ?? {};
}

async function ensureBase({ context }: Overlay): Promise<void> {
  const { machine, process } = context;
  if (hnsNetwork(machine, BASE.name)) return;
  await process.pause(machine.duration(...machine.simulation.figures.podNetwork));
  createHnsNetwork(machine, BASE.name, BASE.subnet, true);
  copyRoutesToSwitch(machine);
  context.log("Network created. Repopulating routes");
}

async function ensureOverlay({ context }: Overlay, subnet: string): Promise<string> {
  const { machine, process } = context;
  const known = hnsNetwork(machine, OVERLAY);
  if (known) return known.routerMac;
  await process.pause(machine.duration(...machine.simulation.figures.podNetwork));
  return createHnsNetwork(machine, OVERLAY, subnet, false).routerMac;
}

async function announce(overlay: Overlay, mac: string): Promise<void> {
  const { machine, process } = overlay.context;
  const patch = { metadata: { annotations: { [ROUTER_MAC]: mac } } };
  const path = `/api/v1/nodes/${overlay.node}`;
  const answer = await callApi(machine, process, credentials(overlay), "PATCH", path, patch);
  if (answer.status !== 200) throw new Error(`Failed to set DRMAC annotation on node: ${errorMessageOf(answer)}`);
}

/** Makes one pass. @returns true when the node's network is complete */
async function initialize(overlay: Overlay): Promise<boolean> {
  const subnet = (await annotations(overlay))[SUBNET];
  await ensureBase(overlay);
  if (!subnet) return false;
  await announce(overlay, await ensureOverlay(overlay, subnet));
  return true;
}

/** Applies the fault "overlay-made-anew": a network that is not as the program wants it is deleted first. */
function applyNetworkFault({ machine, resumed }: ProgramContext): void {
  if (resumed || !hnsNetwork(machine, OVERLAY)) return;
  const how = networkLosses.find((one) => machine.faultApplies("overlay-made-anew", { how: one }));
  if (how === undefined) return;
  removeHnsNetwork(machine, OVERLAY);
  if (how === "network and routes") removeLinkLocalRoutes(machine);
}

async function live(overlay: Overlay): Promise<void> {
  const { context } = overlay;
  applyNetworkFault(context);
  keepOwnCertificate(overlay);
  while (!issuedAt(context.machine, overlay.certificate)) await context.process.pause(POLL_MS);
  for (;;) {
    try {
      if (await initialize(overlay)) return;
    } catch (error) {
      context.log(`failed to initialize node: ${messageOf(error)}`);
    }
    await context.process.pause(POLL_MS);
  }
}

/**
 * hybrid-overlay-node: gets its own certificate, then creates the two HNS networks once the network operator has given
 * the Node a subnet. It copies the routes only when it creates the base network.
 */
export const hybridOverlay: Program = (context) => {
  try {
    void live(overlayOf(context));
    return undefined;
  } catch (error) {
    return { code: 1, reason: messageOf(error) };
  }
};
