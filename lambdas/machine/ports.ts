import type { Action } from "./plan.ts";

/** Sender that may reach a port of a Windows node. Monitoring runs on the Linux workers. */
export type Peer = "control-plane" | "linux-nodes" | "windows-nodes";

/** A port that a Windows node takes traffic on. */
export interface Port {
  readonly name: string;
  readonly protocol: "TCP" | "UDP";
  readonly port: number;
  readonly from: readonly Peer[];
}

/** Ports in the Windows firewall, which knows networks but no security groups. */
export const firewallRules = (ports: readonly Port[], machineNetwork: string): Action[] =>
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
  readonly IpRanges?:
    | readonly {
        readonly CidrIp?: string | undefined;
        readonly Description?: string | undefined;
      }[]
    | undefined;
  readonly Ipv6Ranges?:
    | readonly {
        readonly CidrIpv6?: string | undefined;
        readonly Description?: string | undefined;
      }[]
    | undefined;
  readonly PrefixListIds?: readonly { readonly PrefixListId?: string | undefined }[] | undefined;
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

/** A network that a rule admits: an address range, or a prefix list by its id. */
interface Source {
  readonly network: string;
  readonly description: string;
}

/**
 * Networks that a rule admits. A rule from a security group admits none: members of that group were put there by a
 * principal with rights in the account, such as the cloud controller that lets the router's Classic Load Balancer through
 * (protocol "-1").
 */
const sourcesOf = (rule: InboundRule): Source[] => [
  ...(rule.IpRanges ?? []).map(({ CidrIp = "", Description = "" }) => ({ network: CidrIp, description: Description })),
  ...(rule.Ipv6Ranges ?? []).map(({ CidrIpv6 = "", Description = "" }) => ({
    network: CidrIpv6,
    description: Description,
  })),
  ...(rule.PrefixListIds ?? []).map(({ PrefixListId = "" }) => ({ network: PrefixListId, description: "" })),
];

/**
 * The cloud controller describes the rules of a Network Load Balancer so: its clients, its health checks and their packet size
 * (cloud-provider-aws, aws.go, NLBClientRuleDescription, NLBHealthCheckRuleDescription, NLBMtuDiscoveryRuleDescription).
 */
const BALANCER = "kubernetes.io/rule/nlb/";

const isBalancers = ({ description }: Source): boolean => description.startsWith(BALANCER);

const isEverybody = ({ network }: Source): boolean => EVERYBODY.includes(network);

const spoken = (rule: InboundRule): string => {
  if (rule.IpProtocol === "-1") return "everything";
  const { FromPort: from = "all", ToPort: to = from } = rule;
  return `${rule.IpProtocol} ${from === to ? from : `${from}-${to}`}`;
};

/** A group as DescribeSecurityGroups gives it. */
interface Group {
  readonly IpPermissions?: readonly InboundRule[] | undefined;
}

/**
 * Judges the security group of Windows nodes before anything is launched behind it.
 * @param ports what the profile needs
 * @returns one phrase per fault; none when the group is right
 */
export function securityGroupFaults(group: Group, ports: readonly Port[]): string[] {
  const rules = group.IpPermissions ?? [];
  const fromNetworks = rules.filter((rule) => sourcesOf(rule).length > 0);
  const forbidden = FORBIDDEN.filter(([port]) => fromNetworks.some((rule) => covers(rule, "TCP", port)));
  const open = rules.filter((rule) => sourcesOf(rule).some((source) => isEverybody(source) && !isBalancers(source)));
  // A load balancer's rule admits every port from the balancer, and so nothing from those who need a port.
  const explicit = rules.filter(({ IpProtocol }) => IpProtocol !== "-1");
  const missing = ports.filter(({ protocol, port }) => !explicit.some((rule) => covers(rule, protocol, port)));
  return [
    ...forbidden.map(([port, what]) => `it admits ${what} (port ${port}) from addresses`),
    ...open.map((rule) => `it admits ${spoken(rule)} from everywhere`),
    ...missing.map(({ name, protocol, port }) => `it does not admit ${protocol} ${port} (${name})`),
  ];
}

/**
 * The ports that the cloud controller opened to everybody for Network Load Balancers: so it must be where a team asks for
 * such a balancer, and worth knowing.
 * @returns "tcp 31234", each once; none where there is no such balancer
 */
export const balancerPorts = (group: Group): string[] => [
  ...new Set(
    (group.IpPermissions ?? [])
      .filter(({ IpProtocol }) => IpProtocol !== "icmp")
      .filter((rule) => sourcesOf(rule).some((source) => isEverybody(source) && isBalancers(source)))
      .map(spoken),
  ),
];
