import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { registryClient } from "../../bin/payload/registry.ts";
import { listen } from "../../bin/ports.ts";
import { imageOf, type StandInImage } from "../../lib/sandbox/publishers/images.ts";
import { type DebianPackage, packageRoot, unpackPackage } from "./debian-package.ts";
import { obstacle } from "./releases.ts";

const debian: DebianPackage = { name: "docker-registry", program: "usr/bin/docker-registry" };
const HOST = "registry.example.com";
const CREDENTIAL = Buffer.from("reader:secret").toString("base64");
// bcrypt of "secret" with the least cost: the registry takes no other hash.
const PASSWORDS = "reader:$2b$04$bRZEFHjl.gnLuibwjrV8Bey1jskSKSizfd3U0IHNarrGrlfJXznRq\n";
const PATH = "root/windows/tool.exe";

const folder = mkdtempSync(join(tmpdir(), "casement-registry-"));
let registry: ChildProcess;
let address: string;

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server, 0);
  await new Promise((closed) => server.close(closed));
  return port;
}

/** Pushes an image as the distribution specification says: blobs first, then manifests, the index last. */
async function push({ repository, objects }: StandInImage): Promise<void> {
  const headers = { authorization: `Basic ${CREDENTIAL}` };
  const required = async (answer: Promise<Response>): Promise<Response> => {
    const got = await answer;
    if (!got.ok) throw new Error(`the registry answered ${got.status}: ${await got.text()}`);
    return got;
  };
  for (const [digest, { bytes, mediaType }] of objects) {
    const body = Buffer.from(bytes);
    if (mediaType !== null) {
      const put = { method: "PUT", headers: { ...headers, "content-type": mediaType }, body };
      await required(fetch(`${address}/v2/${repository}/manifests/${digest}`, put));
      continue;
    }
    const begun = await required(fetch(`${address}/v2/${repository}/blobs/uploads/`, { method: "POST", headers }));
    const to = new URL(begun.headers.get("location") ?? "", address);
    to.searchParams.set("digest", digest);
    await required(fetch(to, { method: "PUT", headers, body }));
  }
}

async function answers(): Promise<boolean> {
  return fetch(`${address}/v2/`).then(
    () => true,
    () => false,
  );
}

async function start(): Promise<void> {
  unpackPackage(debian);
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  const [config, passwords] = [join(folder, "config.json"), join(folder, "htpasswd")];
  writeFileSync(passwords, PASSWORDS);
  const settings = {
    version: 0.1,
    storage: { filesystem: { rootdirectory: join(folder, "storage") } },
    http: { addr: `127.0.0.1:${port}` },
    auth: { htpasswd: { realm: "registry", path: passwords } },
  };
  writeFileSync(config, JSON.stringify(settings));
  registry = spawn(join(packageRoot(debian) ?? "/", debian.program), ["serve", config], { stdio: "ignore" });
  for (let waited = 0; waited < 100 && !(await answers()); waited += 1)
    await new Promise((turn) => setTimeout(turn, 50));
}

// Docker's own registry holds what the stand-in claims of manifests, digests, passwords and refusals.
describe.skipIf(obstacle())("npm run payload reads images of Debian's docker-registry", () => {
  beforeAll(start, 120_000);
  afterAll(() => {
    registry?.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  async function read(image: string, credential: string | null = CREDENTIAL): Promise<string> {
    const cache = mkdtempSync(join(folder, "cache-"));
    const network = {
      fetch: (url: string, init: RequestInit) => fetch(url.replace(`https://${HOST}`, address), init),
      pause: async () => undefined,
      now: Date.now,
    };
    const secret = new Map(credential ? [[HOST, credential]] : []);
    const target = join(cache, "tool.exe");
    await registryClient(network, secret, cache).files(image, new Map([[PATH, target]]), () => undefined);
    return readFileSync(target, "utf8");
  }

  const layers = [
    { files: { [PATH]: "old" }, compression: "gzip" },
    { files: { [PATH]: "new" }, compression: "zstd" },
    { files: { "etc/other": "x" }, compression: "gzip" },
  ] as const;

  test.each([true, false])("through an index: %s", async (isIndex) => {
    const image = await imageOf(`team/tool-${isIndex ? "index" : "one"}`, layers, isIndex);
    await push(image);
    expect(await read(`${HOST}/${image.repository}@${image.digest}`)).toBe("new");
  });

  test("and says what it lacks, and what it refuses", async () => {
    const gone = `sha256:${"a".repeat(64)}`;
    await expect(read(`${HOST}/team/gone@${gone}`)).rejects.toThrow(`${HOST} has no image team/gone ${gone}`);
    await expect(read(`${HOST}/team/gone@${gone}`, null)).rejects.toThrow(`${HOST} refuses team/gone`);
    const wrong = Buffer.from("reader:wrong").toString("base64");
    await expect(read(`${HOST}/team/gone@${gone}`, wrong)).rejects.toThrow("give a pull secret with --pull-secret");
  });
});
