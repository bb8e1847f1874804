import { afterEach, describe, expect, test } from "vitest";
import {
  APPROVE_OPERATION,
  INSTALL_GUARD,
  PROVE_AGAIN,
  RESUME_ROLLOUT,
} from "../../../../lambdas/messages/slack/buttons.ts";
import type { InstanceRecord } from "../../../../lib/sandbox/aws/ec2/records.ts";
import { asked, assist, EDGE, isGuarded, typed } from "../../assisting.ts";
import { denied, expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { batch, edge, otherWeb, type SeedNode, shortName } from "../../others.ts";
import { asAdministrator, endFault, injectFault, machineFor } from "../../outside.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const ofEdge = { instanceId: edge.instanceId };
const OTHER = shortName(otherWeb);
const unasked = { approvals: { reboot: { needs: 0 } }, deadlines: { reboot: { reboot: 20, prove: 12 } } };

const bootOf = ({ name }: SeedNode): string | undefined => nodeNamed(here, name)?.status?.nodeInfo?.bootID;
const isCordoned = ({ name }: SeedNode): boolean => nodeNamed(here, name)?.spec?.unschedulable === true;

interface Sent {
  readonly documentName: string;
  readonly comment: string;
}

/** Documents that an operation sent, each once. */
const documentsOf = (operation: string): string[] => [
  ...new Set(
    [...here.simulator.simulation.store.collection<Sent>("ssm-commands").values()]
      .filter(({ comment }) => comment.includes(operation))
      .map(({ documentName }) => /-(observe|route|apply|reboot)-/.exec(documentName)?.[1] ?? documentName),
  ),
];

/** Gives a machine of pool web to the Machine API: Casement's tags are gone, and a Machine names it. */
async function giveAway({ instanceId }: SeedNode): Promise<void> {
  const instances = here.simulator.simulation.store.collection<InstanceRecord>("ec2-instances");
  const instance = instances.get(instanceId);
  if (!instance) throw new Error(`there is no instance ${instanceId}`);
  const tags = Object.fromEntries(Object.entries(instance.tags).filter(([key]) => !key.startsWith("casement:")));
  instances.set(instanceId, { ...instance, tags });
  here.simulator.kubernetes.create(machineFor(instanceId));
  await here.pass(1);
}

/** Two assisted nodes of the Machine API. */
async function twoAssisted(configuration: object = unasked): Promise<void> {
  here = await withSeedNodes({ configuration });
  await giveAway(otherWeb);
  await assist(here);
  await assist(here, otherWeb);
}

describe("An assisted node whose reboot is not proven", () => {
  test("stays cordoned with its evidence, and is given back by a proof once it works", async () => {
    here = await withSeedNodes({ configuration: unasked });
    await assist(here);
    const fault = injectFault(here, "service-exits", { ...ofEdge, service: "kubelet" });
    const said = await typed(here, `reboot ${EDGE}`);
    expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "prove" });
    expect(said).toContain("kubelet");
    expect(isCordoned(edge)).toBe(true);

    endFault(here, fault);
    here.simulator.simulation.bus.announce({ kind: "instance-reboot", ...ofEdge });
    await here.pass(15);
    const boot = bootOf(edge);
    await here.press("operator", PROVE_AGAIN);
    await settled(here, 60);
    const { operation } = await newest(here);
    expect(operation).toMatchObject({ status: "succeeded", request: { command: "prove" } });
    expect(documentsOf(operation.id)).toEqual(["observe"]);
    expect([isCordoned(edge), bootOf(edge)]).toEqual([false, boot]);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });

  test("is not proven once its assistance has ended, and its owner uncordons it", async () => {
    here = await withSeedNodes({ configuration: unasked });
    await assist(here);
    injectFault(here, "service-exits", { ...ofEdge, service: "kubelet" });
    await typed(here, `reboot ${EDGE}`);
    expect(await typed(here, `assist ${EDGE} --end`)).toContain("not assisted any more");
    expect(await typed(here, `prove ${EDGE}`)).toContain(`/win assist ${edge.name}`);
    expect(isCordoned(edge)).toBe(true);
    expect(await heldBack(here)).toEqual([]);
  });
});

