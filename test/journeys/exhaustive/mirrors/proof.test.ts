import { afterEach, expect, test } from "vitest";
import { expectSound, heldBack } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import {
  asked,
  commandsOf,
  createSet,
  deleteSet,
  editSet,
  filesOn,
  nodes,
  ownPods,
  paged,
  reconciles,
  said,
  startMirroring,
} from "../../mirroring.ts";
import { kubectl, podOn, web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { openly } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const MIRROR = "mirror.example.com";
const probe = { probe: { registries: { "quay.io": "quay.io/team/tool:1" } } };
const allow = { source: "quay.io/team", mirrors: [`${MIRROR}/team`] };
const never = { ...allow, mirrorSourcePolicy: "NeverContactSource" } as const;
const hub = { source: "docker.io/library", mirrors: [`${MIRROR}/library`] };

const files = () => nodes.map((node) => filesOn(here, node));
const ended = (times: number) => here.until(() => said(here, "Registry mirrors") === times, 60, "the end");

test("the first node pulls the configured image of the changed registry by a pod, from the mirror alone", async () => {
  here = await startMirroring(probe);
  await createSet(here, "tag", "team", never);
  await ended(1);
  const [operation] = await reconciles(here);
  const [first] = await here.nodes(operation?.id ?? "");
  expect(new Set(asked(here, MIRROR))).toEqual(new Set([first?.instanceId]));
  expect(asked(here, "quay.io")).toEqual([]);
  expect(openly(here).at(-1)).toContain(`Pulled on ${first?.nodeName}: quay.io/team/tool:1.`);
  expect(ownPods(here)).toEqual([]);
  await expectSound(here);
});

test("without a configured image no image is pulled, not even one that a pod on the node uses, and that is said", async () => {
  here = await startMirroring();
  for (const node of nodes) here.simulator.kubernetes.create(podOn(node, `tool-${node.instanceId.slice(-4)}`));
  await here.pass(1);
  const shop = { source: "registry.example.com/shop", mirrors: [`${MIRROR}/shop`] };
  await createSet(here, "tag", "shop", shop, allow);
  await ended(1);
  const message = openly(here).at(-1) ?? "";
  expect(message).not.toContain("Pulled on");
  expect(message).toMatch(/Not proven for [^:]*quay\.io[^:]*: no image to pull is known/);
  expect(message).toMatch(/Not proven for [^:]*registry\.example\.com[^:]*: no image to pull is known/);
  expect(asked(here, MIRROR)).toEqual([]);
  expect(ownPods(here)).toEqual([]);
});

const PAUSE = "mcr.microsoft.com/oss/kubernetes/pause:3.9";
const microsoft = {
  source: "mcr.microsoft.com",
  mirrors: [`${MIRROR}/mcr`],
  mirrorSourcePolicy: "NeverContactSource",
} as const;

test("where the registry of the pause image changes, the first node pulls it besides the configured image", async () => {
  const servercore = "mcr.microsoft.com/windows/servercore:ltsc2022";
  here = await startMirroring({ probe: { registries: { "mcr.microsoft.com": servercore } } });
  await createSet(here, "tag", "mcr", microsoft);
  await ended(1);
  expect(openly(here).at(-1)).toContain(PAUSE);
  expect(openly(here).at(-1)).toContain(servercore);
  expect(asked(here, "mcr.microsoft.com")).toEqual([]);
  expect(ownPods(here)).toEqual([]);
  await expectSound(here);
});

test("a mirror that lacks the pause image stops at the first node", async () => {
  here = await startMirroring();
  here.simulator.registries.declare(MIRROR, { repositories: ["mcr/windows/servercore"] });
  await createSet(here, "tag", "mcr", microsoft);
  await ended(1);
  expect(openly(here).at(-1)).toContain(`${PAUSE} could not be pulled`);
  expect(files()).toEqual([{}, {}, {}]);
  expect(await heldBack(here)).toEqual([]);
});

test("only registries whose file changes are pulled from", async () => {
  here = await startMirroring({ probe: { registries: { ...probe.probe.registries, "docker.io": "library/tool:1" } } });
  await createSet(here, "tag", "team", never);
  await ended(1);
  const down = injectFault(here, "registry-down", { host: MIRROR });
  const before = asked(here, MIRROR).length;
  await createSet(here, "tag", "hub", hub);
  await ended(2);
  expect(openly(here).at(-1)).toMatch(/3 nodes updated[\s\S]*Pulled on \S+: library\/tool:1\./);
  expect(asked(here, MIRROR).slice(before)).not.toEqual([]);
  endFault(here, down);
});

const wrong = [
  ["does not have the image", () => here.simulator.registries.declare(MIRROR, { repositories: [] }), /not found/],
  ["is down", () => injectFault(here, "registry-down", { host: MIRROR }), /actively refused it/],
  ["denies every request", () => injectFault(here, "registry-denies", { host: MIRROR }), /403 Forbidden/],
  ["never answers", () => injectFault(here, "registry-hangs", { host: MIRROR }), /the pull did not end in time/],
] as const;

test.for(wrong)(
  "a mirror that %s, and no source: the first node gets back what it had, the others keep it",
  async ([, happens, why]) => {
    here = await startMirroring(probe);
    await createSet(here, "tag", "hub", hub);
    await ended(1);
    const before = files();
    expect(before.map(Object.keys)).toEqual(nodes.map(() => ["docker.io\\hosts.toml"]));
    happens();
    await createSet(here, "tag", "team", never);
    await ended(2);
    await here.pass(2);
    expect(files()).toEqual(before);
    expect(openly(here).at(-1)).toMatch(why);
    expect(openly(here).at(-1)).toMatch(/1 node failed, 2 nodes not touched[\s\S]*what was there before is back/);
    const [operation] = await reconciles(here);
    expect(operation?.status).toBe("failed");
    // The change, and the way back.
    expect(commandsOf(here, operation?.id ?? "")).toEqual([1, 1]);
    expect(paged(here).filter((one) => why.test(one))).toHaveLength(1);
    expect(asked(here, "quay.io")).toEqual([]);
    expect(ownPods(here)).toEqual([]);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  },
);

test("a content that failed is not tried again for hours, but at once when a person asks for it", async () => {
  here = await startMirroring(probe);
  const down = injectFault(here, "registry-down", { host: MIRROR });
  await createSet(here, "tag", "team", never);
  await ended(1);
  await here.pass(2 * 60);
  expect(await reconciles(here)).toHaveLength(1);
  expect(paged(here)).toHaveLength(1);
  await here.type("operator", "/win reconcile");
  await here.until(async () => (await reconciles(here))[0]?.endedAt !== null, 30, "the second failure");
  expect((await reconciles(here)).map(({ status }) => status)).toEqual(["failed", "failed"]);
  endFault(here, down);
  await here.type("operator", "/win reconcile");
  await here.until(() => said(here, "3 nodes updated") > 0, 30, "the change");
  expect(new Set(files().map((one) => one["quay.io\\hosts.toml"]))).toHaveProperty("size", 1);
  await expectSound(here);
});

test("an edited set is tried at once after a content that failed", async () => {
  here = await startMirroring(probe);
  here.simulator.registries.declare(MIRROR, { repositories: ["right/team/tool"] });
  await createSet(here, "tag", "team", never);
  await ended(1);
  expect(files()).toEqual([{}, {}, {}]);
  await editSet(here, "tag", "team", { ...never, mirrors: [`${MIRROR}/right/team`] });
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "the change");
  expect(files().map(Object.keys)).toEqual(nodes.map(() => ["quay.io\\hosts.toml"]));
});

