import { afterEach, describe, expect, test } from "vitest";
import { asked, assist, EDGE, isGuarded, tagOf, typed } from "../../assisting.ts";
import { calls, expectSound, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import {
  allowDisruptions,
  edge,
  guardedPod,
  kubectl,
  otherWeb,
  podsOn,
  shortName,
  stateOf,
  web,
} from "../../others.ts";
import { reached } from "../../outside.ts";
import { privately } from "../../reading.ts";
import { ask, confirmRemoval, expectGone, withSeedNodes } from "../../removal.ts";
import { requestState, threadOf } from "../../signing.ts";
import { borrow, deleteStrange, registerAnew, strange } from "./borrowing.ts";

let here: Journey;
afterEach(() => here.close());

const unasked = { approvals: { drain: { needs: 0 }, reboot: { needs: 0 }, restart: { needs: 0 } } };
const OTHER = shortName(otherWeb);
const STRANGE = shortName(strange);

const bootOf = (): string | undefined => nodeNamed(here, web.name)?.status?.nodeInfo?.bootID;

/** Nothing on the machine of pool web was changed, and its pods still run there. */
async function expectUntouched(pods: readonly string[], boot: string | undefined): Promise<void> {
  expect(stateOf(here, web)).toBe("running");
  expect([podsOn(here, web), bootOf()]).toEqual([pods, boot]);
  expect(nodeNamed(here, web.name)?.spec?.unschedulable ?? false).toBe(false);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
}

describe("A Node that borrows the provider id of another machine", () => {
  test("is not removed, nor is the machine terminated", async () => {
    here = await withSeedNodes();
    await guardedPod(here, web);
    const [pods, boot] = [podsOn(here, web), bootOf()];
    await borrow(here, web);
    const said = await ask(here, STRANGE);
    expect(said).toContain(`several Nodes name the instance \`${web.instanceId}\``);
    expect(said).toContain(`keep \`${web.name}\``);
    expect(said).not.toContain("[Remove]");
    await settled(here);
    expect((await newest(here)).operation.status).toBe("refused");
    expect(calls(here, "TerminateInstances")).toHaveLength(0);
    await expectUntouched(pods, boot);
  });

  test.for(["reboot", "drain", "restart", "cordon", "guard"])(
    "is refused for %s, as is the machine's own Node",
    async (command) => {
      here = await withSeedNodes({ configuration: unasked });
      const [pods, boot] = [podsOn(here, web), bootOf()];
      await borrow(here, web);
      for (const node of [STRANGE, shortName(web)]) {
        expect(await typed(here, `${command} ${node}`)).toContain(
          `several Nodes name the instance \`${web.instanceId}\``,
        );
        expect((await newest(here)).operation.status).toBe("refused");
      }
      await expectUntouched(pods, boot);
    },
  );

  test("is refused even where the machine's own Node is gone", async () => {
    here = await withSeedNodes({ configuration: unasked });
    await kubectl(here, "DELETE", `/api/v1/nodes/${web.name}`);
    await borrow(here, web);
    expect(await typed(here, `reboot ${STRANGE}`)).toContain(`the Node of that machine is \`${web.name}\``);
    const said = await ask(here, STRANGE);
    expect(said).toContain(`\`${strange.name}\` names the instance \`${web.instanceId}\``);
    expect(said).not.toContain("[Remove]");
    await settled(here);
    expect(stateOf(here, web)).toBe("running");
    expect(calls(here, "RebootInstances")).toHaveLength(0);
  });

  test("leaves the other nodes of the pool as they are: a rollout takes them and names the two", async () => {
    here = await withSeedNodes({ configuration: unasked });
    await borrow(here, web);
    expect(await typed(here, "reboot web --dry-run")).toMatch(new RegExp(`${OTHER}[\\s\\S]*several Nodes name`));
  });

  test("is shown with the reason by every look and by the doctor", async () => {
    here = await startJourney({ seedNodes: true, neighbours: { with: ["borrowed-identity"] } });
    for (const look of ["nodes", `node ${STRANGE}`, `why ${STRANGE}`, "doctor"]) {
      await here.type("operator", `/win ${look}`);
      await settled(here, 10);
      expect(privately(here, "operator").at(-1)).toMatch(/several Nodes name the instance/i);
    }
    await here.type("operator", `/win node ${STRANGE}`);
    await settled(here, 10);
    expect(privately(here, "operator").at(-1)).toContain("observed: several Nodes");
  });

  test("no longer stands in the way once it is deleted", async () => {
    here = await withSeedNodes();
    await borrow(here, web);
    await deleteStrange(here);
    await confirmRemoval(here, shortName(web));
    await expectGone(here, web);
  });
});

describe("A Node that is deleted and registered anew with the id of another machine", () => {
  test("has neither machine changed", async () => {
    here = await withSeedNodes({ configuration: unasked });
    await registerAnew(here, web, otherWeb);
    expect(await typed(here, `reboot ${shortName(web)}`)).toContain("several Nodes name the instance");
    expect(await typed(here, `drain ${OTHER}`)).toContain("several Nodes name the instance");
    // The machine itself has no Node that names it, and is still not taken for one without a Node.
    const said = await ask(here, web.instanceId);
    expect(said).toContain(`the Node \`${web.name}\` has the name of the instance \`${web.instanceId}\``);
    await settled(here);
    expect([stateOf(here, web), stateOf(here, otherWeb)]).toEqual(["running", "running"]);
    await expectSound(here);
  });
});

describe("A second Node that comes while the work is under way", () => {
  test("stops a removal right before the instance is terminated, and the node takes pods again", async () => {
    here = await withSeedNodes();
    await guardedPod(here, web);
    await confirmRemoval(here, shortName(web));
    await here.until(() => nodeNamed(here, web.name)?.spec?.unschedulable === true, 5, "the cordon");
    await borrow(here, web);
    await allowDisruptions(here);
    await settled(here);
    const { operation, nodes } = await newest(here);
    expect(operation.status).toBe("failed");
    expect(nodes[0]?.failure).toMatchObject({ stage: "terminate", code: "other-node" });
    expect(stateOf(here, web)).toBe("running");
    expect(nodeNamed(here, web.name)?.spec?.unschedulable ?? false).toBe(false);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  });

  test("of the removed machine itself stops its removal, since pods may be on it", async () => {
    here = await withSeedNodes();
    await guardedPod(here, web);
    await confirmRemoval(here, shortName(web));
    await here.until(() => nodeNamed(here, web.name)?.spec?.unschedulable === true, 5, "the cordon");
    await registerAnew(here, web, web);
    await settled(here);
    const { nodes } = await newest(here);
    expect(nodes[0]?.failure).toMatchObject({
      ...{ stage: "terminate", code: "other-node" },
      why: expect.stringContaining(`${web.instanceId} registered as ${web.name} during the removal`),
    });
    expect(stateOf(here, web)).toBe("running");
    expect(await heldBack(here)).toEqual([]);
  });

  test("stops a reboot right before its order", async () => {
    here = await withSeedNodes({ configuration: unasked });
    await guardedPod(here, web);
    const boot = bootOf();
    await here.type("operator", `/win reboot ${shortName(web)} --force ${web.name}`);
    await here.until(() => nodeNamed(here, web.name)?.spec?.unschedulable === true, 5, "the cordon");
    await borrow(here, web);
    await allowDisruptions(here);
    await settled(here);
    expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "reboot", code: "reboot-stood-against" });
    expect(bootOf()).toBe(boot);
    expect(await heldBack(here)).toEqual([]);
  });
});

