import { afterEach, expect, test } from "vitest";
import { permissionsFor } from "../../../lib/role-permissions.ts";
import { access } from "../../../lib/sandbox/aws/access.ts";
import { ecr } from "../../../lib/sandbox/aws/ecr.ts";
import { imageRegistry } from "../../../lib/sandbox/aws/image-registry.ts";
import { openStore } from "../../../lib/sandbox/core/store.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { place } from "../../../lib/sandbox/demo-account.ts";
import { registries } from "../../../lib/sandbox/registries/registries.ts";
import { instance, manualSimulation } from "../machine/fixture.ts";
import { type ManualClock, manualClock } from "../manual-clock.ts";

const facts = instance(1);
const store = openStore(":memory:");
const simulation = manualSimulation(manualClock(), store);
afterEach(() => {
  for (const { id } of simulation.faults.inForce()) simulation.faults.end(id);
});

const head = (url: string, header: Record<string, readonly string[]> = {}) => ({
  method: "HEAD" as const,
  url,
  header,
});

test("a copy in a mirror has the digest of its source", () => {
  const all = registries(simulation);
  all.declare("mirror.example");
  const source = all.answer(head("https://src.example/v2/team/app/manifests/v1"), "i-1");
  expect(source).toMatchObject({ status: 200, content: { digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) } });
  expect(all.answer(head("https://mirror.example/v2/hub/team/app/manifests/v1?ns=src.example"), "i-1")).toEqual(source);
});

test("a declared registry is still known after a restart", () => {
  registries(simulation).declare("kept.example:5000");
  const again = registries(manualSimulation(manualClock(), store));
  expect(again.answer(head("https://kept.example:5000/v2/a/manifests/v1?ns=b"), "i-1")).toMatchObject({ status: 200 });
});

test("every fault of a registry has a sentence, and hits its host alone", () => {
  const all = registries(simulation);
  const kinds = simulation.faults.kinds().filter(({ kind }) => kind.startsWith("registry-"));
  expect(kinds.map(({ kind, sentence }) => `${kind}: ${sentence}`)).toEqual([
    "registry-down: A registry refuses every connection.",
    "registry-hangs: A registry accepts a request and never answers it.",
    "registry-denies: A registry answers every request with 403 Forbidden.",
  ]);
  simulation.faults.inject("registry-denies", { host: "a.example" });
  expect(all.answer(head("https://a.example/v2/x/manifests/v1"), "i-1")).toEqual({ status: 403 });
  expect(all.answer(head("https://b.example/v2/x/manifests/v1"), "i-1")).toMatchObject({ status: 200 });
});

const target = "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken";

/** A registry of ECR, with a password of the node's role for a region. */
async function ownRegistry(clock: ManualClock) {
  const now = manualSimulation(clock, openStore(":memory:"));
  const rights = access({ ...demo, permissions: { node: permissionsFor(place).node }, rolePrefix: "casement" });
  const cloud = { instance: () => facts, instances: () => [facts], shutDownByGuest: () => undefined };
  const passwords = ecr(now, demo);
  const all = registries(now, imageRegistry({ simulation: now, access: rights, cloud, passwords }));
  const host = `${demo.accountId}.dkr.ecr.${demo.region}.amazonaws.com`;
  all.declare(host);
  const tokenOf = async (region: string): Promise<string> => {
    const headers = { "x-amz-target": target, authorization: `Credential=x/20261126/${region}/ecr/aws4_request` };
    const request = { method: "POST", url: "/", headers, body: Buffer.from("{}") };
    const { body } = await passwords.service.answer("GetAuthorizationToken", request, rights.callerFor("instance/i-1"));
    return JSON.parse(String(body)).authorizationData[0].authorizationToken;
  };
  const asked = (repository: string, token: string) =>
    all.answer(
      head(`https://${host}/v2/${repository}/manifests/v1?ns=docker.io`, { Authorization: [`Basic ${token}`] }),
      facts.instanceId,
    );
  return { tokenOf, asked };
}

test("a password of ECR opens the registries of its region for twelve hours", async () => {
  const clock = manualClock();
  const { tokenOf, asked } = await ownRegistry(clock);
  const token = await tokenOf(demo.region);
  expect(asked("hub/nginx", token)).toMatchObject({ status: 200 });
  expect(asked("hub/nginx", await tokenOf("eu-west-1"))).toEqual({ status: 401, demandsPassword: true });
  await clock.advance(12 * 3_600_000);
  expect(asked("hub/nginx", token)).toEqual({ status: 403 });
});

test("a cache is filled only where the role may create its repositories", async () => {
  const { tokenOf, asked } = await ownRegistry(manualClock());
  const token = await tokenOf(demo.region);
  expect(asked("hub/nginx", token)).toMatchObject({ status: 200 });
  expect(asked("other/nginx", token)).toEqual({ status: 403 });
});

test.for([`${demo.accountId}.dkr.ecr.${demo.region}.amazonaws.com`, `${demo.accountId}.dkr-ecr.${demo.region}.on.aws`])(
  "%s as a mirror wants a token in hosts.toml, because the kubelet's credentials are the source's",
  (host) => {
    const permissions = { node: permissionsFor(place).node };
    const { accountId, region } = demo;
    const rights = access({ accountId, region, permissions, rolePrefix: "casement" });
    const cloud = { instance: () => facts, instances: () => [facts], shutDownByGuest: () => undefined };
    const passwords = ecr(simulation, demo);
    const all = registries(simulation, imageRegistry({ simulation, access: rights, cloud, passwords }));
    all.declare(host);
    const answer = (query: string, header = {}) =>
      all.answer(head(`https://${host}/v2/hub/nginx/manifests/v1${query}`, header), facts.instanceId);
    expect(answer("")).toMatchObject({ status: 200 });
    expect(answer("?ns=docker.io")).toEqual({ status: 401, demandsPassword: true });
    expect(answer("?ns=docker.io", { Authorization: ["Basic QVdTOnQ="] })).toEqual({
      status: 401,
      demandsPassword: true,
    });
  },
);
