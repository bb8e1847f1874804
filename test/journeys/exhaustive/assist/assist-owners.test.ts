import { afterEach, expect, test } from "vitest";
import { assist, EDGE, isGuarded, tagOf, typed } from "../../assisting.ts";
import { expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { allowDisruptions, ec2, edge, guardedPod, kubectl, podOn, podsOn, stateOf } from "../../others.ts";
import { asAdministrator, entryFor, injectFault } from "../../outside.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const MACHINE =
  "/apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api/machines/winworker-us-west-2b-x9v4c";
const MHC = "/apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api/machinehealthchecks/windows";
const NODE = `/api/v1/nodes/${edge.name}`;

/** The owner of an Auto Scaling group pauses it, by the command that the refusal names. */
const suspend = (group: string) => async (): Promise<void> => {
  const body = new URLSearchParams({
    Action: "SuspendProcesses",
    AutoScalingGroupName: group,
    "ScalingProcesses.member.1": "HealthCheck",
    "ScalingProcesses.member.2": "ReplaceUnhealthy",
  });
  const request = { method: "POST", url: "/", headers: {}, body: Buffer.from(body.toString()) };
  const owner = { principal: "owner", require: () => undefined };
  await here.drive(here.simulator.scaling.service.answer("SuspendProcesses", request, owner));
};

const annotate = (url: string, key: string, value: string) => (): Promise<void> =>
  kubectl(here, "PATCH", url, { metadata: { annotations: { [key]: value } } });

/** The machine reboots past Casement, and stays away: its kubelet does not start. */
async function stayAway(): Promise<void> {
  injectFault(here, "service-hangs", { instanceId: edge.instanceId, service: "kubelet", how: "start" });
  await ec2(here, "RebootInstances", { "InstanceId.1": edge.instanceId });
}

/** A controller that takes the machine away unless its owner has paused it. */
interface Impatience {
  /** Disruptions that it stands against. */
  readonly against: readonly ("drain" | "reboot")[];
  /** Words on the card of the assistance. */
  readonly does: RegExp;
  /** The command by which its owner pauses it, as the refusal names it. */
  readonly named: string;
  readonly pause: () => Promise<void>;
  /** Makes it lose its patience. */
  readonly provoke: () => Promise<void>;
}

interface Owner {
  readonly name: string;
  readonly with: readonly string[];
  /** Changes that make it the owner, where no neighbour does. */
  readonly prepare?: () => Promise<void>;
  readonly card: RegExp;
  readonly impatience?: Impatience;
}

const groupOf = (group: string, checks: string): Impatience => ({
  against: ["reboot"],
  does: new RegExp(
    `Auto Scaling group \`${group}\` replaces it when a health check \\(${checks}\\) fails during a reboot`,
  ),
  named: `aws autoscaling suspend-processes --auto-scaling-group-name ${group} --scaling-processes HealthCheck ReplaceUnhealthy`,
  pause: suspend(group),
  provoke: stayAway,
});

/** The owners of the design's matrix, each with what of it loses patience. */
const owners: readonly Owner[] = [
  { name: "a MachineSet that WMCO serves", with: ["wmco"], card: /belongs to the MachineSet `winworker-us-west-2b`/ },
  {
    name: "a Machine without a set",
    with: [],
    prepare: () =>
      kubectl(here, "PATCH", MACHINE, {
        metadata: { labels: { "machine.openshift.io/cluster-api-machineset": null } },
      }),
    card: /belongs to the Machine `winworker-us-west-2b-x9v4c`/,
  },
  {
    name: "an entry of `windows-instances`",
    with: [],
    prepare: async () => {
      await asAdministrator(here, "DELETE", MACHINE);
      here.simulator.kubernetes.create(entryFor("10.0.1.52"));
    },
    card: /belongs to the entry of WMCO's ConfigMap windows-instances `10.0.1.52`/,
  },
  {
    name: "a MachineSet under a MachineHealthCheck",
    with: ["machine-health-check"],
    card: /belongs to the MachineSet `winworker-us-west-2b`/,
    impatience: {
      against: ["reboot"],
      does: /MachineHealthCheck `windows` deletes its Machine when it is NotReady for 300s/,
      named: 'oc annotate mhc windows -n openshift-machine-api cluster.x-k8s.io/paused=""',
      pause: annotate(MHC, "cluster.x-k8s.io/paused", ""),
      provoke: stayAway,
    },
  },
  {
    name: "a managed node group of EKS",
    with: ["node-group"],
    card: /belongs to the node group `windows`/,
    impatience: groupOf("eks-windows-3cc1f4a2", "EC2"),
  },
  {
    name: "an Auto Scaling group",
    with: ["scaling-group"],
    card: /belongs to the Auto Scaling group `windows-edge`/,
    impatience: groupOf("windows-edge", "EC2,ELB"),
  },
  {
    name: "Karpenter",
    with: ["karpenter-consolidation"],
    card: /belongs to the Karpenter NodeClaim `windows-x7k2p`/,
    impatience: {
      against: ["drain", "reboot"],
      does: /Karpenter takes it away when it is empty/,
      named: `kubectl annotate node ${edge.name} karpenter.sh/do-not-disrupt=true`,
      pause: annotate(NODE, "karpenter.sh/do-not-disrupt", "true"),
      provoke: async () => {
        for (const name of podsOn(here, edge))
          await asAdministrator(here, "DELETE", `/api/v1/namespaces/default/pods/${name}`);
      },
    },
  },
];

const bootIdOf = (): string | undefined => nodeNamed(here, edge.name)?.status?.nodeInfo?.bootID;
const isCordoned = (): boolean => nodeNamed(here, edge.name)?.spec?.unschedulable === true;

/** The owner's node, with a pod on it. */
async function begin({ with: names, prepare }: Owner): Promise<void> {
  here = await withSeedNodes({
    configuration: { approvals: { reboot: { needs: 0 }, drain: { needs: 0 } } },
    neighbours: { with: names },
  });
  here.simulator.kubernetes.create(podOn(edge, "tool"));
  await prepare?.();
  await here.pass(1);
}

/** Types the disruption of the whole node, with what it loses. */
const disrupt = (change: "drain" | "reboot"): Promise<string> => typed(here, `${change} ${EDGE} --force ${edge.name}`);

test.each(owners)(
  "A node of $name is assisted, looked at, drained and rebooted with proof, once its owner has paused what stands against it",
  async (owner) => {
    await begin(owner);
    expect(await typed(here, `reboot ${EDGE}`)).toContain(`/win assist ${edge.name}`);

    const card = await assist(here);
    expect(card).toMatch(owner.card);
    expect([tagOf(here), isGuarded(here)]).toEqual(["prod-west", true]);
    const { against = [], does, named = "", pause } = owner.impatience ?? {};
    if (does) expect(card).toMatch(does);
    else expect(card).not.toContain("To pause it: run");

    const boot = bootIdOf();
    for (const change of against) {
      const refused = await disrupt(change);
      expect(refused).toContain(named);
      expect((await newest(here)).operation.status).toBe("refused");
    }
    expect([isCordoned(), bootIdOf(), podsOn(here, edge)]).toEqual([false, boot, ["tool"]]);
    await pause?.();

    const why = await typed(here, `why ${EDGE}`);
    expect(why).toMatch(/all checks passed|no problem found/);
    expect(why).not.toContain("neither launched nor assists");

    expect(await disrupt("drain")).toContain("is drained");
    expect([isCordoned(), podsOn(here, edge)]).toEqual([true, []]);
    await typed(here, `uncordon ${EDGE}`);
    expect(isCordoned()).toBe(false);

    await disrupt("reboot");
    const { operation } = await newest(here);
    expect(operation).toMatchObject({ status: "succeeded", summary: expect.stringContaining("rebooted") });
    expect(bootIdOf()).not.toBe(boot);
    expect([isCordoned(), stateOf(here, edge)]).toEqual([false, "running"]);

    await typed(here, `remove ${EDGE}`, 30);
    expect(stateOf(here, edge)).toBe("running");
    await expectSound(here);
  },
);

test.each(owners.filter(({ impatience }) => impatience !== undefined))(
  "A node of $name is taken away when what stands against its reboot is not paused",
  async (owner) => {
    await begin(owner);
    await owner.impatience?.provoke();
    await here.until(() => stateOf(here, edge) !== "running", 30, "the end of the machine");
    expect(stateOf(here, edge)).toMatch(/shutting-down|terminated/);
  },
);

test.each(["through SSM", "through EC2"])(
  "A health check that its owner resumes while the pods leave stands against a reboot %s, and the node is given back",
  async (how) => {
    const owner = owners.find(({ with: names }) => names.includes("machine-health-check"));
    if (!owner) throw new Error("no owner has a MachineHealthCheck");
    await begin(owner);
    await assist(here);
    await owner.impatience?.pause();
    await guardedPod(here, edge);
    const boot = bootIdOf();
    await here.type("operator", `/win reboot ${EDGE} --force ${edge.name}${how === "through EC2" ? " --ec2" : ""}`);
    await here.until(async () => (await newest(here)).nodes[0]?.stage === "evict", 60, "the drain");
    await kubectl(here, "PATCH", MHC, { metadata: { annotations: { "cluster.x-k8s.io/paused": null } } });
    await allowDisruptions(here);
    await settled(here, 120);
    const { operation, nodes } = await newest(here);
    expect(operation.status).toBe("failed");
    expect(nodes[0]?.failure).toMatchObject({
      stage: "reboot",
      why: expect.stringContaining(owner.impatience?.named ?? ""),
    });
    expect([isCordoned(), bootIdOf(), stateOf(here, edge)]).toEqual([false, boot, "running"]);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  },
);

const tagged = (key: string, value: string) => (): Promise<unknown> =>
  ec2(here, "CreateTags", { "ResourceId.1": edge.instanceId, "Tag.1.Key": key, "Tag.1.Value": value });
const labelled = (key: string) => (): Promise<unknown> =>
  kubectl(here, "PATCH", NODE, { metadata: { labels: { [key]: "" } } });

test.each([
  ["kOps tags", tagged("kubernetes.io/role/master", "1")],
  ["Cluster API tags", tagged("sigs.k8s.io/cluster-api-provider-aws/role", "control-plane")],
  ["OKD names", tagged("Name", "prod-west-7x2kq-master-0")],
  ["Kubernetes labels", labelled("node-role.kubernetes.io/control-plane")],
])("A machine that %s as one of the control plane is not assisted", async (_who, mark) => {
  here = await withSeedNodes();
  await mark();
  expect(await typed(here, `assist ${EDGE}`)).toContain("cannot be assisted: it belongs to the control plane");
  expect(tagOf(here)).toBeUndefined();
  await expectSound(here);
});
