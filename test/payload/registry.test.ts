import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { pullSecretOf, referenceOf, registryClient } from "../../bin/payload/registry.ts";
import { newestPatch, overlayImage, releaseOf } from "../../bin/payload/release-parts.ts";
import { imageOf, type StandInImage } from "../../lib/sandbox/publishers/images.ts";
import { releaseImageOf } from "../../lib/sandbox/publishers/publishers.ts";
import { emptyFolder, faultFor, type StandInNetwork, standInNetwork } from "./stand-in-network.ts";

let here: StandInNetwork;
let folder: string;
const PATH = "root/windows/tool.exe";

beforeEach(async () => {
  here = await standInNetwork();
  folder = emptyFolder();
});
afterEach(() => here.close());

const silent = () => undefined;
const client = (secret = new Map<string, string>()) => registryClient(here.network, secret, folder);

type Layers = Parameters<typeof imageOf>[1];

async function add(layers: Layers, isIndex = false): Promise<string> {
  const image = await imageOf("team/tool", layers, isIndex);
  here.publishers.images.push(image);
  return `quay.io/team/tool@${image.digest}`;
}

const layer = (files: Record<string, string>, compression: "gzip" | "zstd" = "gzip") => ({ files, compression });

async function read(image: string, secret?: Map<string, string>): Promise<string> {
  await client(secret).files(image, new Map([[PATH, join(folder, "tool.exe")]]), silent);
  return readFileSync(join(folder, "tool.exe"), "utf8");
}

describe("a file of an image", () => {
  test("is that of the highest layer, through an index, with gzip and zstd", async () => {
    const layers = [layer({ [PATH]: "old" }), layer({ [PATH]: "new" }, "zstd"), layer({ "etc/other": "x" })];
    expect(await read(await add(layers, true))).toBe("new");
    expect(here.publishers.requests.filter((one) => one.includes("/v2/auth"))).toHaveLength(1);
  });

  test.each([
    ["the file", "root/windows/.wh.tool.exe"],
    ["its folder", "root/.wh.windows"],
    ["the folder's content", "root/windows/.wh..wh..opq"],
    ["everything", ".wh..wh..opq"],
  ])("is gone when a higher layer deletes %s", async (_, mark) => {
    const image = await add([layer({ [PATH]: "old" }), layer({ [mark]: "" })]);
    await expect(read(image)).rejects.toThrow(`team/tool has deleted ${PATH}`);
  });

  test("is taken from a layer that deletes it below and adds it", async () => {
    const marks = { "root/windows/.wh..wh..opq": "", [PATH]: "new" };
    expect(await read(await add([layer({ [PATH]: "old" }), layer(marks)]))).toBe("new");
  });

  test("is missed by name", async () => {
    await expect(read(await add([layer({ "etc/other": "x" })]))).rejects.toThrow(`team/tool does not hold ${PATH}`);
  });

  test("comes from a layer that was kept, without another download", async () => {
    const image = await add([layer({ [PATH]: "a program" })]);
    await read(image);
    await read(image);
    expect(here.publishers.requests.filter((one) => one.includes("cdn01"))).toHaveLength(1);
  });

  test("is asked for with a new token when the first has expired", async () => {
    const image = await add([layer({ [PATH]: "a program" })]);
    const [digest = ""] = here.publishers.images.at(-1)?.objects.keys() ?? [];
    here.publishers.fault = faultFor(digest, 1, { status: 401, headers: {}, body: "" });
    expect(await read(image)).toBe("a program");
  });
});