describe("A machine of another owner", () => {
  test("is not assisted while two Nodes name it", async () => {
    here = await withSeedNodes();
    await borrow(here, edge);
    for (const node of [STRANGE, EDGE])
      expect(await typed(here, `assist ${node}`)).toContain(`several Nodes name the instance \`${edge.instanceId}\``);
    expect([tagOf(here), isGuarded(here)]).toEqual([undefined, false]);
  });

  test("shows on its card that EC2 gives it another name, and is not assisted for a Node of a third", async () => {
    here = await withSeedNodes();
    await kubectl(here, "DELETE", `/api/v1/nodes/${edge.name}`);
    await borrow(here, edge);
    expect(await asked(here, `assist ${STRANGE}`)).toContain(`EC2 names the machine \`${edge.name}\``);
  });

  test("is assisted under the name that was approved, and under no other", async () => {
    here = await withSeedNodes({ configuration: unasked });
    await assist(here);
    await kubectl(here, "DELETE", `/api/v1/nodes/${edge.name}`);
    await borrow(here, edge);
    for (const command of [`reboot ${STRANGE}`, `assist ${STRANGE} --end`])
      expect(await typed(here, command)).toContain(`the Node of that machine is \`${edge.name}\``);
    expect(tagOf(here)).toBeDefined();
  });
});

test("No certificate request is approved for a machine that a strange Node names", async () => {
  here = await startJourney({ configuration: { deadlines: { provision: { "client-csr": 5 } } } });
  await here.type("operator", "/win add web");
  await reached(here, "configure");
  const instanceId = here.simulator.ec2
    .describe()
    .find(({ Platform, State }) => Platform && State?.Name === "running")?.InstanceId;
  await borrow(here, { name: "", instanceId: instanceId ?? "" });
  await reached(here, "client-csr");
  await here.until(() => threadOf(here).includes("names the instance"), 8, "a word about the request");
  const [, request = ""] = /(csr-\w+) was left pending: .* names the instance/.exec(threadOf(here)) ?? [];
  expect(requestState(here, request)).toBe("pending");
});
