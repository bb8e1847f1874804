import { afterEach, expect, test } from "vitest";
import type { KubeObject } from "../../../../lib/sandbox/kubernetes/model/object.ts";
import { calls, expectSound, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import {
  batch,
  cordonByHand,
  ec2,
  edge,
  joinScalingGroup,
  kubectl,
  otherWeb,
  type SeedNode,
  stateOf,
  tag,
  web,
} from "../../others.ts";
import { dialogOf, openly, privately } from "../../reading.ts";
import { ask, confirmRemoval, expectGone, expectKept, withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const untag = (key: string) => (journey: Journey) =>
  ec2(journey, "DeleteTags", { "ResourceId.1": web.instanceId, "Tag.1.Key": key });

/** Name of the case, node that is asked for, preparation, and words that the dialog must say: why, and what to do instead. */
const refusals: readonly (readonly [
  string,
  SeedNode | string,
  ((journey: Journey) => Promise<void>) | null,
  RegExp,
])[] = [
  [
    "was not launched by us",
    web,
    untag("casement:launched"),
    /not launched by Casement.*drain it with kubectl, then terminate/s,
  ],
  ["is another cluster's", web, (here) => tag(here, web, "casement:cluster", "prod-east"), /not launched by Casement/],
  [
    "is another cluster's",
    web,
    (journey) => tag(journey, web, "casement:cluster", "prod-east"),
    /not launched by Casement/,
  ],
  [
    "is of an Auto Scaling group",
    web,
    (journey) => joinScalingGroup(journey, web, "win-asg"),
    /Auto Scaling group `win-asg`, which would replace it.*lower the group's desired capacity/s,
  ],
  [
    "is of a node group",
    web,
    (journey) => tag(journey, web, "eks:nodegroup-name", "win-ng"),
    /node group `win-ng`.*scale the node group down/s,
  ],
  ["is of Karpenter", web, (journey) => tag(journey, web, "karpenter.sh/nodepool", "win"), /Karpenter.*NodeClaim/s],
  ["is of a MachineSet", edge, null, /MachineSet.*scale the MachineSet down/s],
  ["is protected against termination", batch, null, /has termination protection.*turn off termination protection/s],
  ["is a Linux node", "10.0.0.20", null, /Linux node.*cluster's own tools/s],
  [
    "is the last schedulable one of its build while pods need it",
    web,
    (journey) => cordonByHand(journey, otherWeb),
    /last schedulable node of Windows build `10.0.20348`, and \d pods? needs? that build.*`\/win add` with a pool/s,
  ],
];

test.each(refusals)(
  "a node that %s is refused in the dialog and in the channel, with the next step",
  async (_why, node, prepare, words) => {
    here = await withSeedNodes();
    await prepare?.(here);
    const said = await ask(here, typeof node === "string" ? node : node.instanceId);
    expect(said).toMatch(words);
    expect(said).toContain("[Close]");
    expect(said).not.toContain("[Remove]");
    await settled(here);
    expect((await newest(here)).operation.status).toBe("refused");
    expect(openly(here)).toEqual([expect.stringMatching(words)]);
    expect(calls(here).filter(({ action }) => /TerminateInstances|patch nodes|pods\/eviction/.test(action))).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ principal: "remove-node" })]),
    );
    if (typeof node !== "string") expect(stateOf(here, node)).toBe("running");
    await expectSound(here);
  },
);

test("a node that no instance stands behind is refused", async () => {
  here = await withSeedNodes();
  here.simulator.kubernetes.create({
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "stray", labels: { "kubernetes.io/os": "windows" } },
    spec: {},
  } as unknown as KubeObject);
  expect(await ask(here, "stray")).toMatch(/no EC2 instance.*delete the Node with kubectl/s);
});

test("a refused dialog that was closed already troubles nobody", async () => {
  here = await withSeedNodes();
  await here.type("operator", "/win remove ip-10-0-1-41");
  await here.dismiss("operator");
  await expectKept(here, batch);
  expect((await newest(here)).operation.status).not.toBe("failed");
  expect(openly(here)).toEqual([]);
});

test.each([
  ["nosuchnode", /Windows node `nosuchnode` not found. `\/win nodes` lists all nodes/],
  ["ip-10-0-1", /matches 2 nodes: `ip-10-0-1-41\S+`, `ip-10-0-1-52\S+`. Be more specific/],
])("a dialog for %s says what is wrong with the name instead of waiting for ever", async (typed, words) => {
  here = await withSeedNodes();
  expect(await ask(here, typed)).toMatch(words);
  await settled(here);
  expect((await newest(here)).operation.status).toBe("not-started");
  expect(openly(here)).toEqual([]);
  await expectSound(here);
});

