import type { Port } from "../../machine/ports.ts";

/** OVN-Kubernetes' default VXLAN port (OKD documentation, "Configuring hybrid networking"). */
export const STANDARD_OVERLAY_PORT = 4789;

/**
 * Lists every port on which a node accepts traffic from its cluster. Traffic between pods uses the overlay's UDP port,
 * so it needs no other port.
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
