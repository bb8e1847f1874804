import type { V1Pod } from "@kubernetes/client-node";
import { describe, expect, it } from "vitest";
import type { MachineClaim } from "../../../lambdas/steps/cluster/claims.ts";
import { ownershipOf } from "../../../lambdas/steps/cluster/ownership.ts";
import { type RemovalFacts, removalRefusalOf } from "../../../lambdas/steps/cluster/removal-rules.ts";
import {
  BUILD,
  CLUSTER,
  labelled,
  launched,
  NAME,
  OTHER_SPEC,
  otherNode,
  ownersWith,
  pod,
  unready,
  windowsNode,
} from "./cluster-objects.ts";

const claim = (machine: string): MachineClaim => ({ machine, kind: "machine-set", owner: "winworker" });

describe("Whose a machine is", () => {
  it.each([
    ["managed", "launched by us for this cluster", launched(), []],
    ["observed", "launched by us for another cluster", launched({}, { "casement:cluster": "prod-east" }), []],
    [
      "observed",
      "tagged for this cluster but not launched by us",
      launched({ tags: { "casement:cluster": CLUSTER } }),
      [],
    ],
    ["observed", "launched with another word than true", launched({}, { "casement:launched": "yes" }), []],
    ["observed", "unknown to EC2", undefined, []],
    ["observed", "an Auto Scaling group's", launched({}, { "aws:autoscaling:groupName": "asg" }), []],
    ["observed", "a node group's", launched({}, { "eks:nodegroup-name": "ng" }), []],
    ["observed", "Karpenter's", launched({}, { "karpenter.sh/nodepool": "np" }), []],
    ["observed", "claimed by its instance id", launched(), [claim("i-0aaa")]],
    ["observed", "claimed by its address", launched(), [claim("10.0.0.21")]],
    ["observed", "claimed by its name", launched(), [claim("IP-10-0-0-21.us-west-2.compute.internal")]],
    ["managed", "beside a claim on a longer address", launched(), [claim("10.0.0.210"), claim("i-0aaaa")]],
  ] as const)("is %s when it is %s", (ownership, _, machine, claimed) => {
    expect(ownershipOf(machine, ownersWith({ claimed }))).toBe(ownership);
  });
});

