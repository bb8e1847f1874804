import { afterEach, describe, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../lambdas/messages/slack/buttons.ts";
import { asked, assist, EDGE, isGuarded, recordOf, tagOf, traces, typed } from "../assisting.ts";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../evidence.ts";
import type { Journey } from "../journey.ts";
import { ec2, edge, kubectl, stateOf, tag } from "../others.ts";
import { injectFault } from "../outside.ts";
import { withSeedNodes } from "../removal.ts";

let here: Journey;
afterEach(() => here.close());

const bootIdOf = (): string | undefined => nodeNamed(here, edge.name)?.status?.nodeInfo?.bootID;
const unasked = { configuration: { approvals: { reboot: { needs: 0 }, drain: { needs: 0 } } } };
const MHC = "/apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api/machinehealthchecks/windows";

describe("A node that WMCO's Machine owns", () => {
  test("is refused with its owner and the way to ask, until a person approves Casement's help", async () => {
    here = await withSeedNodes(unasked);
    expect(traces(here)).toEqual([]);
    for (const command of ["cordon", "drain", "reboot", "guard"]) {
      const said = await typed(here, `${command} ${EDGE}`);
      expect(said).toMatch(/MachineSet `winworker-us-west-2b`/);
      expect(said).toContain(`/win assist ${edge.name}`);
    }
    expect(calls(here, "ssm", "SendCommand")).toEqual([]);
  });

  test("gets tag and guard after one card, and is rebooted with proof; its end leaves nothing", async () => {
    here = await withSeedNodes({ ...unasked, neighbours: { with: ["wmco"] } });
    const card = await assist(here);
    expect(card).toMatch(/belongs to the MachineSet `winworker-us-west-2b`/);
    expect(card).toMatch(/Casement will not\* touch its files, services/);
    expect([tagOf(here), isGuarded(here)]).toEqual(["prod-west", true]);
    expect(await recordOf(here)).toMatchObject({ state: "assisted" });
    expect(await typed(here, `node ${EDGE}`)).toContain("assisted");
    expect(await typed(here, `why ${EDGE}`)).not.toContain("was not asked");

    const boot = bootIdOf();
    const said = await typed(here, `reboot ${EDGE} --force ${edge.name}`);
    expect(said).toContain("rebooted");
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(bootIdOf()).not.toBe(boot);
    expect(nodeNamed(here, edge.name)?.spec?.unschedulable ?? false).toBe(false);

    expect(await typed(here, `remove ${EDGE}`, 30)).toMatch(/MachineSet|dialog/);
    expect(stateOf(here, edge)).toBe("running");

    expect(await typed(here, `assist ${EDGE} --end`)).toContain("not assisted any more");
    expect([tagOf(here), isGuarded(here), await recordOf(here)]).toEqual([undefined, false, undefined]);
    expect(await typed(here, `drain ${EDGE}`)).toContain("cannot be drained");
    await expectSound(here);
  });

  test("is left as it is when the approver denies", async () => {
    here = await withSeedNodes();
    await asked(here, `assist ${EDGE}`);
    await here.type("approver", `/win deny ${(await newest(here)).operation.id}`);
    await settled(here, 90);
    expect((await newest(here)).operation.status).toBe("refused");
    expect([tagOf(here), traces(here), await recordOf(here)]).toEqual([undefined, [], undefined]);
    expect(calls(here, "ec2", "CreateTags")).toEqual([]);
  });

  test("gains nothing from a tag that someone else has set", async () => {
    here = await withSeedNodes(unasked);
    await tag(here, edge, "casement:managed", "prod-west");
    const said = await typed(here, `reboot ${EDGE}`);
    expect(said).toContain("`casement:managed` was not set by an approved operation, so that it has no power");
    expect(await typed(here, `why ${EDGE}`)).toContain("neither launched nor assists");
    expect(calls(here, "ssm", "SendCommand")).toEqual([]);
    expect(await typed(here, "doctor", 10)).toMatch(/casement:managed.*was not set by an approved operation/s);
    expect(await typed(here, `assist ${EDGE} --end`)).toContain("not assisted any more");
    expect(tagOf(here)).toBeUndefined();
  });

  test("gains nothing from an approval whose tag is gone", async () => {
    here = await withSeedNodes(unasked);
    await assist(here);
    await typed(here, "nodes");
    await tag(here, edge, "casement:managed", "prod-east");
    expect(await typed(here, `reboot ${EDGE}`)).toContain("is gone or names another cluster");
  });

  test("keeps nothing of an assistance whose guard cannot be proven", async () => {
    here = await withSeedNodes();
    injectFault(here, "look-fails", { instanceId: edge.instanceId });
    await asked(here, `assist ${EDGE}`);
    await here.press("approver", APPROVE_OPERATION);
    await settled(here, 90);
    const { operation, nodes } = await newest(here);
    expect(operation).toMatchObject({ status: "failed" });
    expect(nodes[0]?.failure).toMatchObject({ stage: "guard", left: "guard and tag were taken away again" });
    expect([tagOf(here), traces(here), await recordOf(here)]).toEqual([undefined, [], undefined]);
    expect(await heldBack(here)).toEqual([]);
  });

  test("is not assisted where its agent is silent, and the doctor names it", async () => {
    here = await withSeedNodes();
    injectFault(here, "agent-silent", { instanceId: edge.instanceId });
    await here.pass(30);
    expect(await typed(here, `assist ${EDGE}`)).toContain("its SSM agent does not answer");
    expect(await typed(here, "doctor", 10)).toContain(edge.instanceId);
  });
});

describe("A MachineHealthCheck", () => {
  test("stands against the reboot until its owner has paused it", async () => {
    here = await withSeedNodes({ ...unasked, neighbours: { with: ["machine-health-check"] } });
    const card = await assist(here);
    expect(card).toMatch(/MachineHealthCheck `windows` deletes its Machine when it is NotReady for 300s/);
    const refused = await typed(here, `reboot ${EDGE} --force ${edge.name}`);
    expect(refused).toContain('oc annotate mhc windows -n openshift-machine-api cluster.x-k8s.io/paused=""');
    await kubectl(here, "PATCH", MHC, { metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } });
    await typed(here, `reboot ${EDGE} --force ${edge.name}`);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(stateOf(here, edge)).toBe("running");
  });
});

