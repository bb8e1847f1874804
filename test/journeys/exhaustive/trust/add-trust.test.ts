import { afterEach, expect, test } from "vitest";
import { issue } from "../../../inputs/trust/issuing.ts";
import { expectSound, newest, settled } from "../../evidence.ts";
import { asked as askedPeople, impatient, launchedId } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { look } from "../../looking.ts";
import { nodes } from "../../mirroring.ts";
import {
  asked,
  given,
  nameBundle,
  startTrusting,
  trustedOn,
  trustOnly,
  trustOperations,
  trustThese,
} from "../../trusting.ts";

let here: Journey;
afterEach(() => here.close());

const root = await issue({ subject: "CN=Test Root" });
const other = await issue({ subject: "CN=Test Other" });
const between = await issue({ subject: "CN=Test Issuing", by: root });

const machine = () => here.simulator.machines.describe(launchedId(here));
const containerd = () => machine()?.services.find(({ name }) => name === "containerd")?.state ?? "missing";
const has = () => trustedOn(here, { instanceId: launchedId(here) });

/** Adds a node and waits for its end. */
async function added(): Promise<void> {
  await here.type("operator", "/win add web");
  await here.until(async () => (await newest(here)).operation.request.command === "add", 5, "the addition");
  await here.until(async () => typeof (await newest(here)).operation.endedAt === "string", 90, "the new node");
  expect((await newest(here)).operation.status).toBe("succeeded");
}

test("a new node trusts the cluster's authorities before its containerd starts, and no tick gives them again", async () => {
  here = await startJourney({ configuration: { approvals: { authorities: { needs: 0 } } } });
  await trustThese(here, root, between);
  await here.type("operator", "/win add web");
  await here.until(() => has().length === 2, 60, "the authorities");
  expect(has()).toEqual(["CA Issuing", "Root Root"]);
  expect(containerd()).not.toBe("Running");
  await settled(here);
  expect((await newest(here)).operation.status).toBe("succeeded");
  await here.pass(11);
  expect(await trustOperations(here)).toEqual([]);
  expect((await look(here, "/win authorities")).said.match(/on the node/g)).toHaveLength(2);
  await expectSound(here);
});

test("a new node gets no root that nobody has approved, and gets it with the others after the approval", async () => {
  here = await startTrusting({});
  await trustThese(here, root, between);
  const id = await asked(here);
  await added();
  expect(has()).toEqual(["CA Issuing"]);
  await here.type("approver", `/win approve ${id}`);
  await given(here, 1, "4 nodes updated");
  expect(has()).toEqual(["CA Issuing", "Root Root"]);
  await expectSound(here);
});

test("a new node gets no root that people have denied, and gets the approved ones at once", async () => {
  here = await startTrusting({});
  await trustThese(here, root);
  await here.type("approver", `/win approve ${await asked(here)}`);
  await given(here, 1);
  expect(nodes.map((node) => trustedOn(here, node))).toEqual(nodes.map(() => ["Root Root"]));
  await trustOnly(here, root, other);
  await here.type("approver", `/win deny ${await asked(here, 2)} --reason "not ours"`);
  await here.pass(1);
  await added();
  expect(has()).toEqual(["Root Root"]);
  await here.pass(11);
  expect(has()).toEqual(["Root Root"]);
  await expectSound(here);
});

test("while the named ConfigMap is missing, no node is made, and the failure says why", async () => {
  here = await startJourney({ configuration: impatient });
  await nameBundle(here, "missing");
  await here.type("operator", "/win add web");
  const { failure, nodeName } = await askedPeople(here);
  expect(failure?.why).toMatch(/no ConfigMap openshift-config\/missing, .*, so the new machine did not join/);
  expect(containerd()).not.toBe("Running");
  expect(here.simulator.kubernetes.objects("nodes").some(({ metadata }) => metadata.name === nodeName)).toBe(false);
  await here.press("operator", "terminate-instance");
  await settled(here);
  await expectSound(here);
});
