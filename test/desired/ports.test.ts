import type { IpPermission } from "@aws-sdk/client-ec2";
import { describe, expect, it } from "vitest";
import { firewallRules, okdPorts, securityGroupFaults, securityGroupRules } from "../../lambdas/desired/ports.ts";

const groups = { "control-plane": "sg-1", "linux-nodes": "sg-2", "windows-nodes": "sg-3" };
const ports = okdPorts(4789);
const right: IpPermission[] = securityGroupRules(ports, groups) as IpPermission[];
const faultsWith = (...more: IpPermission[]): string[] =>
  securityGroupFaults({ IpPermissions: [...right, ...more] }, ports);
const tcp = (from: number, to: number, cidr: string): IpPermission => ({
  IpProtocol: "tcp",
  FromPort: from,
  ToPort: to,
  IpRanges: [{ CidrIp: cidr }],
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
    expect(firewallRules(okdPorts(9789), "10.0.0.0/16")).toContainEqual(
      expect.objectContaining({ protocol: "UDP", port: 9789, remoteAddresses: ["10.0.0.0/16"] }),
    );
  });
});

describe("a security group", () => {
  it("is right with exactly what the profile needs", () => {
    expect(faultsWith()).toEqual([]);
  });

  it.for([
    ["SSH from inside", tcp(22, 22, "10.0.0.0/16"), ["it admits SSH (port 22)"]],
    ["Remote Desktop in a range", tcp(3000, 4000, "10.0.0.0/16"), ["it admits Remote Desktop (port 3389)"]],
    ["WinRM", tcp(5985, 5986, "10.0.0.0/16"), ["it admits WinRM (port 5985)", "it admits WinRM over TLS (port 5986)"]],
    ["a harmless port from everywhere", tcp(443, 443, "0.0.0.0/0"), ["it admits tcp 443-443 from everywhere"]],
    [
      "IPv6 from everywhere",
      { IpProtocol: "udp", FromPort: 1, ToPort: 1, Ipv6Ranges: [{ CidrIpv6: "::/0" }] },
      ["it admits udp 1-1 from everywhere"],
    ],
  ] as [string, IpPermission, string[]][])("is refused with %s", ([, rule, faults]) => {
    expect(faultsWith(rule)).toEqual(faults);
  });

  it("is refused when it admits everything, even from itself", () => {
    const all = { IpProtocol: "-1", UserIdGroupPairs: [{ GroupId: "sg-3" }] };
    expect(faultsWith(all)).toHaveLength(4);
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