describe("a registry", () => {
  const wrong = { status: 200, headers: {}, body: "something else" };

  test("is not trusted with a manifest of another digest", async () => {
    const image = await add([layer({ [PATH]: "a program" })]);
    const [, digest = ""] = image.split("@");
    here.publishers.fault = (host, path, { headers }) =>
      host === "quay.io" && path.endsWith(digest) && headers.authorization ? wrong : null;
    await expect(read(image)).rejects.toThrow(`the manifest of team/tool has digest sha256:`);
  });

  test("is not trusted with a layer of another digest, which is not kept", async () => {
    const image = await add([layer({ [PATH]: "a program" })]);
    here.publishers.fault = (host) => (host === "cdn01.quay.io" ? wrong : null);
    await expect(read(image)).rejects.toThrow(`a layer of team/tool has digest sha256:`);
    here.publishers.fault = () => null;
    expect(await read(image)).toBe("a program");
  });

  test("that demands a pause gets it", async () => {
    const image = await add([layer({ [PATH]: "a program" })]);
    here.publishers.fault = faultFor("", 1, { status: 429, headers: { "retry-after": "3" }, body: "" });
    expect(await read(image)).toBe("a program");
    expect(here.pauses).toEqual([3_000]);
  });

  test("that has no such image says so", async () => {
    const image = `quay.io/team/gone@sha256:${"a".repeat(64)}`;
    await expect(read(image)).rejects.toThrow(`quay.io has no image team/gone sha256:${"a".repeat(64)}`);
  });

  test.each(['Bearer realm="http://quay.io/v2/auth"', "Negotiate", ""])(
    "that demands %j gets no credential",
    async (challenge) => {
      const refused = { status: 401, headers: { "www-authenticate": challenge }, body: "" };
      here.publishers.fault = (_, path) => (path.includes("/manifests/") ? refused : null);
      const secret = new Map([["quay.io", "dXNlcjpwYXNz"]]);
      await expect(read(await add([layer({ [PATH]: "x" })]), secret)).rejects.toThrow("quay.io refuses team/tool");
    },
  );
});

describe("a pull secret", () => {
  test("is sent to the registry that it names, for the longest name that fits", async () => {
    const image = await add([layer({ [PATH]: "a program" })]);
    const seen: (string | undefined)[] = [];
    here.publishers.fault = (_host, path, { headers }) => {
      if (path === "/v2/auth") seen.push(headers.authorization);
      return null;
    };
    await read(
      image,
      new Map([
        ["quay.io", "b3RoZXI="],
        ["quay.io/team", "dGVhbQ=="],
        ["docker.io", "bm8="],
      ]),
    );
    expect(seen).toEqual(["Basic dGVhbQ=="]);
  });

  test("is read as Docker writes it", () => {
    const text = JSON.stringify({
      auths: { "https://index.docker.io/v1/": { auth: "YQ==" }, "quay.io": { auth: "Yg==" } },
    });
    expect([...pullSecretOf(text)]).toEqual([
      ["index.docker.io", "YQ=="],
      ["quay.io", "Yg=="],
    ]);
    expect(() => pullSecretOf("auths: {}")).toThrow("the pull secret is not a JSON file with auths");
  });
});

test.each(["ovn-kubernetes", "okd/scos@sha256:1234", "quay.io/okd/scos", "quay.io/okd/scos@sha256:1234"])(
  "%s is no image reference",
  (image) => {
    expect(() => referenceOf(image)).toThrow("is no image reference");
  },
);

test("an image reference names its registry, and a tag or a digest", () => {
  expect(referenceOf("registry.example.com:5000/a/b:v1")).toEqual({
    host: "registry.example.com:5000",
    repository: "a/b",
    name: "v1",
  });
});

describe("the cluster's release", () => {
  test("leads to its image ovn-kubernetes", async () => {
    const release = await releaseImageOf("1.34");
    const content = here.publishers.images.find(({ repository }: StandInImage) => repository === "okd/scos-content");
    expect(await overlayImage(client(), release, folder, silent)).toBe(`quay.io/okd/scos-content@${content?.digest}`);
  });

  test("is read from ClusterVersion", () => {
    const desired = { version: "4.21.0", image: "quay.io/okd/scos-release@sha256:1" };
    expect(releaseOf({ status: { desired } })).toEqual(desired);
    expect(() => releaseOf({ status: {} })).toThrow("names no release image");
  });

  test("has the newest patch that the publisher names", async () => {
    expect(await newestPatch(here.network, "1.34")).toBe("1.34.10");
    await expect(newestPatch(here.network, "1.99")).rejects.toThrow("stable-1.99.txt answered 404");
    here.publishers.files.set("dl.k8s.io/release/stable-1.34.txt", Buffer.from("<html>"));
    await expect(newestPatch(here.network, "1.34")).rejects.toThrow("names no version of 1.34: <html>");
  });
});
