import { afterEach, describe, expect, test } from "vitest";
import { APPROVE_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import type { InstanceRecord } from "../../../../lib/sandbox/aws/ec2/records.ts";
import { asked, assist, EDGE, isGuarded, recordOf, tagOf, traces, typed } from "../../assisting.ts";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { edge, stateOf, tag } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const bootIdOf = (): string | undefined => nodeNamed(here, edge.name)?.status?.nodeInfo?.bootID;
const unasked = { configuration: { approvals: { reboot: { needs: 0 }, drain: { needs: 0 } } } };

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
});

/** The machine's agent says nothing any more. */
const silence = (): string => injectFault(here, "agent-silent", { instanceId: edge.instanceId });

/** Its agent never registered: Systems Manager does not know the machine. */
function neverRegistered(): void {
  silence();
  here.simulator.simulation.store.collection("ssm-instances").delete(edge.instanceId);
}

/** Its owner launched it without an instance profile. */
function withoutProfile(): void {
  neverRegistered();
  const instances = here.simulator.simulation.store.collection<InstanceRecord>("ec2-instances");
  const instance = instances.get(edge.instanceId);
  if (instance) instances.set(edge.instanceId, { ...instance, profileArn: null });
}

describe("A machine of another owner that no command reaches", () => {
  test.each<[string, () => unknown, string, RegExp]>([
    [
      "without an instance profile",
      withoutProfile,
      "its instance has no instance profile",
      /Casement cannot assist \S+ of other owners: the instances have no instance profile.*AmazonSSMManagedInstanceCore/s,
    ],
    [
      "whose agent never registered",
      neverRegistered,
      "no SSM agent has registered for its instance",
      /Casement cannot assist \S+ of other owners: no SSM agent has registered there.*port 443/s,
    ],
    [
      "whose agent is silent",
      silence,
      "adds the route in the EC2 serial console, `route add 169.254.169.254 mask 255.255.255.255 &lt;gateway&gt;`",
      /The SSM agent is not online on \S+ of other owners/,
    ],
  ])("%s is not assisted, and the doctor names it with what its owner does", async (_, how, refusal, finding) => {
    here = await withSeedNodes();
    expect(await typed(here, "doctor", 10)).not.toContain(edge.instanceId);
    how();
    await here.pass(30);
    expect(await typed(here, `assist ${EDGE}`)).toContain(refusal);
    expect((await newest(here)).operation.status).toBe("refused");
    const report = await typed(here, "doctor", 10);
    expect(report).toMatch(finding);
    expect(report).toContain(edge.instanceId);
    expect([tagOf(here), traces(here), await recordOf(here)]).toEqual([undefined, [], undefined]);
  });
});
