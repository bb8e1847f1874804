import { afterEach, expect, test } from "vitest";
import { expectSound } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import { poolsWith } from "../../maintenance.ts";
import { createSet, editSet, filesOn, nodes, reconciles, requested, said, startMirroring } from "../../mirroring.ts";
import { openly, privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const base = { source: "registry.example.com/base", mirrors: ["mirror.example.com/base"] };
const never = { ...base, mirrorSourcePolicy: "NeverContactSource" } as const;
const hub = { source: "docker.io", mirrors: ["mirror.example.com/hub"] };

const files = () => nodes.map((node) => Object.keys(filesOn(here, node)).toSorted());
const BOTH = nodes.map(() => ["docker.io\\hosts.toml", "registry.example.com\\hosts.toml"]);

/** The demo's pods on Windows nodes use images of registry.example.com/shop. */
test("a set that would cut off images in use is asked for with those images; the others change, and reconcile accepts it", async () => {
  here = await startMirroring();
  await createSet(here, "tag", "base", never);
  await createSet(here, "tag", "hub", hub);
  await here.until(() => said(here, "3 nodes updated") === 1, 12, "the other registry");
  await here.pass(11);
  expect(files()).toEqual(nodes.map(() => ["docker.io\\hosts.toml"]));
  const remarks = openly(here).filter((one) => one.includes("must not be contacted"));
  expect(remarks).toHaveLength(1);
  expect(remarks[0]).toContain("registry.example.com/shop/storefront:1.4");
  expect(remarks[0]).toContain("or type /win reconcile to forbid the registry all the same");
  const { said: list } = await look(here, "/win mirrors");
  expect(list).toContain("❓ `registry.example.com` → ");
  expect(list).toContain("storefront:1.4");
  expect(list).toContain("or type /win reconcile to forbid the registry all the same");
  await here.type("operator", "/win reconcile --dry-run");
  await here.pass(2);
  expect(privately(here, "operator").at(-1)).toContain("3 nodes would be changed");
  await here.pass(6);
  expect(files()).toEqual(nodes.map(() => ["docker.io\\hosts.toml"]));
  expect(await requested(here)).toMatchObject({
    status: "succeeded",
    summary: expect.stringContaining("3 nodes updated."),
  });
  expect(files()).toEqual(BOTH);
  await here.pass(11);
  const changes = (await reconciles(here)).filter(({ request }) => request.command === "reconcile" && !request.dryRun);
  expect(changes).toHaveLength(2);
  await expectSound(here);
});

test("a person who may not reconcile every pool accepts no consequence: it would hold for the others too", async () => {
  const pools = poolsWith({});
  const batch = { ...pools.web, policy: { reconcile: ["approver"] } };
  here = await startMirroring({ pools: { ...pools, batch } });
  await createSet(here, "tag", "base", never);
  await here.until(() => said(here, "must not be contacted") === 1, 12, "the question");
  for (const words of ["/win reconcile web", "/win reconcile"]) {
    await here.type("operator", words);
    await here.pass(22);
    expect(files()).toEqual(nodes.map(() => []));
  }
  expect(privately(here, "operator").filter((one) => one.includes("accepting it holds for every pool"))).toHaveLength(
    2,
  );
  const { said: list } = await look(here, "/win mirrors");
  expect(list).toContain("❓ `registry.example.com` → ");
});

test("a set that would cut off images in use is written once it allows the source", async () => {
  here = await startMirroring();
  await createSet(here, "tag", "base", never);
  await createSet(here, "tag", "hub", hub);
  await here.until(() => said(here, "3 nodes updated") === 1, 12, "the other registry");
  await editSet(here, "tag", "base", base);
  await here.until(() => said(here, "3 nodes updated") === 2, 12, "the edited set");
  expect(files()).toEqual(BOTH);
});
