import type { Action } from "./plan.ts";

/** Group of machines that may reach a port of a Windows node. Monitoring runs on the Linux workers. */
export type Peer = "control-plane" | "linux-nodes" | "windows-nodes";

/** A port on which a Windows node accepts traffic. */
export interface Port {
  readonly name: string;
  readonly protocol: "TCP" | "UDP";
  readonly port: number;
  readonly from: readonly Peer[];
}

/** Turns ports into rules of the Windows firewall, which supports networks but no security groups. */
export const firewallRules = (ports: readonly Port[], machineNetwork: string): Action[] =>
  ports.map(({ name, protocol, port }) => ({
    do: "firewall-rule",
    name,
    protocol,
    port,
    remoteAddresses: [machineNetwork],
  }));

/** The fields of a security group's inbound rule that are checked; EC2's `IpPermission` fits. */
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

/** Turns ports into inbound rules of the nodes' security group. `groups` contains the group id of each peer. */
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

/** Ports of remote administration. Casement needs none of them, so an open one only helps an attacker. */
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

/** A network that a rule admits: an address range, or the id of a prefix list. */
interface Source {
  readonly network: string;
  readonly description: string;
}

/**
 * Networks that a rule admits. A rule from a security group admits none: only a principal with rights in the account
 * can add members to that group, such as the cloud controller, which admits the router's Classic Load Balancer
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
 * Prefix of the cloud controller's descriptions of a Network Load Balancer's rules, for clients, health checks and
 * their packet size (cloud-provider-aws, aws.go, NLBClientRuleDescription, NLBHealthCheckRuleDescription,
 * NLBMtuDiscoveryRuleDescription).
 */
const BALANCER = "kubernetes.io/rule/nlb/";

const isBalancers = ({ description }: Source): boolean => description.startsWith(BALANCER);

const isEverybody = ({ network }: Source): boolean => EVERYBODY.includes(network);

const spoken = (rule: InboundRule): string => {
  if (rule.IpProtocol === "-1") return "everything";
  const { FromPort: from = "all", ToPort: to = from } = rule;
  return `${rule.IpProtocol} ${from === to ? from : `${from}-${to}`}`;
};

/** A security group in the form of DescribeSecurityGroups. */
interface Group {
  readonly IpPermissions?: readonly InboundRule[] | undefined;
}

/**
 * Checks the security group of Windows nodes before machines are launched with it.
 * @param ports the ports that the profile needs
 * @returns one phrase per fault; empty if the group is right
 */
export function securityGroupFaults(group: Group, ports: readonly Port[]): string[] {
  const rules = group.IpPermissions ?? [];
  const fromNetworks = rules.filter((rule) => sourcesOf(rule).length > 0);
  const forbidden = FORBIDDEN.filter(([port]) => fromNetworks.some((rule) => covers(rule, "TCP", port)));
  const open = rules.filter((rule) => sourcesOf(rule).some((source) => isEverybody(source) && !isBalancers(source)));
  // A rule with protocol -1 admits a load balancer to every port, but not the peers that need a port.
  const explicit = rules.filter(({ IpProtocol }) => IpProtocol !== "-1");
  const missing = ports.filter(({ protocol, port }) => !explicit.some((rule) => covers(rule, protocol, port)));
  return [
    ...forbidden.map(([port, what]) => `it admits ${what} (port ${port}) from addresses`),
    ...open.map((rule) => `it admits ${spoken(rule)} from everywhere`),
    ...missing.map(({ name, protocol, port }) => `it does not admit ${protocol} ${port} (${name})`),
  ];
}

/**
 * Lists the ports that the cloud controller opened to everybody for Network Load Balancers. This is no fault, because
 * such a balancer needs it, but people should know.
 * @returns "tcp 31234", each once; empty if there is no such balancer
 */
export const balancerPorts = (group: Group): string[] => [
  ...new Set(
    (group.IpPermissions ?? [])
      .filter(({ IpProtocol }) => IpProtocol !== "icmp")
      .filter((rule) => sourcesOf(rule).some((source) => isEverybody(source) && isBalancers(source)))
      .map(spoken),
  ),
];