describe("A removal", () => {
  const facts = (changes: Partial<RemovalFacts> = {}): RemovalFacts => ({
    ...ownersWith({ nodes: [windowsNode(NAME), otherNode("web-2")] }),
    node: windowsNode(NAME),
    machine: launched(),
    pods: [pod("web-a", NAME)],
    isProtected: false,
    heldBy: null,
    ...changes,
  });

  it("is allowed for a node of ours with another one of its build", () => {
    expect(removalRefusalOf(facts())).toBeNull();
  });

  it.each<[string, object, Partial<RemovalFacts>]>([
    ["a Linux node", { kind: "linux" }, { node: windowsNode("n", labelled({ "kubernetes.io/os": "linux" })) }],
    ["a node without an instance", { kind: "no-instance" }, { machine: undefined }],
    ["a machine we did not launch", { kind: "not-launched-by-us" }, { machine: launched({ tags: {} }) }],
    ["another cluster's machine", { kind: "not-launched-by-us" }, { cluster: "prod-east" }],
    [
      "an Auto Scaling group's machine",
      { kind: "auto-scaling-group", owner: "asg" },
      { machine: launched({}, { "aws:autoscaling:groupName": "asg" }) },
    ],
    [
      "a node group's machine",
      { kind: "node-group", owner: "ng" },
      { machine: launched({}, { "eks:nodegroup-name": "ng", "aws:autoscaling:groupName": "asg" }) },
    ],
    [
      "a NodeClaim's machine",
      { kind: "karpenter", owner: "nc" },
      { machine: launched({}, { "karpenter.sh/nodeclaim": "nc", "karpenter.sh/nodepool": "np" }) },
    ],
    [
      "an old provisioner's machine",
      { kind: "karpenter", owner: "p" },
      { machine: launched({}, { "karpenter.sh/provisioner-name": "p" }) },
    ],
    ["a claimed machine", { kind: "machine-set", owner: "winworker" }, { claimed: [claim("i-0aaa")] }],
    ["a protected machine", { kind: "termination-protected" }, { isProtected: true }],
    ["a machine another operation works on", { kind: "busy", operation: "add-1" }, { heldBy: "add-1" }],
  ])("is refused for %s", (_, refusal, changes) => {
    expect(removalRefusalOf(facts(changes))).toEqual(refusal);
  });

  it.each<[string, Partial<RemovalFacts>]>([
    ["alone", { nodes: [windowsNode(NAME)] }],
    [
      "beside one that is cordoned",
      { nodes: [windowsNode(NAME), otherNode("web-2", { spec: { ...OTHER_SPEC, unschedulable: true } })] },
    ],
    [
      "beside one that is still being set up",
      {
        nodes: [
          windowsNode(NAME),
          otherNode("web-2", {
            spec: { ...OTHER_SPEC, taints: [{ key: "casement.dev/starting", effect: "NoSchedule" }] },
          }),
        ],
      },
    ],
    ["beside one that is not Ready", { nodes: [windowsNode(NAME), otherNode("web-2", unready("Unknown"))] }],
    [
      "beside one of another build",
      {
        nodes: [
          windowsNode(NAME),
          otherNode("b", labelled({ "kubernetes.io/os": "windows", "node.kubernetes.io/windows-build": "10.0.17763" })),
        ],
      },
    ],
    [
      "beside a Linux node that carries the label",
      {
        nodes: [
          windowsNode(NAME),
          otherNode("l", labelled({ "kubernetes.io/os": "linux", "node.kubernetes.io/windows-build": BUILD })),
        ],
      },
    ],
  ])("is refused for the last of its build that pods need: %s", (_, changes) => {
    expect(removalRefusalOf(facts(changes))).toEqual({ kind: "last-of-build", build: BUILD, pods: 1 });
  });

  const last = { nodes: [windowsNode(NAME)] };
  const daemon = { apiVersion: "apps/v1", kind: "DaemonSet", name: "logs", uid: "u", controller: true };
  const waiting = pod("web-b", undefined, {
    spec: { containers: [], nodeSelector: { "node.kubernetes.io/windows-build": BUILD } },
    status: { phase: "Pending" },
  });
  it.each<[string, number, V1Pod[]]>([
    ["runs there", 1, [pod("web-a", NAME)]],
    ["waits for such a node", 1, [waiting]],
    ["runs elsewhere", 0, [pod("web-a", "linux-1")]],
    [
      "is of somebody else's kind of DaemonSet",
      1,
      [pod("logs-a", NAME, { metadata: { ownerReferences: [{ ...daemon, apiVersion: "custom/v1" }] } })],
    ],
    ["is a DaemonSet's", 0, [pod("logs-a", NAME, { metadata: { ownerReferences: [daemon] } })]],
    ["has finished", 0, [pod("job-a", NAME, { status: { phase: "Succeeded" } })]],
    ["waits for any node", 0, [pod("web-b", undefined)]],
  ])("of the last of its build counts a pod that %s as %d", (_, count, pods) => {
    const refusal = count > 0 ? { kind: "last-of-build", build: BUILD, pods: count } : null;
    expect(removalRefusalOf(facts({ ...last, pods }))).toEqual(refusal);
  });

  it("names the owner before anything else that is wrong", () => {
    const machine = launched({ tags: { "aws:autoscaling:groupName": "asg" } });
    expect(removalRefusalOf(facts({ machine, isProtected: true, heldBy: "add-1", ...last }))).toMatchObject({
      kind: "auto-scaling-group",
    });
  });
});
