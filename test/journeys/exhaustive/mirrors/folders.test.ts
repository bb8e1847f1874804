import { afterEach, expect, test } from "vitest";
import { expectSound, heldBack } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import {
  createSet,
  deleteSet,
  diskOfNode,
  fileFor,
  filesOn,
  paged,
  reconciles,
  requested,
  said,
  startMirroring,
} from "../../mirroring.ts";
import { batch, otherWeb, type SeedNode, web } from "../../others.ts";
import { endFault, injectFault } from "../../outside.ts";
import { openly } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const quay = { source: "quay.io/team", mirrors: ["mirror.example.com/team"] };
const hub = { source: "docker.io", mirrors: ["mirror.example.com/hub"] };
const FOLDER = fileFor("quay.io").replace("\\hosts.toml", "");
const BOTH = ["docker.io\\hosts.toml", "quay.io\\hosts.toml"];

const ended = (times: number) => here.until(() => said(here, "*Registry mirrors*") === times, 60, "the end");
const namesOn = (node: SeedNode) => Object.keys(filesOn(here, node)).toSorted();

/** A person writes a file into the folder of quay.io on a node. */
const writeOn = (node: SeedNode, name: string) =>
  diskOfNode(here, node).write(`${FOLDER}\\${name}`, Buffer.from('server = "https://quay.io"\n'));

test.for([
  ["hosts.toml", /Casement did not write the content of C:\\k\\containerd\\registries\\quay\.io\\hosts\.toml/],
  ["notes.txt", /the folder C:\\k\\containerd\\registries\\quay\.io holds what Casement did not write: notes\.txt/],
] as const)(
  "a person's %s in a registry's folder of the first node stops the change, and stays as it is",
  async ([name, why]) => {
    here = await startMirroring();
    const { sha256 } = writeOn(otherWeb, name);
    await createSet(here, "tag", "two", quay, hub);
    await ended(1);
    await here.pass(21);
    expect(openly(here).at(-1)).toMatch(why);
    expect(openly(here).at(-1)).toContain("2 nodes not touched, because the first one failed");
    // docker.io's file was written before the script stopped.
    expect(openly(here).at(-1)).toContain("what was there before is back");
    expect(namesOn(otherWeb)).toEqual([`quay.io\\${name}`]);
    expect(filesOn(here, otherWeb)[`quay.io\\${name}`]).toBe(sha256);
    expect([web, batch].map(namesOn)).toEqual([[], []]);
    expect(await reconciles(here)).toHaveLength(1);
    expect(paged(here)).toEqual([expect.stringContaining("C:/k/containerd/registries/quay.io")]);
    // The node that failed comes last, so that the others do not wait for it.
    expect(await requested(here)).toMatchObject({
      status: "failed",
      summary: expect.stringContaining("2 nodes updated, 1 node failed."),
    });
    expect([web, batch].map(namesOn)).toEqual([BOTH, BOTH]);
    expect(filesOn(here, otherWeb)[`quay.io\\${name}`]).toBe(sha256);
    diskOfNode(here, otherWeb).remove(`${FOLDER}\\${name}`);
    expect(await requested(here)).toMatchObject({ status: "succeeded" });
    expect(namesOn(otherWeb)).toEqual(BOTH);
    expect(filesOn(here, otherWeb)).toEqual(filesOn(here, web));
    expect(await heldBack(here)).toEqual([]);
    await expectSound(here);
  },
);

test("a person's file on a later node fails that node alone, and the schedule takes it within an hour once the file is gone", async () => {
  here = await startMirroring();
  writeOn(batch, "hosts.toml");
  await createSet(here, "tag", "two", quay, hub);
  await ended(1);
  expect(openly(here).at(-1)).toMatch(/2 nodes updated, 1 node failed/);
  expect([web, otherWeb].map(namesOn)).toEqual([BOTH, BOTH]);
  diskOfNode(here, batch).remove(fileFor("quay.io"));
  await here.until(() => said(here, "1 node updated") === 1, 70, "the node");
  expect(filesOn(here, batch)).toEqual(filesOn(here, web));
});

test("a person's file beside Casement's keeps the folder when the set is removed", async () => {
  here = await startMirroring();
  await createSet(here, "tag", "quay", quay);
  await createSet(here, "tag", "hub", hub);
  await ended(1);
  writeOn(web, "notes.txt");
  await deleteSet(here, "tag", "quay");
  await ended(2);
  expect(openly(here).at(-1)).toContain("3 nodes updated");
  expect(namesOn(web)).toEqual(["docker.io\\hosts.toml", "quay.io\\notes.txt"]);
  expect(namesOn(batch)).toEqual(["docker.io\\hosts.toml"]);
  await expectSound(here);
});

test("a full disk on a later node: the others change, the message names the failure, and the node is not tried at each tick", async () => {
  here = await startMirroring();
  const full = injectFault(here, "disk-full", { instanceId: batch.instanceId });
  await createSet(here, "tag", "two", quay, hub);
  await ended(1);
  expect([web, otherWeb].map(namesOn)).toEqual([BOTH, BOTH]);
  expect(namesOn(batch)).toEqual([]);
  const message = openly(here).at(-1) ?? "";
  expect(message).toMatch(/2 nodes updated, 1 node failed/);
  expect(message).toContain(`\`${batch.name}\` failed: `);
  expect(message).toContain("There is not enough space on the disk");
  await here.pass(50);
  const others = openly(here).filter((text) => text !== message);
  expect(others).toEqual([expect.stringContaining("The system drive has less than 10 GB free")]);
  expect(paged(here)).toHaveLength(1);
  endFault(here, full);
  expect(await requested(here)).toMatchObject({
    status: "succeeded",
    summary: expect.stringContaining("1 node updated."),
  });
  expect(namesOn(batch)).toEqual(BOTH);
});
