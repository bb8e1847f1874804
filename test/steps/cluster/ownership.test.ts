import { describe, expect, it } from "vitest";
import type { Assistance, OtherOwner } from "../../../lambdas/machine/assistance.ts";
import { changeRefusalOf } from "../../../lambdas/steps/cluster/change-rules.ts";
import type { MachineClaim } from "../../../lambdas/steps/cluster/claims.ts";
import { type Ownership, ownershipOf } from "../../../lambdas/steps/cluster/ownership.ts";
import { removalRefusalOf } from "../../../lambdas/steps/cluster/removal-rules.ts";
import type { Machine } from "../../../lambdas/steps/ec2/instances.ts";
import { CLUSTER, launched, NAME, otherNode, ownersWith, windowsNode } from "./cluster-objects.ts";

const claim = (kind: MachineClaim["kind"], owner: string): MachineClaim => ({ machine: "i-0aaa", kind, owner });

const machine = (tags: Readonly<Record<string, string>> = {}): Machine => launched({ tags });

const approval = (owner: OtherOwner, more: Partial<Assistance> = {}): Assistance => ({
  ...{ instanceId: "i-0aaa", launchedAt: launched().launchedAt, owner, state: "assisted" },
  ...{ operation: "assist-1", askedBy: "U1", approvedBy: ["U2"], at: "2026-11-24T04:00:00.000Z", ...more },
});

interface Owner {
  readonly name: string;
  readonly owner: OtherOwner;
  readonly tags: Readonly<Record<string, string>>;
  readonly claimed: readonly MachineClaim[];
}

/** Every owner that a machine may have beside Casement. */
const owners: readonly Owner[] = [
  {
    name: "WMCO's MachineSet",
    owner: { kind: "machine-set", owner: "winworker" },
    tags: {},
    claimed: [claim("machine-set", "winworker")],
  },
  {
    name: "a Machine without a set",
    owner: { kind: "machine", owner: "win-1" },
    tags: {},
    claimed: [claim("machine", "win-1")],
  },
  {
    name: "WMCO's windows-instances",
    owner: { kind: "windows-instances", owner: "10.0.0.21" },
    tags: {},
    claimed: [claim("windows-instances", "10.0.0.21")],
  },
  {
    name: "an EKS node group",
    owner: { kind: "node-group", owner: "windows" },
    tags: { "eks:nodegroup-name": "windows", "aws:autoscaling:groupName": "eks-windows-1" },
    claimed: [],
  },
  {
    name: "an Auto Scaling group",
    owner: { kind: "auto-scaling-group", owner: "asg" },
    tags: { "aws:autoscaling:groupName": "asg" },
    claimed: [],
  },
  {
    name: "Karpenter",
    owner: { kind: "karpenter", owner: "np" },
    tags: { "karpenter.sh/nodepool": "np" },
    claimed: [],
  },
];

const managed = { "casement:managed": CLUSTER };

/** Lists what may be done with a machine: change its node, remove it. */
function allowed(of: Machine, claimed: readonly MachineClaim[], assisted: readonly Assistance[]): readonly string[] {
  const node = windowsNode(NAME);
  const owners = { ...ownersWith({ claimed, nodes: [node, otherNode("web-2")] }), assisted };
  const change = changeRefusalOf({ ...owners, node, machine: of, others: [], heldBy: null }, "reboot");
  const removal = removalRefusalOf({ ...owners, node, machine: of, pods: [], isProtected: false, heldBy: null });
  return [...(change === null ? ["reboot"] : []), ...(removal === null ? ["remove"] : [])];
}

describe.each(owners)("A machine of $name", ({ owner, tags, claimed }) => {
  it.each<[Ownership, string, Readonly<Record<string, string>>, readonly Assistance[]]>([
    ["observed", "without tag and approval", {}, []],
    ["observed", "with a tag that someone else has set", managed, []],
    ["observed", "with an approval and no tag", {}, [approval(owner)]],
    ["observed", "with another cluster's tag", { "casement:managed": "prod-east" }, [approval(owner)]],
    ["observed", "whose guard is not proven yet", managed, [approval(owner, { state: "beginning" })]],
    ["observed", "that was started anew", managed, [approval(owner, { launchedAt: "2026-01-01T00:00:00.000Z" })]],
    ["observed", "that had another owner then", managed, [approval({ ...owner, owner: "other" })]],
    ["observed", "with the approval of another machine", managed, [approval(owner, { instanceId: "i-0bbb" })]],
    ["assisted", "with a tag and an approval that agree", managed, [approval(owner)]],
  ])("is %s %s", (ownership, _, more, records) => {
    const one = machine({ ...tags, ...more });
    expect(ownershipOf(one, ownersWith({ claimed, assisted: records }))).toBe(ownership);
    // An assisted machine is rebooted, and never removed.
    expect(allowed(one, claimed, records)).toEqual(ownership === "assisted" ? ["reboot"] : []);
  });

  it("is observed where Casement launched it too: one of the two must own it", () => {
    const both = launched({}, { ...tags, ...managed });
    expect(ownershipOf(both, ownersWith({ claimed, assisted: [approval(owner)] }))).toBe("observed");
    expect(allowed(both, claimed, [approval(owner)])).toEqual([]);
  });
});

describe("A machine without another owner", () => {
  it("is managed where Casement launched it", () => {
    expect(ownershipOf(launched(), ownersWith())).toBe("managed");
    expect(allowed(launched(), [], [])).toEqual(["reboot", "remove"]);
  });

  it("is observed where a person made it by hand, whatever tag and ledger say", () => {
    const records = [approval({ kind: "machine-set", owner: "winworker" })];
    expect(ownershipOf(machine(managed), ownersWith({ assisted: records }))).toBe("observed");
    expect(allowed(machine(managed), [], records)).toEqual([]);
  });

  it("is observed where EC2 does not know it", () => {
    expect(ownershipOf(undefined, ownersWith())).toBe("observed");
  });
});