describe("An assisted node whose guard is lost", () => {
  test("is not rebooted until the guard is put back, by the one document that can do nothing else", async () => {
    here = await withSeedNodes({ configuration: unasked });
    await assist(here);
    injectFault(here, "guard-lost", { ...ofEdge, how: "removed" }, 1);
    await here.until(() => !isGuarded(here), 3, "the loss of the guard");
    const boot = bootOf(edge);
    await typed(here, `reboot ${EDGE}`);
    expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "guard" });
    expect([isCordoned(edge), bootOf(edge)]).toEqual([false, boot]);

    await here.press("operator", INSTALL_GUARD);
    await settled(here, 60);
    const { operation } = await newest(here);
    expect(operation).toMatchObject({ status: "succeeded", request: { command: "guard" } });
    expect(documentsOf(operation.id).toSorted()).toEqual(["observe", "route"]);
    expect(isGuarded(here)).toBe(true);
    await typed(here, `reboot ${EDGE}`);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect(bootOf(edge)).not.toBe(boot);
    await expectSound(here);
  });
});

describe("A rollout of assisted nodes", () => {
  test("reboots each with proof, one after the other", async () => {
    await twoAssisted();
    const before = [edge, otherWeb].map(bootOf);
    let most = 0;
    await here.type("operator", `/win reboot ${EDGE} ${OTHER}`);
    await here.until(
      () => {
        most = Math.max(most, [edge, otherWeb].filter(isCordoned).length);
        return here.simulator.lambda.executions().every(({ status }) => status !== "RUNNING");
      },
      240,
      "the end of the rollout",
    );
    expect((await newest(here)).operation).toMatchObject({
      status: "succeeded",
      summary: "2 of 2 nodes are rebooted and proven.",
    });
    expect(most).toBe(1);
    expect([edge, otherWeb].map((node, at) => bootOf(node) === before[at])).toEqual([false, false]);
    expect([edge, otherWeb].map(isCordoned)).toEqual([false, false]);
    expect(await heldBack(here)).toEqual([]);
    expect(denied(here)).toEqual([]);
    await expectSound(here);
  });

  test("asks once for all of them, and leaves out a node that is only observed, with the way to ask", async () => {
    here = await withSeedNodes({ configuration: { deadlines: unasked.deadlines } });
    await giveAway(otherWeb);
    await assist(here);
    const card = await asked(here, `reboot ${EDGE} ${OTHER}`);
    expect(card).toContain("*1 node left out:*");
    expect(card).toContain(`/win assist ${OTHER}`);
    const before = [edge, otherWeb].map(bootOf);
    await here.press("approver", APPROVE_OPERATION);
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
    expect([edge, otherWeb].map((node, at) => bootOf(node) === before[at])).toEqual([false, true]);
  });

  test("does not touch a node whose assistance lost its power meanwhile", async () => {
    await twoAssisted();
    const before = bootOf(otherWeb);
    await here.type("operator", `/win reboot ${EDGE} ${OTHER} --canary`);
    await here.until(async () => (await newest(here)).operation.rollout?.paused != null, 120, "the canary's question");
    const [first, second] = bootOf(otherWeb) === before ? [edge, otherWeb] : [otherWeb, edge];
    const boots = [bootOf(first), bootOf(second)];
    await asAdministrator(here, "DELETE", machineUrl(second));
    await here.press("operator", RESUME_ROLLOUT);
    await settled(here, 120);
    const { operation, nodes } = await newest(here);
    expect(operation).toMatchObject({ status: "failed", summary: expect.stringContaining("1 of 2 nodes") });
    const failure = { why: expect.stringContaining("was not launched by Casement"), left: "nothing was changed" };
    expect(nodes.find(({ nodeName }) => nodeName === second.name)?.failure).toMatchObject(failure);
    expect([bootOf(first), bootOf(second)]).toEqual(boots);
    expect([edge, otherWeb].map(isCordoned)).toEqual([false, false]);
  });

  test("is not mixed with Casement's own nodes, since each pool has its rules", async () => {
    here = await withSeedNodes({ configuration: unasked });
    await assist(here);
    expect(await typed(here, `reboot ${EDGE} ${shortName(batch)}`)).toContain("belong to several pools");
  });
});

const MACHINES = "/apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api/machines";
const machineUrl = (node: SeedNode): string =>
  `${MACHINES}/${node === edge ? "winworker-us-west-2b-x9v4c" : "winworker-claims"}`;
