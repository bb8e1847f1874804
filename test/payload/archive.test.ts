import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { pack } from "tar-stream";
import { beforeEach, expect, test } from "vitest";
import { ARCHIVE_LIMITS, unpack } from "../../bin/payload/archive.ts";
import { tarOf } from "../../lib/sandbox/publishers/images.ts";
import { emptyFolder } from "./stand-in-network.ts";

let folder: string;
let target: string;
const PATH = "bin/containerd.exe";

beforeEach(() => {
  folder = emptyFolder();
  target = join(folder, "containerd.exe");
});

const taken = (archive: Uint8Array, limits = ARCHIVE_LIMITS) => {
  writeFileSync(join(folder, "archive"), archive);
  return unpack(join(folder, "archive"), new Map([[PATH, target]]), limits);
};

/** An archive with one entry beside the wanted file. */
async function withEntry(header: { name: string; type?: string; linkname?: string; size?: number }, content = "") {
  const archive = pack();
  archive.entry(header, content);
  archive.finalize();
  return buffer(archive);
}

test.each([
  ["plain", (tar: Buffer) => tar],
  ["gzip", gzipSync],
  ["zstd", zstdCompressSync],
] as const)("a file is taken out of a %s archive", async (_, compress) => {
  const tar = await tarOf({ "README.md": "read me", [`./${PATH}`]: "a program" });
  expect(await taken(compress(tar))).toEqual(new Set([PATH]));
  expect(readFileSync(target, "utf8")).toBe("a program");
});

test("a file that the archive lacks is not made", async () => {
  expect(await taken(await tarOf({ "bin/ctr.exe": "another" }))).toEqual(new Set());
  expect(existsSync(target)).toBe(false);
});

test.each(["../../containerd.exe", "bin/../../x", "/etc/passwd", "C:\\Windows\\x", "..\\x"])(
  "an archive with the path %s is refused",
  async (name) => {
    await expect(taken(await withEntry({ name }, "x"))).rejects.toThrow(`an entry outside its own folder: ${name}`);
  },
);

test.each([
  ["symlink", "is a symlink to /etc/passwd"],
  ["link", "is a link to /etc/passwd"],
])("a %s in place of the file is refused", async (type, words) => {
  const archive = await withEntry({ name: PATH, type, linkname: "/etc/passwd" });
  await expect(taken(archive)).rejects.toThrow(words);
  expect(existsSync(target)).toBe(false);
});

test("a file that is there twice is refused", async () => {
  const archive = pack();
  for (const content of ["one", "two"]) archive.entry({ name: PATH }, content);
  archive.finalize();
  await expect(taken(await buffer(archive))).rejects.toThrow(`the archive has ${PATH} twice`);
});

test("an archive that grows beyond its limit is refused, and leaves no file", async () => {
  const bomb = gzipSync(await tarOf({ [PATH]: "a program", "bin/zeros": Buffer.alloc(4 * 1024 * 1024) }));
  expect(bomb.length).toBeLessThan(10_000);
  await expect(taken(bomb, { archive: 1024 * 1024, file: 1024 })).rejects.toThrow("the archive is larger than 1 MiB");
  expect(existsSync(target)).toBe(false);
});

test("a file beyond its limit is refused", async () => {
  const large = await tarOf({ [PATH]: Buffer.alloc(2 * 1024 * 1024) });
  await expect(taken(large, { ...ARCHIVE_LIMITS, file: 1024 * 1024 })).rejects.toThrow(`${PATH} is larger than 1 MiB`);
});

test.each([
  ["is cut off", async () => gzipSync(await tarOf({ [PATH]: "x".repeat(5_000) })).subarray(0, 60)],
  ["is none", async () => Buffer.from("<html>Log in</html>".repeat(100))],
])("an archive that %s is broken", async (_, archive) => {
  await expect(taken(await archive())).rejects.toThrow("the archive is broken: ");
  expect(existsSync(target)).toBe(false);
});
