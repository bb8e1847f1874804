import { afterEach, expect, test } from "vitest";
import { expectSound } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import {
  commandsOf,
  createSet,
  deleteSet,
  editSet,
  filesOn,
  reconciles,
  said,
  startMirroring,
} from "../../mirroring.ts";
import { batch, edge, otherWeb, web } from "../../others.ts";
import { privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const nodes = [web, otherWeb, batch] as const;
const quay = { source: "quay.io/team", mirrors: ["mirror.example.com/team"] };
const redhat = {
  source: "registry.redhat.io",
  mirrors: ["mirror.example.com/redhat"],
  mirrorSourcePolicy: "NeverContactSource",
} as const;

test("a mirror set reaches every node that Casement manages, one node first, without a reboot", async () => {
  here = await startMirroring();
  await createSet(here, "digest", "team", quay, redhat);
  await here.until(() => said(here, "Registry mirrors") === 1, 30, "the end");
  expect(said(here, "3 nodes updated")).toBe(1);
  const [operation] = await reconciles(here);
  expect(operation).toMatchObject({ status: "succeeded", origin: { by: "rule", rule: "mirrors" } });
  expect(commandsOf(here, operation?.id ?? "")).toEqual([1, 2]);
  for (const node of nodes)
    expect(Object.keys(filesOn(here, node)).toSorted()).toEqual([
      "quay.io\\hosts.toml",
      "registry.redhat.io\\hosts.toml",
    ]);
  expect(filesOn(here, edge)).toEqual({});
  await here.pass(20);
  expect(await reconciles(here)).toHaveLength(1);
  await here.type("operator", "/win mirrors");
  await here.pass(1);
  expect(privately(here, "operator").at(-1)).toContain("registry.redhat.io");
  await expectSound(here);
});

test("an edited set changes the file, and a removed set takes it back", async () => {
  here = await startMirroring();
  await createSet(here, "digest", "team", quay);
  await createSet(here, "tag", "hub", { source: "docker.io", mirrors: ["mirror.example.com/hub"] });
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "the first change");
  const before = filesOn(here, web);
  await editSet(here, "digest", "team", { ...quay, mirrorSourcePolicy: "NeverContactSource" });
  await here.until(() => said(here, "3 nodes updated") === 2, 30, "the second change");
  expect(filesOn(here, web)["quay.io\\hosts.toml"]).not.toBe(before["quay.io\\hosts.toml"]);
  expect(filesOn(here, web)["docker.io\\hosts.toml"]).toBe(before["docker.io\\hosts.toml"]);
  await deleteSet(here, "digest", "team");
  await here.until(() => said(here, "3 nodes updated") === 3, 30, "the third change");
  for (const node of nodes) expect(Object.keys(filesOn(here, node))).toEqual(["docker.io\\hosts.toml"]);
  await expectSound(here);
});
