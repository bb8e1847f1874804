import type { IpPermission } from "@aws-sdk/client-ec2";
import { describe, expect, it } from "vitest";
import { balancerPorts, firewallRules, securityGroupFaults, securityGroupRules } from "../../lambdas/machine/ports.ts";
import { okd } from "../../lambdas/profiles/okd/okd.ts";

const groups = { "control-plane": "sg-1", "linux-nodes": "sg-2", "windows-nodes": "sg-3" };
const ports = okd.ports({ hybridOverlayPort: 4789 });
const right: IpPermission[] = securityGroupRules(ports, groups) as IpPermission[];
const faultsWith = (...more: IpPermission[]): string[] =>
  securityGroupFaults({ IpPermissions: [...right, ...more] }, ports);
const tcp = (from: number, to: number, cidr: string, description?: string): IpPermission => ({
  IpProtocol: "tcp",
  FromPort: from,
  ToPort: to,
  IpRanges: [{ CidrIp: cidr, ...(description === undefined ? {} : { Description: description }) }],
});

describe("the ports of a Windows node", () => {
  it("are the same in the Windows firewall and in the security group", () => {
    const firewall = firewallRules(ports, "10.0.0.0/16").map(
      (rule) => rule.do === "firewall-rule" && [rule.protocol.toLowerCase(), rule.port],
    );
    expect(firewall).toEqual([
      ["tcp", 10250],
      ["udp", 4789],
      ["tcp", 9182],
    ]);
    expect(right.map((rule) => [rule.IpProtocol, rule.FromPort])).toEqual(firewall);
  });

  it("are reached by who needs them", () => {
    expect(right.map((rule) => rule.UserIdGroupPairs?.map(({ GroupId }) => GroupId))).toEqual([
      ["sg-1", "sg-2"],
      ["sg-1", "sg-2", "sg-3"],
      ["sg-2"],
    ]);
  });

  it("follow the cluster's overlay port", () => {
    expect(firewallRules(okd.ports({ hybridOverlayPort: 9789 }), "10.0.0.0/16")).toContainEqual(
      expect.objectContaining({ protocol: "UDP", port: 9789, remoteAddresses: ["10.0.0.0/16"] }),
    );
  });
});

describe("a security group", () => {
  it("is right with exactly what the profile needs", () => {
    expect(faultsWith()).toEqual([]);
  });

  it.for([
    ["SSH from inside", tcp(22, 22, "10.0.0.0/16"), ["it admits SSH (port 22) from addresses"]],
    [
      "Remote Desktop in a range",
      tcp(3000, 4000, "10.0.0.0/16"),
      ["it admits Remote Desktop (port 3389) from addresses"],
    ],
    [
      "WinRM",
      tcp(5985, 5986, "10.0.0.0/16"),
      ["it admits WinRM (port 5985) from addresses", "it admits WinRM over TLS (port 5986) from addresses"],
    ],
    ["a harmless port from everywhere", tcp(443, 443, "0.0.0.0/0"), ["it admits tcp 443 from everywhere"]],
    [
      "IPv6 from everywhere",
      { IpProtocol: "udp", FromPort: 1, ToPort: 1, Ipv6Ranges: [{ CidrIpv6: "::/0" }] },
      ["it admits udp 1 from everywhere"],
    ],
    [
      "SSH from a prefix list",
      { IpProtocol: "tcp", FromPort: 22, ToPort: 22, PrefixListIds: [{ PrefixListId: "pl-1" }] },
      ["it admits SSH (port 22) from addresses"],
    ],
    [
      "everything from one network",
      { IpProtocol: "-1", IpRanges: [{ CidrIp: "10.0.0.0/16" }] },
      [
        "it admits SSH (port 22) from addresses",
        "it admits Remote Desktop (port 3389) from addresses",
        "it admits WinRM (port 5985) from addresses",
        "it admits WinRM over TLS (port 5986) from addresses",
      ],
    ],
    [
      "SSH under a description of a balancer's",
      tcp(22, 22, "0.0.0.0/0", "kubernetes.io/rule/nlb/client=a1"),
      ["it admits SSH (port 22) from addresses"],
    ],
  ] as [string, IpPermission, string[]][])("is refused with %s", ([, rule, faults]) => {
    expect(faultsWith(rule)).toEqual(faults);
  });

  it("is right when it admits everything from a security group, as a Classic Load Balancer needs it", () => {
    expect(faultsWith({ IpProtocol: "-1", UserIdGroupPairs: [{ GroupId: "sg-elb" }] })).toEqual([]);
  });

  it("lacks what it needs although a load balancer may reach every port", () => {
    const balancers = { IpProtocol: "-1", UserIdGroupPairs: [{ GroupId: "sg-elb" }] };
    expect(securityGroupFaults({ IpPermissions: [balancers] }, ports)).toHaveLength(3);
  });

  it("is right with a Network Load Balancer's node ports, which are told apart", () => {
    const clients = tcp(31_234, 31_234, "0.0.0.0/0", "kubernetes.io/rule/nlb/client=a1b2");
    const packets = {
      ...tcp(3, 4, "0.0.0.0/0", "kubernetes.io/rule/nlb/mtu"),
      IpProtocol: "icmp",
    };
    expect(faultsWith(clients, packets)).toEqual([]);
    expect(balancerPorts({ IpPermissions: [...right, clients, clients, packets] })).toEqual(["tcp 31234"]);
    expect(balancerPorts({ IpPermissions: right })).toEqual([]);
  });

  it("is told what it lacks", () => {
    expect(securityGroupFaults({ IpPermissions: right.slice(1) }, ports)).toEqual([
      "it does not admit TCP 10250 (Casement kubelet)",
    ]);
    expect(securityGroupFaults({}, ports)).toHaveLength(3);
  });

  it("does not take TCP for UDP", () => {
    const wrong = right.map((rule) => (rule.IpProtocol === "udp" ? { ...rule, IpProtocol: "tcp" } : rule));
    expect(securityGroupFaults({ IpPermissions: wrong }, ports)).toEqual([
      "it does not admit UDP 4789 (Casement overlay network)",
    ]);
  });
});
