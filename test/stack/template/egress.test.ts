import { describe, expect, it } from "vitest";
import { exampleWith, type Loose } from "../example.ts";
import { synthesised } from "./synthesised.ts";

const vpc = { subnets: ["subnet-0a1000000000000ff"], wayOut: "nat-0a10000000000000a" };

describe("what goes out", () => {
  const groups = (more: Loose) =>
    Object.fromEntries(
      synthesised(exampleWith({ functionsNetwork: vpc, ...more }))
        .ofType("AWS::EC2::SecurityGroup")
        .map(({ id, Properties }) => [/^Functions/.test(id) ? "functions" : "nodes", Properties.SecurityGroupEgress]),
    );
  const to = (...fields: readonly object[]) =>
    fields.map((one) => expect.objectContaining({ IpProtocol: "-1", ...one }));

  it("goes anywhere, and with a list of destinations nowhere else", () => {
    const anywhere = to({ CidrIp: "0.0.0.0/0" });
    expect(groups({})).toEqual({ functions: anywhere, nodes: anywhere });
    const nodes = ["10.0.0.0/16", "fd00::/8", "pl-68a54001"];
    expect(groups({ egress: { nodes } })).toEqual({
      functions: anywhere,
      nodes: to({ CidrIp: "10.0.0.0/16" }, { CidrIpv6: "fd00::/8" }, { DestinationPrefixListId: "pl-68a54001" }),
    });
    expect(groups({ egress: { functions: ["10.0.0.0/16"] } }).functions).toEqual(to({ CidrIp: "10.0.0.0/16" }));
  });

  it("is refused as a list of something else, and for functions that are in no VPC", () => {
    expect(() => exampleWith({ egress: { nodes: ["example.com"] } })).toThrow(
      /aws\.egress\.nodes\.0: must be a network/,
    );
    expect(() => exampleWith({ egress: { nodes: [] } })).toThrow(/aws\.egress\.nodes/);
    expect(() => exampleWith({ egress: { functions: ["10.0.0.0/16"] } })).toThrow(/needs aws\.functionsNetwork/);
  });
});
