import { afterEach, expect, test } from "vitest";
import { expectSound } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import {
  createSet,
  deleteSet,
  editSet,
  filesOn,
  nodes,
  paged,
  reconciles,
  said,
  startMirroring,
} from "../../mirroring.ts";
import { edge } from "../../others.ts";
import { openly } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const MIRROR = "mirror.example.com";
const quay = { source: "quay.io/team", mirrors: [`${MIRROR}/team`] };
const hub = { source: "docker.io", mirrors: [`${MIRROR}/hub`] };
const never = { ...quay, mirrorSourcePolicy: "NeverContactSource" } as const;

const files = () => nodes.map((node) => filesOn(here, node));
const hashes = (registry: string) => files().map((one) => one[`${registry}\\hosts.toml`]);
const updated = (times: number) => here.until(() => said(here, "3 nodes updated") === times, 30, "the change");

test("two sets that differ about one source: the one that forbids wins, and once it is gone the other holds again", async () => {
  here = await startMirroring();
  await createSet(here, "digest", "allows", { ...quay, mirrorSourcePolicy: "AllowContactingSource" });
  await updated(1);
  const allowed = hashes("quay.io");
  await createSet(here, "tag", "forbids", never);
  await updated(2);
  const { said: forbidden } = await look(here, "/win mirrors quay.io");
  expect(forbidden).toMatch(/✅ `quay\.io` → `mirror\.example\.com`, never the registry itself · on all 3 nodes/);
  expect(forbidden).toContain("From `ImageDigestMirrorSet/allows`, `ImageTagMirrorSet/forbids`.");
  expect(forbidden).not.toContain(edge.name);
  await deleteSet(here, "tag", "forbids");
  await updated(3);
  expect(hashes("quay.io")).toEqual(allowed);
  expect((await look(here, "/win mirrors quay.io")).said).toContain("then the registry itself · on all 3 nodes");
  await expectSound(here);
});

/** A set that the API server takes, and containerd cannot express. */
const wrong = { ...quay, mirrors: [`${MIRROR}/other`] };

test("a mirror that does not end in the source's path is named once with its set; its registry keeps the file, and the others change", async () => {
  here = await startMirroring();
  await createSet(here, "digest", "team", quay);
  await updated(1);
  const before = hashes("quay.io");
  await editSet(here, "digest", "team", wrong);
  await createSet(here, "tag", "hub", hub);
  await updated(2);
  await here.pass(11);
  expect(hashes("quay.io")).toEqual(before);
  expect(new Set(hashes("docker.io"))).toHaveProperty("size", 1);
  const remarks = openly(here).filter((one) => one.includes("ImageDigestMirrorSet/team"));
  expect(remarks).toEqual([
    expect.stringMatching(/mirror\.example\.com\/other, mirror of .* end in the source's path/),
  ]);
  expect(remarks[0]).toContain("Nodes keep the file of quay.io if they have one.");
  expect((await look(here, "/win mirrors quay.io")).said).toContain("does not end in the source's path");
  expect(paged(here)).toEqual([]);
  expect(await reconciles(here)).toHaveLength(2);
  await expectSound(here);
});

test("a file that nodes kept because of a malformed set goes once that set is gone", async () => {
  here = await startMirroring();
  await createSet(here, "digest", "team", quay);
  await createSet(here, "tag", "hub", hub);
  await updated(1);
  await editSet(here, "digest", "team", wrong);
  await here.until(() => said(here, "attention needed") === 1, 12, "the remark");
  await here.pass(6);
  expect(files().map((one) => Object.keys(one).length)).toEqual([2, 2, 2]);
  expect(await reconciles(here)).toHaveLength(1);
  await deleteSet(here, "digest", "team");
  await updated(2);
  expect(files().map(Object.keys)).toEqual(nodes.map(() => ["docker.io\\hosts.toml"]));
  await here.pass(11);
  expect(await reconciles(here)).toHaveLength(2);
});

test("a malformed set that is mended reaches the nodes", async () => {
  here = await startMirroring();
  await createSet(here, "digest", "team", wrong);
  await here.until(() => said(here, "attention needed") === 1, 12, "the remark");
  expect(files()).toEqual([{}, {}, {}]);
  await editSet(here, "digest", "team", quay);
  await updated(1);
  expect(files().map(Object.keys)).toEqual(nodes.map(() => ["quay.io\\hosts.toml"]));
});

test("a wildcard is named, and changes no file of the registries that it covers", async () => {
  here = await startMirroring();
  await createSet(here, "digest", "team", quay);
  await updated(1);
  await createSet(here, "tag", "all", { source: "*.io", mirrors: [MIRROR] });
  await here.until(() => said(here, "ImageTagMirrorSet/all") === 1, 12, "the remark");
  await here.pass(6);
  expect(openly(here).at(-1)).toMatch(/\*\.io cannot be expressed for containerd: it is a wildcard/);
  expect(files().map(Object.keys)).toEqual(nodes.map(() => ["quay.io\\hosts.toml"]));
});
