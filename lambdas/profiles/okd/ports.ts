import type { Port } from "../../machine/ports.ts";

/** OVN-Kubernetes' own VXLAN port, where the cluster names none (OKD documentation, "Configuring hybrid networking"). */
export const STANDARD_OVERLAY_PORT = 4789;

/**
 * Everything that a node takes from its cluster. Traffic between pods travels inside the overlay's UDP port, so no other
 * port is open for it.
 */
export const okdPorts = ({ hybridOverlayPort }: { readonly hybridOverlayPort: number }): readonly Port[] => [
  { name: "Casement kubelet", protocol: "TCP", port: 10250, from: ["control-plane", "linux-nodes"] },
  {
    name: "Casement overlay network",
    protocol: "UDP",
    port: hybridOverlayPort,
    from: ["control-plane", "linux-nodes", "windows-nodes"],
  },
  { name: "Casement metrics", protocol: "TCP", port: 9182, from: ["linux-nodes"] },
];
