import { afterEach, expect, test } from "vitest";
import { registriesSecret } from "../../../../lambdas/cluster/registries-secret.ts";
import { demo } from "../../../../lib/sandbox/demo.ts";
import { expectSound, settled } from "../../evidence.ts";
import { launchedId } from "../../failing.ts";
import type { Journey } from "../../journey.ts";
import {
  asked,
  createSet,
  deleteSet,
  diskOfNode,
  fileFor,
  filesOn,
  nodes,
  paged,
  reconciles,
  requested,
  said,
  startMirroring,
  storeCredentials,
} from "../../mirroring.ts";
import { web } from "../../others.ts";
import { openly, privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const MIRROR = "mirror.example.com";
const FILE = fileFor("quay.io");
const probe = { probe: { registries: { "quay.io": "quay.io/team/tool:1" } } };
const never = {
  source: "quay.io/team",
  mirrors: [`${MIRROR}/team`],
  mirrorSourcePolicy: "NeverContactSource",
} as const;
const first = "puller:canary-of-spring";
const second = "puller:canary-of-autumn";

const basic = (credential: string): string => `Authorization = "Basic ${Buffer.from(credential).toString("base64")}"`;
const textOn = (node = web): string => diskOfNode(here, node).text(FILE) ?? "";
const accessOn = (node = web) => diskOfNode(here, node).file(FILE)?.access;
const updated = (times: number) => here.until(() => said(here, "3 nodes updated") === times, 60, "the change");
const failedRuns = async () => (await reconciles(here)).filter(({ status }) => status === "failed").length;
const demand = (credential: string): void => here.simulator.registries.declare(MIRROR, { credential });

/** A cluster whose nodes pull from a private mirror alone, with the first password. */
async function startPrivately(): Promise<void> {
  here = await startMirroring(probe);
  demand(first);
  await storeCredentials(here, { [MIRROR]: first, "spare.example.com": "nobody:canary-spare" });
  await createSet(here, "tag", "team", never);
  await updated(1);
}

test("nodes sign in to a private mirror, and the password is on their disks alone", async () => {
  await startPrivately();
  for (const node of nodes) expect(textOn(node).split(basic(first))).toHaveLength(3);
  expect(nodes.map(accessOn)).toEqual(["system", "system", "system"]);
  expect(openly(here).at(-1)).toContain("quay.io/team/tool:1.");
  expect(asked(here, "quay.io")).toEqual([]);
  await here.type("operator", "/win mirrors");
  await here.pass(1);
  const answer = privately(here, "operator").at(-1);
  expect(answer).toContain(`with credentials for \`${MIRROR}\``);
  expect(answer).toContain("No node uses the credentials of `spare.example.com`");
  await here.type("operator", "/win mirrors quay.io");
  await here.type("operator", "/win reconcile --dry-run");
  await here.pass(2);
  await expectSound(here);
});

test("a private mirror without a stored credential proves nothing; once one is stored, the nodes sign in within minutes", async () => {
  here = await startMirroring(probe);
  demand(first);
  await createSet(here, "tag", "team", never);
  await updated(1);
  expect(openly(here).at(-1)).toContain("Not proven for quay.io: the registry wants a credential");
  await storeCredentials(here, { [MIRROR]: first });
  await updated(2);
  for (const node of nodes) expect(textOn(node)).toContain(basic(first));
  expect(openly(here).at(-1)).toContain("quay.io/team/tool:1.");
  await expectSound(here);
});

test("a new password reaches the nodes within minutes, one node first", async () => {
  await startPrivately();
  demand(second);
  await storeCredentials(here, { [MIRROR]: second });
  await updated(2);
  for (const node of nodes) expect(textOn(node)).toContain(basic(second));
  await here.pass(30);
  expect(await reconciles(here)).toHaveLength(2);
  await expectSound(here);
});

test("a wrong password stops at the first node, which gets the one before back", async () => {
  await startPrivately();
  const before = nodes.map((node) => filesOn(here, node));
  await storeCredentials(here, { [MIRROR]: second });
  await here.until(async () => (await failedRuns()) === 1, 60, "the refusal");
  expect(nodes.map((node) => filesOn(here, node))).toEqual(before);
  await here.pass(60);
  expect(paged(here).filter((one) => /authorization failed/.test(one))).toHaveLength(1);
  expect(openly(here).at(-1)).toContain("npm run connect -- registries");
  expect(await failedRuns()).toBe(1);
  demand(second);
  expect(await requested(here)).toMatchObject({ status: "succeeded" });
  for (const node of nodes) expect(textOn(node)).toContain(basic(second));
  await expectSound(here);
});

test("a new node has the credentials before its containerd starts", async () => {
  await startPrivately();
  await here.type("operator", "/win add web");
  const file = () => here.simulator.machines.describe(launchedId(here))?.files.find(({ path }) => path === FILE);
  await here.until(() => file() !== undefined, 60, "the file");
  const { services = [] } = here.simulator.machines.describe(launchedId(here)) ?? {};
  expect(services.find(({ name }) => name === "containerd")?.state).not.toBe("Running");
  expect(file()?.sha256).toBe(filesOn(here, web)["quay.io\\hosts.toml"]);
  await settled(here);
  expect(await reconciles(here)).toHaveLength(1);
  await expectSound(here);
});

test("a removed credential leaves the files without it, for everyone to read", async () => {
  await startPrivately();
  here.simulator.registries.declare(MIRROR);
  await storeCredentials(here, {});
  await updated(2);
  expect(textOn()).not.toContain("Basic");
  expect(nodes.map(accessOn)).toEqual(["inherited", "inherited", "inherited"]);
  await expectSound(here);
});

test("a removed mirror set takes the files with credentials along", async () => {
  await startPrivately();
  await deleteSet(here, "tag", "team");
  expect(await requested(here)).toMatchObject({ status: "succeeded" });
  expect(nodes.map((node) => filesOn(here, node))).toEqual([{}, {}, {}]);
});

test("a host that the description names and the value does not changes no node", async () => {
  await startPrivately();
  const before = nodes.map((node) => filesOn(here, node));
  here.simulator.secrets.seed(registriesSecret(demo.cluster.name), "{}");
  await here.until(async () => (await failedRuns()) === 1, 60, "the failure");
  expect(nodes.map((node) => filesOn(here, node))).toEqual(before);
  expect(openly(here).at(-1)).toContain(`the secret has no field ${MIRROR}`);
});

test("without the secret no node is changed, and people are called", async () => {
  await startPrivately();
  const before = nodes.map((node) => filesOn(here, node));
  here.simulator.secrets.unseed(registriesSecret(demo.cluster.name));
  await here.until(
    () => paged(here).some((one) => one.includes("casement/prod-west/registries is missing")),
    30,
    "call",
  );
  expect(nodes.map((node) => filesOn(here, node))).toEqual(before);
  expect(await reconciles(here)).toHaveLength(1);
});