describe("A node of an Auto Scaling group", () => {
  const suspend = async (): Promise<void> => {
    const body = new URLSearchParams({
      Action: "SuspendProcesses",
      AutoScalingGroupName: "windows-edge",
      "ScalingProcesses.member.1": "HealthCheck",
      "ScalingProcesses.member.2": "ReplaceUnhealthy",
    });
    const request = { method: "POST", url: "/", headers: {}, body: Buffer.from(body.toString()) };
    const owner = { principal: "owner", require: () => undefined };
    await here.drive(here.simulator.scaling.service.answer("SuspendProcesses", request, owner));
  };

  test("is not rebooted while its health check would replace it, and is when that is paused", async () => {
    here = await withSeedNodes({ ...unasked, neighbours: { with: ["scaling-group"] } });
    const card = await assist(here);
    expect(card).toMatch(/belongs to the Auto Scaling group `windows-edge`/);
    expect(card).toMatch(/replaces it when a health check \(EC2,ELB\) fails during a reboot/);
    const refused = await typed(here, `reboot ${EDGE} --force ${edge.name}`);
    expect(refused).toContain("aws autoscaling suspend-processes --auto-scaling-group-name windows-edge");
    await suspend();
    await typed(here, `reboot ${EDGE} --force ${edge.name}`);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(stateOf(here, edge)).toBe("running");
  });

  test("is terminated by its group when it reboots with the check in force", async () => {
    here = await withSeedNodes({ neighbours: { with: ["scaling-group"] } });
    injectFault(here, "slow-boot", { instanceId: edge.instanceId });
    await ec2(here, "RebootInstances", { "InstanceId.1": edge.instanceId });
    await here.until(() => stateOf(here, edge) !== "running", 30, "the group's replacement");
    expect(stateOf(here, edge)).toMatch(/shutting-down|terminated/);
  });
});