test("a mirror that is down does no harm where the source may be asked", async () => {
  here = await startMirroring(probe);
  injectFault(here, "registry-down", { host: MIRROR });
  await createSet(here, "tag", "team", allow);
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "the change");
  expect(asked(here, "quay.io").length).toBeGreaterThan(0);
});

test("a pod of the proof that an administrator deletes leaves the registry unproven, and the change goes on", async () => {
  here = await startMirroring(probe);
  injectFault(here, "registry-hangs", { host: MIRROR });
  await createSet(here, "tag", "team", never);
  await here.until(() => ownPods(here).length === 1, 20, "the pod of the proof");
  await kubectl(here, "DELETE", `/api/v1/namespaces/casement/pods/${ownPods(here)[0]}?gracePeriodSeconds=0`);
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "the change");
  expect(openly(here).at(-1)).toContain("Not proven for quay.io: its pod was deleted by others.");
  expect(filesOn(here, web)).toHaveProperty(["quay.io\\hosts.toml"]);
});

test.for(["edited", "taken back"] as const)(
  "a set that is %s while the first node is proven reaches no other node in its old form",
  async (how) => {
    here = await startMirroring(probe);
    await createSet(here, "tag", "hub", hub);
    await ended(1);
    const had = files();
    await createSet(here, "tag", "team", allow);
    const QUAY = "quay.io\\hosts.toml";
    let old: string | undefined;
    const withOld = () => {
      const found = files().flatMap((one) => one[QUAY] ?? []);
      old ??= found[0];
      return found.filter((one) => one === old).length;
    };
    await here.until(() => withOld() === 1, 12, "the first node's file");
    if (how === "edited") await editSet(here, "tag", "team", { ...allow, mirrors: ["other.example.com/team"] });
    else await deleteSet(here, "tag", "team");
    let most = 0;
    await here.until(
      () => {
        most = Math.max(most, withOld());
        return said(here, "Registry mirrors") === 3;
      },
      60,
      "the next change",
    );
    expect(most).toBe(1);
    expect(
      openly(here).some((one) => one.includes("2 nodes not touched, because the cluster wants something else by now")),
    ).toBe(true);
    if (how === "taken back") expect(files()).toEqual(had);
    expect(withOld()).toBe(0);
    expect(paged(here)).toEqual([]);
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  },
);
