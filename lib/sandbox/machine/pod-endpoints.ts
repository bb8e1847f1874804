import type { Machine } from "./machine.ts";

const CNI_CONFIG = "C:\\k\\cni\\config\\cni.conf";

/** A rule of an endpoint, as HNS takes it (hcsshim, hcn.AclPolicySetting). */
interface Rule {
  readonly Action: "Allow" | "Block";
  readonly Direction: "In" | "Out";
  readonly RemoteAddresses?: string;
  readonly Priority: number;
}

interface CniConfig {
  readonly policies: readonly { readonly value: { readonly type: string; readonly settings: unknown } }[];
}

/**
 * Does HNS let a pod's packet to an address leave, by the rules that win-overlay gives its endpoint? The matching rule
 * with the lowest number decides; an endpoint that has rules drops what none of them allows.
 */
export function leavesPod(machine: Machine, address: string): boolean {
  const { policies } = JSON.parse(machine.disk.text(CNI_CONFIG) ?? '{"policies":[]}') as CniConfig;
  const rules = policies.flatMap(({ value }) => (value.type === "ACL" ? [value.settings as Rule] : []));
  if (rules.length === 0) return true;
  const speaking = rules
    .filter(({ Direction, RemoteAddresses: to }) => Direction === "Out" && (!to || to === `${address}/32`))
    .toSorted((one, other) => one.Priority - other.Priority);
  return speaking[0]?.Action === "Allow";
}
