import type { MishapKind } from "../core/mishaps.ts";

const fields = {
  instanceId: "the instance it happens to",
  node: "the node it happens to, by its private DNS name",
} as const;

/** How a kubelet may ask wrongly. */
export const wrongRequests = ["extra-san", "extra-organization", "other-name"] as const;

/** Everything that can be ordered to go wrong on a machine. */
export const machineMishaps: readonly MishapKind[] = [
  {
    kind: "lose-metadata-route",
    sentence: "The six link-local routes vanish; without a guard they stay away.",
    fields,
  },
  { kind: "agent-silent", sentence: "The SSM agent sends no heartbeat and takes no command.", fields },
  {
    kind: "agent-never-online",
    sentence: "The SSM agent never registers with Systems Manager, until its machine boots again.",
    fields,
  },
  { kind: "feature-install-fails", sentence: "Installing a Windows feature fails.", fields },
  { kind: "download-corrupt", sentence: "What the machine downloads from the bucket arrives damaged.", fields },
  {
    kind: "service-crashes",
    sentence: "A running Windows service ends unexpectedly.",
    fields: { ...fields, service: "the Windows service" },
  },
  { kind: "boot-hangs", sentence: "The machine does not come out of its boot until it is rebooted.", fields },
  { kind: "slow-boot", sentence: "Booting takes four times as long.", fields },
  {
    kind: "kubelet-wrong-csr",
    sentence: "The kubelet asks for a certificate that it should not get.",
    fields: { ...fields, how: wrongRequests.join(" or ") },
  },
];
