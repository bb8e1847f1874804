import type { Instance } from "@aws-sdk/client-ec2";
import { afterEach, expect, test } from "vitest";
import type { NodeRecord } from "../../../../lambdas/records/records.ts";
import { demo } from "../../../../lib/sandbox/demo.ts";
import {
  calls,
  eventsOn,
  expectSound,
  heldBack,
  joinSecrets,
  launchedBy,
  newest,
  nodeNamed,
  settled,
  spoken,
  wordsOf,
} from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const tagsOf = (tagged: { Tags?: { Key?: string; Value?: string }[] }): Record<string, string> =>
  Object.fromEntries((tagged.Tags ?? []).map(({ Key = "", Value = "" }) => [Key, Value]));

/** Everything that is true of an instance from its first second on. */
function expectLaunchedAsReviewed(instance: Instance, operation: string): void {
  expect(tagsOf(instance)).toEqual({
    Name: "prod-west-web",
    "casement:cluster": "prod-west",
    "casement:pool": "web",
    "casement:operation": operation,
    "casement:launched": "true",
    "kubernetes.io/cluster/prod-west-x7k2p": "owned",
    "cost-centre": "4711",
  });
  expect(instance.MetadataOptions).toMatchObject({ HttpTokens: "required", HttpPutResponseHopLimit: 1 });
  expect(instance.SecurityGroups?.map(({ GroupId }) => GroupId)).toEqual([demo.securityGroups.windowsNodes]);
  expect(instance.KeyName).toBeUndefined();
  expect(instance.PublicIpAddress).toBeUndefined();
  expect(instance.IamInstanceProfile?.Arn).toBe(demo.instanceProfileArn);
  const volumes = here.simulator.simulation.store.collection<{ volumeId: string }>("ec2-volumes").values();
  const disk = volumes.find(({ volumeId }) => volumeId === instance.BlockDeviceMappings?.[0]?.Ebs?.VolumeId);
  expect(disk).toMatchObject({
    type: "gp3",
    size: 120,
    encrypted: true,
    tags: { "casement:launched": "true", "casement:operation": operation },
  });
}

/** The Node says what pool, build and machine it is, and pods may come. */
function expectAdmitted({ nodeName, instanceId }: NodeRecord): void {
  const node = nodeNamed(here, nodeName);
  expect(node?.metadata?.labels).toMatchObject({
    "casement.dev/pool": "web",
    "example.com/role": "web",
    "node.kubernetes.io/windows-build": "10.0.20348",
    "kubernetes.io/os": "windows",
  });
  expect(node?.spec?.taints).toEqual([{ key: "os", value: "Windows", effect: "NoSchedule" }]);
  expect(node?.spec?.unschedulable).toBeUndefined();
  expect(node?.spec?.providerID).toMatch(new RegExp(`^aws:///us-west-2[abc]/${instanceId}$`));
  expect(node?.status?.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));
  const events = eventsOn(here, nodeName).join("\n");
  for (const stage of ["serving-csr", "network", "ready", "verify", "admit"])
    expect(events).toContain(`CasementProvisioning stage ${stage}`);
  expect(events).toContain("CasementProvisioned ready for pods");
}

test("adds 2 beside seed nodes", async () => {
  here = await startJourney({ seedNodes: true });
  const before = joinSecrets(here);
  const shown = await here.type("operator", "/win add web 2");
  expect(shown.error).toBeNull();
  await settled(here);

  const { operation, nodes } = await newest(here);
  expect(operation).toMatchObject({ status: "succeeded", cancelledBy: null, callbacks: {} });
  expect(operation.asker?.userId).toBe("U0OPERATOR");
  expect(nodes.map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
  expect(launchedBy(here, operation.id)).toHaveLength(2);
  for (const instance of launchedBy(here, operation.id)) expectLaunchedAsReviewed(instance, operation.id);
  for (const node of nodes) expectAdmitted(node);
  expect(calls(here, "ec2", "RunInstances")).toHaveLength(2);
  expect(joinSecrets(here)).toEqual(before);
  expect(await heldBack(here)).toEqual([]);

  const { channel, thread } = spoken(here);
  expect(channel).toHaveLength(1);
  const [message] = channel;
  const words = wordsOf(message as never);
  expect(words).toContain("*web*: 2 → 4 (max 8)");
  expect(words).toContain("✅ Add 2 nodes to web");
  for (const { nodeName } of nodes) expect(words).toContain(nodeName);
  expect(words).not.toContain("Cancel");
  expect(message?.edited).toBe(true);
  const told = thread.map(({ text }) => text).join("\n");
  for (const doing of ["launching the instance", "installing Windows features", "registering as a Node"])
    expect(told).toContain(doing);
  expect(thread.every(({ threadTs }) => threadTs === message?.ts)).toBe(true);
  const ready = thread.filter(({ text }) => /Ready after|are Ready\. \(/.test(text));
  expect(ready).toHaveLength(3);
  expect(ready.at(-1)?.text).toMatch(/^<@U0OPERATOR> 2 nodes are Ready\. \(\w+\)$/);
  expect(thread.some(({ broadcast }) => broadcast)).toBe(false);
  await expectSound(here);
});

test("above the maximum nothing is launched, and channel and ledger say so", async () => {
  here = await startJourney({ seedNodes: true });
  await here.type("operator", "/win add web 7");
  await settled(here);
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("refused");
  expect(nodes).toEqual([]);
  const words = spoken(here).channel.map(wordsOf).join("\n");
  expect(words).toContain("web has 2 of at most 8 nodes; adding 7 would exceed that");
  expect(words).toContain("nothing was changed");
  expect(calls(here, "ec2", "RunInstances")).toEqual([]);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});

test("a dry run says what would happen and changes nothing", async () => {
  here = await startJourney({ seedNodes: true });
  const before = here.simulator.ec2.describe().length;
  await here.type("operator", "/win add web 2 --dry-run");
  await settled(here);
  const seen = here.simulator.slack.ui.messagesFor("U0OPERATOR").filter(({ onlyTo }) => onlyTo === "U0OPERATOR");
  const words = wordsOf(seen.at(-1) as never);
  for (const part of ["2 → 4 (max 8)", "2022", "ami-", "m6i.xlarge"]) expect(words).toContain(part);
  expect(words.toLowerCase()).toContain("nothing was");
  expect(here.simulator.ec2.describe()).toHaveLength(before);
  expect(spoken(here)).toEqual({ channel: [], thread: [] });
  expect((await newest(here)).operation).toMatchObject({ status: "succeeded", messageTs: null });
  await here.type("operator", "/win add web 7 --dry-run");
  await settled(here);
  expect(privately(here, "operator").at(-1)).toContain("web has 2 of at most 8 nodes; adding 7 would exceed that");
  expect((await newest(here)).operation.status).toBe("refused");
  expect(spoken(here)).toEqual({ channel: [], thread: [] });
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});
