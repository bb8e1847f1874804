import { describe, expect, it } from "vitest";
import type { Assistance } from "../../../lambdas/machine/assistance.ts";
import { identityFaultOf } from "../../../lambdas/steps/cluster/identity.ts";
import { CLUSTER, labelled, launched, NAME, otherNode, ownersWith, windowsNode } from "./cluster-objects.ts";

const named = (name: string, providerID = "aws:///us-west-2a/i-0aaa") => windowsNode(name, { spec: { providerID } });

const ofGroup = launched({ tags: { "aws:autoscaling:groupName": "asg", "casement:managed": CLUSTER } });

const approval = (node?: string): Assistance => ({
  ...{ instanceId: "i-0aaa", launchedAt: ofGroup.launchedAt, owner: { kind: "auto-scaling-group", owner: "asg" } },
  ...(node === undefined ? {} : { node }),
  ...{ state: "assisted", operation: "assist-1", askedBy: "U1", approvedBy: ["U2"], at: "2026-11-24T04:00:00.000Z" },
});

const fault = (nodes: Parameters<typeof ownersWith>[0], machine = launched()) =>
  identityFaultOf(machine, ownersWith(nodes));

describe("A machine that Casement launched", () => {
  it("belongs to the one Node that names it and has its name", () => {
    expect(fault({ nodes: [named(NAME), otherNode("web-2")] })).toBeNull();
  });

  it("belongs to no Node before one names it", () => {
    expect(fault({ nodes: [otherNode("web-2")] })).toBeNull();
    expect(fault({ nodes: [windowsNode(NAME, { spec: {} })] })).toBeNull();
  });

  it("does not belong to a Node of another name that borrows its provider id", () => {
    const wanted = { kind: "other-name", instanceId: "i-0aaa", node: "web-9", wanted: NAME };
    expect(fault({ nodes: [named("web-9")] })).toEqual(wanted);
    expect(fault({ nodes: [named("web-9"), windowsNode(NAME, { spec: {} })] })).toEqual(wanted);
  });

  it.each(["windows", "linux"])("belongs to neither of two Nodes that name it, whatever their system: %s", (system) => {
    const second = { ...named("web-9"), ...labelled({ "kubernetes.io/os": system }) };
    expect(fault({ nodes: [second, named(NAME)] })).toEqual({
      ...{ kind: "several-nodes", instanceId: "i-0aaa", nodes: ["n", NAME], wanted: NAME },
    });
  });

  it("is not without a Node while the Node of its name names another instance", () => {
    expect(fault({ nodes: [named(NAME, "aws:///us-west-2a/i-0bbb")] })).toEqual({
      ...{ kind: "other-instance", instanceId: "i-0aaa", node: NAME, providerId: "aws:///us-west-2a/i-0bbb" },
    });
    expect(fault({ nodes: [named(NAME, "metal://7")] })).toMatchObject({ kind: "other-instance" });
  });

  it("has no name once it has ended, and must have one while it runs", () => {
    expect(fault({ nodes: [named(NAME)] }, launched({ privateDnsName: "", state: "terminated" }))).toBeNull();
    expect(fault({ nodes: [named(NAME)] }, launched({ privateDnsName: "" }))).toMatchObject({ kind: "other-name" });
    const ended = launched({ privateDnsName: "", state: "terminated" });
    expect(fault({ nodes: [named(NAME), named("web-9")] }, ended)).toMatchObject({ kind: "several-nodes" });
  });
});

describe("A machine of another owner", () => {
  it("may have a Node of any name until it is assisted, but only one", () => {
    expect(fault({ nodes: [named("win-1")] }, ofGroup)).toBeNull();
    expect(fault({ nodes: [named("win-1"), named("win-2")] }, ofGroup)).toMatchObject({ kind: "several-nodes" });
  });

  it("belongs to the Node whose name was approved, or to the one of its name where the approval has none", () => {
    expect(fault({ nodes: [named("win-1")], assisted: [approval("win-1")] }, ofGroup)).toBeNull();
    expect(fault({ nodes: [named(NAME)], assisted: [approval("win-1")] }, ofGroup)).toMatchObject({ wanted: "win-1" });
    expect(fault({ nodes: [named(NAME)], assisted: [approval()] }, ofGroup)).toBeNull();
    expect(fault({ nodes: [named("win-1")], assisted: [approval()] }, ofGroup)).toMatchObject({ wanted: NAME });
  });
});
