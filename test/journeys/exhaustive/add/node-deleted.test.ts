import { afterEach, describe, expect, test } from "vitest";
import { APPROVE_OPERATION, PROVE_AGAIN } from "../../../../lambdas/messages/slack/buttons.ts";
import type { Call } from "../../../../lib/sandbox/core/calls.ts";
import { demoConfiguration } from "../../../../lib/sandbox/demo-configuration.ts";
import { expectSound, heldBack, ledgerItems, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { SHORT } from "../../on-web.ts";
import { kubectl, otherWeb, web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { inThreads, openly, privately } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const SOON = { reboot: { reboot: 20, prove: 12 }, proving: { prove: 12 } };
const configured = (more: object = {}): Promise<Journey> =>
  withSeedNodes({ configuration: { approvals: { reboot: { needs: 0 } }, deadlines: SOON, ...more } });

const deleteNode = (): Promise<void> => kubectl(here, "DELETE", `/api/v1/nodes/${web.name}`);
const told = (): string => [...openly(here), ...inThreads(here)].join("\n");

/** Deletes the Node while the answer to a call is still on its way. @param count of the calls that match, from 1 */
function deleteAfter(service: string, action: string, count: number, matches: (call: Call) => boolean = () => true) {
  const log = here.simulator.simulation.calls;
  const { record } = log;
  let seen = 0;
  log.record = (call) => {
    record(call);
    if (call.service !== service || call.action !== action || !matches(call as Call)) return;
    seen += 1;
    if (seen === count) void deleteNode();
  };
}

/** Open cordons of the ledger. */
const openCordons = async (): Promise<string[]> =>
  (await ledgerItems(here)).flatMap(({ pk, closedAt }) =>
    String(pk?.S).startsWith("cordon#") && closedAt === undefined ? [String(pk?.S)] : [],
  );

/** Waits for the end, after which nothing is held and there is no Node. @returns operation and record of its node */
async function ended(minutes = 30) {
  await settled(here, minutes);
  expect(await heldBack(here)).toEqual([]);
  expect(nodeNamed(here, web.name)).toBeUndefined();
  await expectSound(here);
  const { operation, nodes } = await newest(here);
  return { status: operation.status, summary: operation.summary, node: nodes[0] };
}

test.each(["guard", "prove", "cordon", "uncordon"])(
  "/win %s of a node whose Node was deleted is answered to the requester alone, and begins nothing",
  async (command) => {
    here = await configured();
    await deleteNode();
    await here.type("operator", `/win ${command} ${SHORT}`);
    const { status, summary, node } = await ended();
    expect([status, node]).toEqual(["not-started", undefined]);
    expect(summary).toBe(`Windows node \`${SHORT}\` not found. \`{win} nodes\` lists all nodes.`);
    expect(privately(here, "operator").at(-1)).toBe(summary?.replace("{win}", "/win"));
    expect(openly(here)).toEqual([]);
  },
);

describe("A guard whose Node is deleted", () => {
  test.each([
    ["once its message stands", "slack", "chat.postMessage", 1],
    ["while it is installed", "ssm", "SendCommand", 1],
    ["while it is checked", "ssm", "SendCommand", 2],
  ])("%s is installed on the machine, and says that the Node is gone", async (_when, service, action, count) => {
    here = await configured();
    deleteAfter(service, action, count);
    await here.type("operator", `/win guard ${SHORT}`);
    const { status, summary, node } = await ended();
    expect([status, node?.status]).toEqual(["succeeded", "succeeded"]);
    expect(summary).toContain("works on 1 node. 1 Node of these no longer exists: restart the kubelet or the machine");
    expect(told()).toContain(`\`${web.name}\`: guarded, but its Node no longer exists`);
  });

  test("while the guard of its pool is installed leaves the others as they are", async () => {
    here = await configured();
    injectFault(here, "look-fails", { instanceId: web.instanceId });
    deleteAfter("ssm", "SendCommand", 1);
    await here.type("operator", "/win guard web");
    await ended();
    const { nodes } = await newest(here);
    const failures = Object.fromEntries(nodes.map(({ nodeName, failure }) => [nodeName, failure?.left]));
    expect(failures).toEqual({
      [web.name]: expect.stringMatching(/may be installed in part.*; its Node no longer exists$/),
      [otherWeb.name]: undefined,
    });
  });
});

describe("A proof whose Node is deleted", () => {
  const expectNotProven = async (why: string, minutes = 30) => {
    const { status, summary, node } = await ended(minutes);
    expect([status, summary]).toEqual(["failed", "Not proven: its Node no longer exists."]);
    expect(node?.failure).toMatchObject({ stage: "prove", why, left: "its Node no longer exists" });
    expect(told()).toContain("*Remedy:* restart the kubelet or the machine: it registers as a new Node then");
  };
  const DELETED = "the Node was deleted by someone else";

  test.each([
    ["once its message stands", "slack", "chat.postMessage"],
    ["while its machine is asked", "ssm", "SendCommand"],
  ])("%s fails at the next look", async (_when, service, action) => {
    here = await configured();
    deleteAfter(service, action, 1);
    const begun = Date.now();
    await here.type("operator", `/win prove ${SHORT}`);
    await expectNotProven(DELETED);
    expect(Date.now() - begun).toBeLessThan(5 * 60_000);
  });

  test("while its data plane is probed leaves no probe", async () => {
    const images = { "2022": "mcr.microsoft.com/windows/servercore:ltsc2022", linux: "docker.io/library/busybox:1.37" };
    here = await configured({ probe: { images } });
    deleteAfter("kubernetes", "create pods", 1, ({ principal }) => /act$/.test(principal ?? ""));
    await here.type("operator", `/win prove ${SHORT}`);
    await expectNotProven(DELETED);
    const pods = here.simulator.kubernetes.objects("pods").map(({ metadata }) => metadata.name);
    expect(pods.filter((name) => name.startsWith("probe-"))).toEqual([]);
  });

  test("while it is watched says so, and blames no service", async () => {
    const { pools } = demoConfiguration({ apiServer: "https://kubernetes.sandbox.invalid", authority: "" });
    here = await configured({ pools: { ...pools, web: { ...pools.web, soakSeconds: 600 } } });
    await here.type("operator", `/win prove ${SHORT}`);
    const watched = async () => (await newest(here)).nodes[0]?.waitsFor?.includes("soakSeconds") === true;
    await here.until(watched, 30, "the soak");
    await here.pass(4);
    await deleteNode();
    await expectNotProven(`while it was watched after its proof, ${DELETED}`);
    expect(told()).not.toContain("a service ends again");
  });

  test("that an unproven reboot had left cordoned ends that reboot's wait too", async () => {
    here = await configured();
    const fault = injectFault(here, "service-exits", { instanceId: web.instanceId, service: "kubelet" });
    await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
    await settled(here, 240);
    endFault(here, fault);
    const [reboot] = openly(here);
    expect(reboot).toContain("[Check again]");
    expect(await openCordons()).toHaveLength(1);
    await here.press("operator", PROVE_AGAIN);
    await here.until(async () => (await newest(here)).nodes[0]?.stage === "prove", 10, "the proof");
    await here.pass(1);
    await deleteNode();
    await expectNotProven(DELETED);
    expect(openly(here)[0]).toContain("Its Node was deleted since, and the cordon with it.");
    expect(openly(here)[0]).not.toContain("[Check again]");
    expect(await openCordons()).toEqual([]);
  });
});

describe("A cordon whose Node is deleted", () => {
  test.each(["cordon", "uncordon"])("before it is done says so instead of a success (%s)", async (command) => {
    here = await configured();
    deleteAfter("slack", "chat.postMessage", 1);
    await here.type("operator", `/win ${command} ${SHORT}`);
    const { summary, node } = await ended();
    expect(summary).toBe(`${web.name} no longer exists. Nothing was changed.`);
    expect(node?.outcome).toBe("its Node no longer exists");
    expect(told()).not.toMatch(/: (?:cordoned|schedulable) after/);
    expect(await openCordons()).toEqual([]);
  });

  test.each(["cordon", "uncordon"])(
    "while its approval is awaited is refused in the message that asked (%s)",
    async (command) => {
      here = await configured({ approvals: { [command]: { needs: 1 } } });
      await here.type("operator", `/win ${command} ${SHORT}`);
      await here.until(async () => (await newest(here)).operation.approval?.state === "open", 10, "the question");
      await deleteNode();
      await here.press("approver", APPROVE_OPERATION);
      const { status, summary } = await ended();
      expect([status, summary]).toEqual([
        "refused",
        `Windows node \`${web.name}\` not found. \`{win} nodes\` lists all nodes. Nothing was changed.`,
      ]);
      const [message, ...more] = openly(here);
      expect(more).toEqual([]);
      expect(message).toContain("refused after");
      expect(message).toContain("Nothing was changed.");
      expect(message).not.toMatch(/\[Cancel operation\]|action required/);
    },
  );
});

test("A drain whose Node is deleted while its approval is awaited is refused in the message that asked", async () => {
  here = await configured({ approvals: { drain: { needs: 1 } } });
  await here.type("operator", `/win drain ${SHORT} --force ${web.name}`);
  await here.until(async () => (await newest(here)).operation.approval?.state === "open", 10, "the question");
  await deleteNode();
  await here.press("approver", APPROVE_OPERATION);
  const { status, summary } = await ended();
  expect([status, summary]).toEqual(["refused", expect.stringContaining("not found")]);
  expect(openly(here)).toEqual([expect.stringMatching(/refused after[\s\S]*Nothing was changed\./)]);
});
