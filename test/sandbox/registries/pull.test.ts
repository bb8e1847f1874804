import { expect, test } from "vitest";
import type { Content, RegistryAnswer } from "../../../lib/sandbox/registries/exchange.ts";
import { readHostsFile } from "../../../lib/sandbox/registries/hosts-file.ts";
import { readReference } from "../../../lib/sandbox/registries/image-reference.ts";
import { type PullInput, pull } from "../../../lib/sandbox/registries/pull.ts";
import { behaviourOf } from "../../../lib/sandbox/registries/versions.ts";

const manifest: Content = { digest: "sha256:1", kind: "manifest" };
const served: RegistryAnswer = { status: 200, content: manifest };
const mirror = '[host."https://mirror.example"]\n';

/** Pulls with one file of the registry src.example. */
function pulled(file: string, rest: Partial<PullInput> = {}) {
  const files = { "src.example/hosts.toml": Buffer.from(file) };
  const input = {
    files,
    isWindows: true,
    root: "C:/r",
    version: "1.7.27",
    image: "src.example/app:v1",
    ask: () => served,
  };
  const { exchanges, outcome } = pull({ ...input, ...rest });
  return { asked: exchanges.map(({ request: { method, url } }) => `${method} ${new URL(url).host}`), outcome };
}

const hostsIn = (file: string, version: string): string[] | undefined =>
  readHostsFile(Buffer.from(file), behaviourOf(version))?.map(({ host }) => host);

test("a server alone forbids the source from containerd 1.7.32 on", () => {
  const file = 'server = "https://mirror.example"\n';
  expect(pulled(file, { version: "1.7.31" }).asked).toEqual(["HEAD src.example", "GET src.example"]);
  expect(pulled(file, { version: "1.7.32" }).asked).toEqual(["HEAD mirror.example", "GET mirror.example"]);
});

test("Windows finds a directory and a file in any case, and prefers host_port_", () => {
  const [other, right] = ['[host."https://other.example"]\n', mirror].map((file) => Buffer.from(file));
  const files = { "src.example5000/hosts.toml": other, "Src.Example_5000_/Hosts.toml": right } as PullInput["files"];
  const image = "src.example:5000/app:v1";
  expect(pulled("", { files, image }).asked).toEqual(["HEAD mirror.example", "GET mirror.example"]);
  expect(pulled("", { files, image, isWindows: false }).asked[0]).toBe("HEAD src.example:5000");
});

test.each([
  ["an escape of TOML 1.1", `${mirror}x = "\\x41"\n`],
  ["an inline table of several lines", `${mirror}x = {\n a = 1 }\n`],
])("%s makes containerd 2 drop the file", (_, file) => {
  expect(hostsIn(file, "2.2.0")).toBeUndefined();
});

test.each([
  ["1.7.27", "search", undefined],
  ["2.1.9", "referrers", undefined],
  ["2.2.0", "referrers", ["mirror.example", ""]],
])("containerd %s reads the capability %s by its version", (version, capability, hosts) => {
  expect(hostsIn(`${mirror}capabilities = ["${capability}"]\n`, version)).toEqual(hosts);
});

test("dial_timeout is read from containerd 2.1 on", () => {
  const file = `${mirror}dial_timeout = "5"\n`;
  expect(hostsIn(file, "2.0.5")).toEqual(["mirror.example", ""]);
  expect(hostsIn(file, "2.1.0")).toBeUndefined();
  expect(hostsIn(`${mirror}dial_timeout = "1m30s"\n`, "2.1.0")).toEqual(["mirror.example", ""]);
});

test("the first failure that is no 404 is reported by containerd 1.7, the weightiest by 2", () => {
  const ask: PullInput["ask"] = ({ url }) => (url.includes("mirror") ? { fault: "dns" } : { status: 403 });
  const errorBy = (version: string): unknown => pulled(mirror, { version, ask }).outcome;
  const pulling = 'failed to pull and unpack image "src.example/app:v1"';
  expect(errorBy("1.7.27")).toEqual({
    pulled: false,
    hung: false,
    error: `${pulling}: failed to resolve reference "src.example/app:v1": failed to do request: Head "https://mirror.example/v2/app/manifests/v1?ns=src.example": dial tcp: lookup mirror.example: no such host`,
  });
  expect(errorBy("2.2.0")).toMatchObject({
    error: `${pulling}: failed to resolve image: unexpected status from HEAD request to https://src.example/v2/app/manifests/v1: 403 Forbidden`,
  });
});

test("an answer without a digest is asked for again by tag alone", () => {
  const ask = () => ({ ...served, lacksDigest: true });
  expect(pulled("", { ask }).asked).toEqual(["HEAD src.example", "GET src.example", "GET src.example"]);
  expect(pulled("", { ask, image: "src.example/app@sha256:1" }).asked).toEqual(["HEAD src.example", "GET src.example"]);
});

test.each([
  ["1.7.27", "unexpected status code https://src.example/v2/app/manifests/sha256:1: 403 Forbidden"],
  ["2.2.0", "unexpected status from GET request to https://src.example/v2/app/manifests/sha256:1: 403 Forbidden"],
])("containerd %s words the refusal of content in its own way", (version, words) => {
  const ask: PullInput["ask"] = ({ method }) => (method === "GET" ? { status: 403 } : served);
  expect(pulled("", { version, ask }).outcome).toMatchObject({ error: expect.stringContaining(words) });
});

test("an insecure host that is down is named by https, whatever was tried last", () => {
  const file = '[host."http://mirror.example"]\nskip_verify = true\n';
  const { outcome } = pulled(file, { ask: () => ({ fault: "refused" }) });
  const words = 'Head "https://mirror.example/v2/app/manifests/v1?ns=src.example": dial tcp 192.0.2.1:80';
  expect(outcome).toMatchObject({ error: expect.stringContaining(words) });
});

test("a silent host ends the pull, and the source is not asked", () => {
  const { asked, outcome } = pulled(mirror, { ask: () => ({ fault: "hang" }) });
  expect(asked).toEqual(["HEAD mirror.example"]);
  expect(outcome).toMatchObject({ pulled: false, hung: true });
});

test("a registry that demands a password is named as one", () => {
  const { outcome } = pulled("", { ask: () => ({ status: 401, demandsPassword: true }) });
  expect(outcome).toMatchObject({ error: expect.stringContaining("no basic auth credentials") });
});

test.each([408, 429])("status %i is answered by six requests at once", (status) => {
  expect(pulled("", { ask: () => ({ status }) }).asked).toHaveLength(6);
});

test.each([
  ["nginx", "docker.io/library/nginx:latest"],
  ["team/app:v1", "docker.io/team/app:v1"],
  ["localhost/app", "localhost/app:latest"],
  ["src.example:5000/app", "src.example:5000/app:latest"],
  ["src.example/app:v1@sha256:1", "src.example/app@sha256:1"],
])("the name %s means %s", (image, text) => {
  expect(readReference(image).text).toBe(text);
});
