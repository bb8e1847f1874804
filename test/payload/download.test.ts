import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { download } from "../../bin/payload/download.ts";
import { get, retryAfter, textAt } from "../../bin/payload/http.ts";
import { emptyFolder, faultFor, NOW, type StandInNetwork, standInNetwork, truncated } from "./stand-in-network.ts";

const ADDRESS = "github.com/example/tool/tool.exe";
const request = { url: `https://${ADDRESS}`, domains: ["github.com", "githubusercontent.com"] };
const content = "0123456789".repeat(1_000);
const etag = `"${createHash("sha256").update(content).digest("hex").slice(0, 16)}"`;

let here: StandInNetwork;
let file: string;

beforeEach(async () => {
  here = await standInNetwork();
  here.publishers.files.set(ADDRESS, Buffer.from(content));
  file = join(emptyFolder(), "tool.exe");
});
afterEach(() => here.close());

const load = () => download(here.network, request, file, () => undefined);

describe("a request", () => {
  test("follows redirects to the publisher's storage", async () => {
    expect(await textAt(here.network, request)).toBe(content);
    expect(here.publishers.requests).toEqual([
      "GET github.com/example/tool/tool.exe",
      "GET release-assets.githubusercontent.com/example/tool/tool.exe",
    ]);
  });

  test.each([
    ["https://login.example.com/", "redirects to login.example.com, which is not its publisher's"],
    ["https://evilgithub.com/", "redirects to evilgithub.com, which is not its publisher's"],
    ["http://github.com/plain", "redirects to http://github.com, which is not https"],
  ])("refuses a redirect to %s", async (location, words) => {
    here.publishers.fault = faultFor("tool.exe", 1, { status: 302, headers: { location }, body: "" });
    await expect(textAt(here.network, request)).rejects.toThrow(words);
  });

  test("gives up after five redirects", async () => {
    const again = { status: 302, headers: { location: request.url }, body: "" };
    here.publishers.fault = faultFor("tool.exe", 100, again);
    await expect(textAt(here.network, request)).rejects.toThrow("redirects more than 5 times");
  });

  test("waits as long as Retry-After says, then goes on", async () => {
    here.publishers.fault = faultFor("tool.exe", 2, { status: 429, headers: { "retry-after": "7" }, body: "" });
    expect((await get(here.network, request)).status).toBe(200);
    expect(here.pauses).toEqual([7_000, 7_000]);
  });

  test("does not wait for a publisher that demands an hour", async () => {
    here.publishers.fault = faultFor("tool.exe", 1, { status: 429, headers: { "retry-after": "3600" }, body: "" });
    await expect(get(here.network, request)).rejects.toThrow("429 (too many requests): try again in 3600 seconds");
    expect(here.pauses).toEqual([]);
  });

  test("ends after five answers of a broken server", async () => {
    here.publishers.fault = faultFor("tool.exe", 100, { status: 503, headers: {}, body: "" });
    await expect(get(here.network, request)).rejects.toThrow(`https://${ADDRESS} answered 503`);
    expect(here.pauses).toEqual([1_000, 2_000, 4_000, 8_000]);
  });

  test("names the host that does not answer, and why", async () => {
    const network = { ...here.network, fetch: () => fetch("http://127.0.0.1:9/") };
    await expect(get(network, request)).rejects.toThrow(/^github\.com did not answer: /);
  });

  test("reads Retry-After as seconds and as a date", () => {
    expect(retryAfter("30", NOW)).toBe(30_000);
    expect(retryAfter("Fri, 20 Nov 2026 12:00:45 GMT", NOW)).toBe(45_000);
    expect(retryAfter("soon", NOW)).toBeNull();
  });
});

describe("a download", () => {
  test("leaves a whole file, once", async () => {
    await load();
    await load();
    expect(readFileSync(file, "utf8")).toBe(content);
    expect(here.publishers.requests).toHaveLength(2);
    expect(readdirSync(join(file, ".."))).toEqual(["tool.exe"]);
  });

  test("goes on where an interrupted one ended", async () => {
    writeFileSync(`${file}.part`, content.slice(0, 4_000));
    writeFileSync(`${file}.part.etag`, etag);
    const seen: [number, number | null][] = [];
    await download(here.network, request, file, (bytes, size) => seen.push([bytes, size]));
    expect(readFileSync(file, "utf8")).toBe(content);
    expect(seen[0]?.[0]).toBeGreaterThan(4_000);
    expect(seen.at(-1)).toEqual([10_000, 10_000]);
  });

  test.each([
    ["belongs to another version", '"another"'],
    ["has a weak tag", `W/${etag}`],
    ["has no tag", ""],
  ])("begins again when what is there %s", async (_, tag) => {
    writeFileSync(`${file}.part`, "x".repeat(4_000));
    writeFileSync(`${file}.part.etag`, tag);
    await load();
    expect(readFileSync(file, "utf8")).toBe(content);
  });

  test("begins again when the kept part is too long", async () => {
    writeFileSync(`${file}.part`, "x".repeat(20_000));
    writeFileSync(`${file}.part.etag`, etag);
    here.publishers.fault = (_host, path, { headers }) =>
      path.endsWith("tool.exe") && headers.range ? { status: 416, headers: {}, body: "" } : null;
    await load();
    expect(readFileSync(file, "utf8")).toBe(content);
  });

  test("continues a truncated answer", async () => {
    const headers = { etag, "content-length": String(content.length) };
    here.publishers.fault = faultFor("tool.exe", 1, truncated(headers, content.slice(0, 3_000)));
    await load();
    expect(readFileSync(file, "utf8")).toBe(content);
    expect(here.publishers.requests).toHaveLength(3);
  });

  test("says that every answer was truncated, and keeps what came", { tags: ["long"] }, async () => {
    const headers = { etag, "content-length": String(content.length) };
    here.publishers.fault = (_host, path) =>
      path.endsWith("tool.exe") ? truncated(headers, content.slice(0, 3_000)) : null;
    await expect(load()).rejects.toThrow(`https://${ADDRESS} was truncated 5 times`);
    expect(readFileSync(`${file}.part`, "utf8")).toBe(content.slice(0, 3_000));
  });

  test("says what the publisher does not have", async () => {
    const missing = { ...request, url: "https://github.com/example/tool/v9.exe" };
    await expect(download(here.network, missing, file, () => undefined)).rejects.toThrow("v9.exe answered 404");
    expect(existsSync(file)).toBe(false);
  });

  // /dev/full refuses every write as a full disk does.
  test.skipIf(!existsSync("/dev/full"))("passes on that the disk is full", async () => {
    symlinkSync("/dev/full", `${file}.part`);
    await expect(load()).rejects.toMatchObject({ code: "ENOSPC" });
  });
});
