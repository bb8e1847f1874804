import { afterEach, expect, test } from "vitest";
import { registriesScript } from "../../../../lambdas/machine/machine-paths.ts";
import { permissionsFor } from "../../../../lib/role-permissions.ts";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { place } from "../../../../lib/sandbox/demo-account.ts";
import { expectSound, settled } from "../../evidence.ts";
import { launchedId } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { look } from "../../looking.ts";
import {
  asked,
  createSet,
  deleteSet,
  diskOfNode,
  editSet,
  fileFor,
  filesOn,
  nodes,
  paged,
  reconciles,
  requested,
  said,
  startMirroring,
} from "../../mirroring.ts";
import { batch, ec2, podOn, running, shortName, web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { answerTo, openly } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const HOST = `${demo.accountId}.dkr.ecr.${demo.region}.amazonaws.com`;
const FILE = fileFor("quay.io");
const IMAGE = "quay.io/team/tool:1";
const probe = { probe: { registries: { "quay.io": IMAGE } } };
const never = {
  source: "quay.io/team",
  mirrors: [`${HOST}/hub/team`],
  mirrorSourcePolicy: "NeverContactSource",
} as const;

const textOn = (node = web): string => diskOfNode(here, node).text(FILE) ?? "";
const passwordOn = (node = web): string =>
  /Authorization = "Basic ([A-Za-z0-9+/=]{60,})"/.exec(textOn(node))?.[1] ?? "";
const updated = (times: number) => here.until(() => said(here, "3 nodes updated") === times, 60, "the change");
const failedRuns = async () => (await reconciles(here)).filter(({ status }) => status === "failed").length;
const tasksOf = (instanceId: string): readonly string[] =>
  Object.keys(
    here.simulator.simulation.store.collection<{ tasks: Readonly<Record<string, object>> }>("machines").get(instanceId)
      ?.tasks ?? {},
  );
const ownFiles = (node = web): readonly string[] =>
  (here.simulator.machines.describe(node.instanceId)?.files ?? [])
    .map(({ path }) => path)
    .filter((path) => /Casement\\registries/.test(path));

/** Runs a pod with an image that no node has. */
async function pulls(name: string, image: string): Promise<boolean> {
  here.simulator.kubernetes.create(podOn(web, name, { spec: { containers: [{ name, image }] } }));
  await here.pass(5);
  return running(here, name) === 1;
}

async function startWithCache(): Promise<void> {
  here = await startMirroring(probe);
  here.simulator.registries.declare(HOST);
  await createSet(here, "tag", "team", never);
  await updated(1);
}

/** The node role without an action. */
const nodeWithout = (action: string) => ({
  permissions: {
    node: permissionsFor(place).node.map((one) => ({
      ...one,
      actions: one.actions.filter((name) => name !== action),
    })),
  },
});

test("nodes sign in to a pull-through cache of ECR, and thirteen hours later they still do", async () => {
  await startWithCache();
  for (const node of nodes) expect(passwordOn(node)).not.toBe("");
  expect(new Set(nodes.map(passwordOn)).size).toBe(3);
  expect(diskOfNode(here, web).file(FILE)?.access).toBe("system");
  expect(openly(here).at(-1)).toContain(`${IMAGE}.`);
  const first = passwordOn();
  await here.pass(13 * 60);
  expect(passwordOn()).not.toBe(first);
  expect(await pulls("later", "quay.io/team/later:1")).toBe(true);
  expect(asked(here, "quay.io")).toEqual([]);
  expect(await reconciles(here)).toHaveLength(1);
  await expectSound(here);
});

test.for([
  ["may not ask for a password", "ecr:GetAuthorizationToken", /not authorized to perform: ecr:GetAuthorizationToken/],
  ["may not fill the cache", "ecr:BatchImportUpstreamImage", /403 Forbidden.*may not fill the cache/],
] as const)(
  "a role that %s stops the change at the first node, which gets back what it had",
  async ([, right, why]) => {
    here = await startJourney({ seedNodes: true, configuration: probe, overrides: nodeWithout(right) });
    here.simulator.registries.declare(HOST);
    await createSet(here, "tag", "team", never);
    await here.until(async () => (await failedRuns()) === 1, 60, "the refusal");
    expect(nodes.map((node) => filesOn(here, node))).toEqual([{}, {}, {}]);
    expect(nodes.flatMap(ownFiles)).toEqual([]);
    expect(nodes.flatMap(({ instanceId }) => tasksOf(instanceId)).filter((name) => /registries/.test(name))).toEqual(
      [],
    );
    await here.pass(30);
    expect(paged(here).filter((one) => why.test(one))).toHaveLength(1);
    expect(await failedRuns()).toBe(1);
  },
);

test("a removed mirror set takes the task, its script and its files along", async () => {
  await startWithCache();
  expect(tasksOf(web.instanceId)).toContain("casement registries");
  await deleteSet(here, "tag", "team");
  expect(await requested(here)).toMatchObject({ status: "succeeded" });
  expect(nodes.map((node) => filesOn(here, node))).toEqual([{}, {}, {}]);
  expect(nodes.flatMap(ownFiles)).toEqual([]);
  for (const { instanceId } of nodes) expect(tasksOf(instanceId)).not.toContain("casement registries");
  await expectSound(here);
});

test("a change to another mirror leaves no password behind, and the task does not write the file again", async () => {
  await startWithCache();
  await editSet(here, "tag", "team", { ...never, mirrors: ["mirror.example.com/team"] });
  await updated(2);
  await here.pass(15);
  for (const node of nodes) expect(textOn(node)).not.toContain("Basic");
  expect(nodes.flatMap(ownFiles)).toEqual([]);
});

test("the order of mirrors changes without a moment in which a node has no password", async () => {
  await startWithCache();
  const seen = new Set<boolean>();
  await editSet(here, "tag", "team", { ...never, mirrors: [`${HOST}/hub/team`, "mirror.example.com/team"] });
  await here.until(
    () => {
      seen.add(passwordOn() !== "");
      return said(here, "3 nodes updated") === 2;
    },
    60,
    "the change",
  );
  expect([...seen]).toEqual([true]);
  expect(textOn()).toContain("mirror.example.com");
});

test("a new node has a password before its containerd starts", async () => {
  await startWithCache();
  await here.type("operator", "/win add web");
  const file = () => here.simulator.machines.describe(launchedId(here))?.files.find(({ path }) => path === FILE);
  await here.until(() => file() !== undefined, 60, "the file");
  const { services = [] } = here.simulator.machines.describe(launchedId(here)) ?? {};
  expect(services.find(({ name }) => name === "containerd")?.state).not.toBe("Running");
  await settled(here);
  expect(passwordOn({ ...web, instanceId: launchedId(here) })).not.toBe("");
  await expectSound(here);
});

test("a node that was off for a day renews its password when it starts", async () => {
  await startWithCache();
  const before = passwordOn();
  await ec2(here, "StopInstances", { "InstanceId.1": web.instanceId });
  await here.pass(24 * 60);
  expect(passwordOn()).toBe(before);
  await ec2(here, "StartInstances", { "InstanceId.1": web.instanceId });
  await here.until(() => passwordOn() !== before, 15, "the new password");
  await here.pass(10);
  expect(await pulls("after", "quay.io/team/after:1")).toBe(true);
});

test("a node whose renewal fails is named by the doctor and marked in the list of mirrors until it has succeeded", async () => {
  await startWithCache();
  await here.pass(5 * 60 + 50);
  const fault = injectFault(here, "aws-unreachable", { instanceId: web.instanceId, service: "ecr" });
  await here.pass(2 * 60);
  const report = () => answerTo(here, "/win doctor");
  const found = await report();
  expect(found).toContain(`\`${web.name}\` has not renewed the passwords of ECR`);
  expect(found).toMatch(/^.*: 1 warning/);
  expect(found).toMatch(/for \d+m\. The password of ECR could not be renewed, .*ECR at api\.ecr\.us-west-2/);
  const shown = (await look(here, "/win mirrors")).said;
  expect(shown).toContain(`⚠️ \`quay.io\``);
  expect(shown).toContain(`password of ECR not renewed on \`${web.name}\``);
  expect(shown).toMatch(new RegExp(`⚠️ \`${web.name}\`, for \\d+m: The password of ECR could not be renewed`));
  expect((await look(here, "/win mirrors quay.io")).said).toContain("The password of ECR could not be renewed");
  expect(shown).not.toContain(batch.name);
  endFault(here, fault);
  await here.pass(60);
  expect(await report()).toMatch(/all \d\d checks passed$/m);
  expect((await look(here, "/win mirrors")).said).toContain("✅ `quay.io`");
});

test("a renewal that fails is repeated, and no pull fails", async () => {
  await startWithCache();
  await here.pass(5 * 60 + 50);
  const fault = injectFault(here, "aws-unreachable", { instanceId: web.instanceId, service: "ecr" });
  await here.pass(30);
  expect(await pulls("meanwhile", "quay.io/team/meanwhile:1")).toBe(true);
  expect((await look(here, `/win why ${shortName(web)}`)).said).toContain("The password of ECR could not be renewed");
  const before = passwordOn();
  endFault(here, fault);
  await here.until(() => passwordOn() !== before, 15, "the new password");
  expect(ownFiles()).toContain(registriesScript);
});
