import type { Operation } from "./plan.ts";

/** Who may reach a port of a Windows node. Monitoring runs on the Linux workers. */
export type Peer = "control-plane" | "linux-nodes" | "windows-nodes";

/** A port that a Windows node takes traffic on. */
export interface Port {
  readonly name: string;
  readonly protocol: "TCP" | "UDP";
  readonly port: number;
  readonly from: readonly Peer[];
}

/**
 * Everything that a node of profile okd takes from its cluster. Traffic between pods travels inside the overlay's
 * UDP port, so no other port is open for it.
 * @param overlayPort the cluster's VXLAN port, 4789 unless configured otherwise
 */
export const okdPorts = (overlayPort: number): readonly Port[] => [
  { name: "Casement kubelet", protocol: "TCP", port: 10250, from: ["control-plane", "linux-nodes"] },
  {
    name: "Casement overlay network",
    protocol: "UDP",
    port: overlayPort,
    from: ["control-plane", "linux-nodes", "windows-nodes"],
  },
  { name: "Casement metrics", protocol: "TCP", port: 9182, from: ["linux-nodes"] },
];

/** The same ports in the Windows firewall, which knows networks but no security groups. */
export const firewallRules = (ports: readonly Port[], machineNetwork: string): Operation[] =>
  ports.map(({ name, protocol, port }) => ({
    do: "firewall-rule",
    name,
    protocol,
    port,
    remoteAddresses: [machineNetwork],
  }));

/** An inbound rule of a security group, as far as it is judged; EC2's `IpPermission` fits. */
export interface InboundRule {
  readonly IpProtocol?: string | undefined;
  readonly FromPort?: number | undefined;
  readonly ToPort?: number | undefined;
  readonly IpRanges?: readonly { readonly CidrIp?: string | undefined }[] | undefined;
  readonly Ipv6Ranges?: readonly { readonly CidrIpv6?: string | undefined }[] | undefined;
  readonly UserIdGroupPairs?: readonly { readonly GroupId?: string | undefined }[] | undefined;
}

/** The same ports as inbound rules of the nodes' security group. `groups` holds the group id of each peer. */
export const securityGroupRules = (
  ports: readonly Port[],
  groups: Readonly<Record<Peer, string>>,
): (InboundRule & { readonly IpProtocol: string })[] =>
  ports.map(({ name, protocol, port, from }) => ({
    IpProtocol: protocol.toLowerCase(),
    FromPort: port,
    ToPort: port,
    UserIdGroupPairs: from.map((peer) => ({ GroupId: groups[peer], Description: name })),
  }));

/** Ports that people administer Windows by: this product needs none of them, so an open one is a way in. */
const FORBIDDEN: readonly (readonly [port: number, what: string])[] = [
  [22, "SSH"],
  [3389, "Remote Desktop"],
  [5985, "WinRM"],
  [5986, "WinRM over TLS"],
];

const EVERYBODY = ["0.0.0.0/0", "::/0"];

// Protocols may be written as numbers; "-1" is every protocol with every port (EC2 API, IpPermission).
const PROTOCOLS: Readonly<Record<string, readonly string[]>> = { TCP: ["tcp", "6", "-1"], UDP: ["udp", "17", "-1"] };

function covers(rule: InboundRule, protocol: "TCP" | "UDP", port: number): boolean {
  if (!PROTOCOLS[protocol]?.includes(rule.IpProtocol ?? "")) return false;
  if (rule.IpProtocol === "-1" || rule.FromPort === undefined || rule.FromPort === -1) return true;
  return rule.FromPort <= port && port <= (rule.ToPort ?? rule.FromPort);
}

const networksOf = (rule: InboundRule): string[] => [
  ...(rule.IpRanges ?? []).map((range) => range.CidrIp ?? ""),
  ...(rule.Ipv6Ranges ?? []).map((range) => range.CidrIpv6 ?? ""),
];

const spoken = (rule: InboundRule): string =>
  rule.IpProtocol === "-1" ? "everything" : `${rule.IpProtocol} ${rule.FromPort ?? "all"}-${rule.ToPort ?? "all"}`;

/**
 * Judges the security group of Windows nodes before anything is launched behind it.
 * @param group as DescribeSecurityGroups gives it
 * @param ports what the profile needs
 * @returns one phrase per fault; none when the group is right
 */
export function securityGroupFaults(
  group: { readonly IpPermissions?: readonly InboundRule[] | undefined },
  ports: readonly Port[],
): string[] {
  const rules = group.IpPermissions ?? [];
  const forbidden = FORBIDDEN.filter(([port]) => rules.some((rule) => covers(rule, "TCP", port)));
  const open = rules.filter((rule) => networksOf(rule).some((network) => EVERYBODY.includes(network)));
  const missing = ports.filter(({ protocol, port }) => !rules.some((rule) => covers(rule, protocol, port)));
  return [
    ...forbidden.map(([port, what]) => `it admits ${what} (port ${port})`),
    ...open.map((rule) => `it admits ${spoken(rule)} from everywhere`),
    ...missing.map(({ name, protocol, port }) => `it does not admit ${protocol} ${port} (${name})`),
  ];
}