test("two removals of one node at once: one goes on, the other says who was faster", async () => {
  here = await withSeedNodes({ configuration: { people: { operator: ["U0OPERATOR", "U0APPROVER"] } } });
  await ask(here, "ip-10-0-3-7");
  await here.type("approver", "/win remove ip-10-0-3-7");
  await here.pass(0.2);
  const dialog = here.simulator.slack.ui.viewsOf("U0APPROVER").at(-1)?.id ?? "";
  const { ui } = here.simulator.slack;
  await here.drive(
    Promise.all([ui.submit("U0OPERATOR", ui.viewsOf("U0OPERATOR").at(-1)?.id ?? ""), ui.submit("U0APPROVER", dialog)]),
  );
  await settled(here);
  const operations = await here.operations();
  expect(operations.map(({ status }) => status).sort()).toEqual(["refused", "succeeded"]);
  const winner = operations.find(({ status }) => status === "succeeded")?.id ?? "";
  expect(operations.find(({ status }) => status === "refused")?.summary).toContain(winner);
  expect(openly(here).find((message) => message.startsWith("🚫"))).toContain(winner);
  expect(calls(here, "ec2", "TerminateInstances")).toHaveLength(1);
  expect(stateOf(here, web)).toBe("terminated");
  await expectSound(here);
});

test("a node that is still being added is the add's; the refusal names the operation and how to stop it", async () => {
  here = await withSeedNodes();
  await here.type("operator", "/win add web 1");
  const added = () =>
    here.simulator.ec2
      .describe()
      .find(({ Tags }) => Tags?.some(({ Value }) => Value?.startsWith("add-") && Value !== "add-0000000a"));
  await here.until(() => nodeNamed(here, added()?.PrivateDnsName)?.spec?.providerID !== undefined, 30);
  const { operation } = await newest(here);
  const said = await ask(here, added()?.InstanceId ?? "");
  expect(said).toContain(`\`${operation.id}\` is working on it`);
  expect(said).toContain(`/win cancel ${operation.id}`);
  await settled(here);
  expect((await here.operations()).find(({ id }) => id === operation.id)?.status).toBe("succeeded");
});

test("a Node that was deleted while the dialog was open is not removed by another's name", async () => {
  here = await withSeedNodes();
  await ask(here, "ip-10-0-3-7");
  await kubectl(here, "DELETE", `/api/v1/nodes/${web.name}`);
  await here.submit("operator");
  await settled(here);
  expect((await newest(here)).operation.status).toMatch(/refused|not-started/);
  expect(stateOf(here, web)).toBe("running");
  expect([...privately(here, "operator"), ...openly(here)].join("\n")).toMatch(
    /Windows node \S+ not found|deleted and recreated/,
  );
  await expectSound(here);
});

test("what became forbidden while the dialog was open is not done", async () => {
  here = await withSeedNodes();
  await ask(here, "ip-10-0-3-7");
  await ec2(here, "ModifyInstanceAttribute", { InstanceId: web.instanceId, "DisableApiTermination.Value": "true" });
  await here.submit("operator");
  await expectKept(here, web);
  expect((await newest(here)).operation.status).toBe("refused");
  expect(openly(here).at(-1)).toMatch(/has termination protection. Next: turn off/);
});

test("an instance that was terminated from outside meanwhile is tidied up", async () => {
  here = await withSeedNodes();
  await confirmRemoval(here, "ip-10-0-3-7");
  await ec2(here, "TerminateInstances", { "InstanceId.1": web.instanceId });
  await expectGone(here, web);
});

test("protected between the yes and the end, the instance stays and the node is opened again", async () => {
  here = await withSeedNodes();
  await confirmRemoval(here, "ip-10-0-3-7");
  await here.until(async () => (await newest(here)).nodes[0]?.stage === "evict", 2, "the eviction");
  await ec2(here, "ModifyInstanceAttribute", { InstanceId: web.instanceId, "DisableApiTermination.Value": "true" });
  await expectKept(here, web);
  expect((await newest(here)).operation.status).toBe("failed");
  expect(openly(here)[0]).toMatch(/failed at termination.*schedulable again.*may not be terminated/s);
});

test("nobody but the requester can answer the dialog", async () => {
  here = await withSeedNodes();
  await ask(here, "ip-10-0-3-7");
  const { ui } = here.simulator.slack;
  await expect(here.drive(ui.submit("U0VISITOR0", ui.viewsOf("U0OPERATOR")[0]?.id ?? ""))).rejects.toThrow();
  expect(dialogOf(here, "operator")).toContain("[Remove]");
  await here.dismiss("operator");
  await expectKept(here, web);
});
