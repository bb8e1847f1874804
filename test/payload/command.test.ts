import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { payload } from "../../bin/payload/payload.ts";
import { type StandIns, standIns } from "../../bin/payload/stand-ins.ts";
import { listen } from "../../bin/ports.ts";
import { closeServer } from "../../bin/servers.ts";
import { okd } from "../../lambdas/profiles/okd/okd.ts";
import { machineScripts } from "../../lib/constructs/script-text.ts";
import { readPayload } from "../../lib/release-content.ts";
import { s3 } from "../../lib/sandbox/aws/s3/s3.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { payloadContent } from "../../lib/sandbox/machine/payload.ts";
import { imageOf, tarGzOf } from "../../lib/sandbox/publishers/images.ts";
import { releaseImageOf } from "../../lib/sandbox/publishers/publishers.ts";
import { clientOf, endpointFor, opened, secretOf, simulationFor } from "../sandbox/aws/fixture.ts";
import { manualClock } from "../sandbox/manual-clock.ts";
import { exampleWith } from "../stack/example.ts";
import { emptyFolder } from "./stand-in-network.ts";

const programs = [...okd.payloadPaths.keys()].filter((name) => !machineScripts.some((one) => name === `${one}.ps1`));

/** A folder as a running sandbox writes it, a bucket, a cluster that knows its release, and a terminal. */
async function place() {
  const folder = emptyFolder();
  const simulation = simulationFor(manualClock());
  const buckets = s3(simulation);
  buckets.createBucket(demo.bucket);
  const endpoint = endpointFor(simulation, [buckets.service]);
  const aws = await opened(endpoint);
  const desired = { version: "4.21.0-okd-scos.3", image: await releaseImageOf("1.34") };
  const paths = { release: "/clusterversions/version" };
  const cluster = createServer((request, answer) => {
    answer.writeHead(request.url?.endsWith(paths.release) ? 200 : 404, {
      "content-type": "application/json",
    });
    answer.end(JSON.stringify({ status: { desired } }));
  });
  const server = `http://127.0.0.1:${await listen(cluster, 0)}`;
  const contexts = [{ name: "one", context: { cluster: "one", user: "one" } }];
  const kubeconfig = {
    clusters: [{ name: "one", cluster: { server, "insecure-skip-tls-verify": true } }],
    users: [{ name: "one", user: {} }],
    contexts,
  };
  writeFileSync(join(folder, "kubeconfig"), JSON.stringify({ ...kubeconfig, "current-context": "one" }));
  return { folder, endpoint, aws, cluster, paths, servers: [aws.server, cluster] as Server[] };
}

type Place = Awaited<ReturnType<typeof place>>;
let here: Place;
let said: string[];
let publishers: StandIns["publishers"];

/** Names the principal with whose key the terminal calls AWS. */
function signedInAs(principal: string): void {
  const keys = { accessKeyId: `AKIA${principal}`, secretAccessKey: secretOf(principal) };
  const places = { aws: here.aws.url, slack: "http://127.0.0.1:9", kubernetes: "https://127.0.0.1:9" };
  writeFileSync(join(here.folder, "endpoints.json"), JSON.stringify({ region: demo.region, ...places, ...keys }));
}

beforeEach(async () => {
  here = await place();
  said = [];
  signedInAs("admin");
});
afterEach(async () => {
  for (const server of here.servers) await closeServer(server);
});

const run = (
  words: readonly string[],
  answer: string | null = "yes",
  prepare: (of: StandIns) => void = () => undefined,
) =>
  payload(
    ["--sandbox", here.folder, "--cache", join(here.folder, "cache"), ...words],
    {},
    {
      say: (line) => said.push(line),
      question: async (text) => {
        said.push(text);
        return answer;
      },
      write: (text) => said.push(text),
      isTerminal: false,
      now: () => Date.UTC(2026, 10, 26),
    },
    async (version) => {
      const own = await standIns(version);
      publishers = own.publishers;
      prepare(own);
      return own;
    },
  );

const manifestFile = () => join(here.folder, "payload.json");
const manifest = () => JSON.parse(readFileSync(manifestFile(), "utf8"));

async function stored(name: string): Promise<string> {
  const { key, versionId } = manifest().files.find((file: { name: string }) => file.name === name);
  const client = new S3Client(clientOf(here.endpoint));
  const { Body } = await client.send(new GetObjectCommand({ Bucket: demo.bucket, Key: key, VersionId: versionId }));
  return (await Body?.transformToString()) ?? "";
}

describe("npm run payload", () => {
  test("downloads, verifies and uploads every program, and writes a manifest that the stack takes", async () => {
    await run([]);
    expect(said.join("\n")).toMatch(/^kubelet\.exe +1\.34\.10 +dl\.k8s\.io +published sha512$/m);
    expect(said.join("\n")).toContain("Nothing but https verifies csi-proxy.exe: --without csi-proxy leaves it out.");
    const read = readPayload(exampleWith({ payloadManifest: "payload.json" }), join(here.folder, "configuration.yaml"));
    expect(read?.files.map(({ name }) => name).toSorted()).toEqual(programs.toSorted());
    expect(read?.files.find(({ name }) => name === "containerd-shim-runhcs-v1.exe")).toMatchObject({
      version: "1.7.34",
      path: "C:\\k\\containerd\\containerd-shim-runhcs-v1.exe",
      source:
        "https://github.com/containerd/containerd/releases/download/v1.7.34/containerd-1.7.34-windows-amd64.tar.gz",
      licence: "MIT",
    });
    expect(await stored("hybrid-overlay-node.exe")).toBe(payloadContent("hybrid-overlay-node", "1.34"));
  });

  test("only prints the table on a dry run", async () => {
    await run(["--dry-run", "--containerd", "2.3.4"]);
    expect(said.join("\n")).toContain("containerd 2.3.4 is not known to run on Windows Server 2019");
    expect(said.join("\n")).toMatch(/^containerd\.exe +2\.3\.4 /m);
    expect(publishers.requests.join("\n")).not.toContain("kubelet.exe");
    expect(existsSync(manifestFile())).toBe(false);
  });

  test.each([
    ["no", "nothing was changed"],
    [null, "there is no terminal to ask at: add --yes"],
  ])("downloads nothing after the answer %s", async (answer, words) => {
    await expect(run([], answer)).rejects.toThrow(words);
    expect(publishers.requests.join("\n")).not.toContain("kubelet.exe");
  });

  test("names every file that is missing and why, and goes on the next time", { tags: ["long"] }, async () => {
    const broken = (own: StandIns): void => {
      const archive = [...own.publishers.files.keys()].find((address) => address.endsWith("v1.9.1.tgz")) ?? "";
      own.publishers.files.set(archive, Buffer.from("something else"));
      own.publishers.fault = (_, path) =>
        path.endsWith("kube-proxy.exe") ? { status: 404, headers: {}, body: "" } : null;
    };
    const failed = run(["--yes"], null, broken);
    await expect(failed).rejects.toThrow(/^4 files are missing, so nothing was uploaded:/);
    await expect(failed).rejects.toThrow(/kube-proxy\.exe: https:\S+ answered 404/);
    await expect(failed).rejects.toThrow(/win-overlay\.exe: its sha512 is \w+, its publisher names \w+/);
    expect(existsSync(manifestFile())).toBe(false);
    await run(["--yes"], null);
    expect(publishers.requests.filter((one) => one.endsWith("kubelet.exe"))).toEqual([]);
    expect(manifest().files).toHaveLength(programs.length);
  });

  test("does not take a program that a reviewed source names otherwise", async () => {
    const other = (own: StandIns): void => {
      const address = [...own.publishers.files.keys()].find((one) =>
        one.endsWith("ecr-credential-provider-windows-amd64"),
      );
      own.publishers.files.set(address ?? "", Buffer.from("something else"));
    };
    await expect(run(["--yes"], null, other)).rejects.toThrow(
      /ecr-credential-provider\.exe: its sha256 is \w+, a reviewed/,
    );
  });

  test("writes no manifest when the bucket refuses, and sends only the rest the next time", {
    tags: ["long"],
  }, async () => {
    signedInAs("nobody");
    await expect(run(["--yes"])).rejects.toThrow(
      new RegExp(`^the bucket ${demo.bucket} refuses .*s3:PutObject on payload/\\*; what was downloaded is kept$`, "s"),
    );
    expect(existsSync(manifestFile())).toBe(false);
    signedInAs("admin");
    await run(["--yes"]);
    const first = manifest();
    await run(["--yes"]);
    expect(manifest()).toEqual(first);
  });

  test("leaves out optional parts, and the stack takes its manifest", { tags: ["long"] }, async () => {
    await run(["--without", "csi-proxy,ecr-credential-provider", "--yes"]);
    const read = readPayload(exampleWith({ payloadManifest: "payload.json" }), join(here.folder, "configuration.yaml"));
    expect(read?.files).toHaveLength(programs.length - 2);
    expect(said.join("\n")).not.toContain("csi-proxy");
  });

  test("warns of programs that get no more fixes", async () => {
    await run(["--dry-run"]);
    expect(said).toContain("warning: kubelet.exe 1.34.10 has had no fixes from its publisher since 2026-10-27");
    expect(said).toContain("warning: containerd.exe 1.7.34 has had no fixes from its publisher since 2026-03-31");
  });

  test("says which minor the publisher does not know", async () => {
    const gone = (own: StandIns): void => {
      own.publishers.files.delete("dl.k8s.io/release/stable-1.34.txt");
    };
    await expect(run([], "yes", gone)).rejects.toThrow("stable-1.34.txt answered 404");
  });
});

describe("a folder of a payload", () => {
  const folder = () => join(here.folder, "carried");

  test("takes the files where there is internet, and gives them to the bucket where there is none", {
    tags: ["long"],
  }, async () => {
    await run(["--yes", "--out", folder()]);
    expect(existsSync(manifestFile())).toBe(false);
    expect(readdirSync(folder()).toSorted()).toEqual([...programs, "payload-files.json"].toSorted());
    await run(["--yes", "--from", folder()]);
    expect(publishers.requests).toEqual([]);
    expect(manifest().files).toHaveLength(programs.length);
    expect(await stored("kubelet.exe")).toBe(payloadContent("kubelet", "1.34.10"));
  });

  test("is refused when a file has changed on the way, or the list is missing", async () => {
    await run(["--yes", "--out", folder()]);
    writeFileSync(join(folder(), "kubelet.exe"), "something else");
    await expect(run(["--from", folder()])).rejects.toThrow(/kubelet\.exe has sha256 \w+, payload-files\.json names/);
    await expect(run(["--from", here.folder])).rejects.toThrow("has no payload-files.json");
  });
});

describe("an image of the operator", () => {
  const content = (name: string): string => `the program ${name}`;

  /** Packs each file as an archive of its own, with its checksum by the path where it was built. */
  async function operatorImage(own: StandIns, sums: (name: string) => string): Promise<string> {
    const files: Record<string, Uint8Array | string> = {};
    for (const name of programs) files[`payload/somewhere/${name}.tar.gz`] = await tarGzOf({ [name]: content(name) });
    files["payload/sha256sum"] = programs
      .map((name) => `${createHash("sha256").update(sums(name)).digest("hex")}  /build/somewhere/${name}\n`)
      .join("");
    const image = await imageOf("windows/operator", [{ files, compression: "gzip" }]);
    own.publishers.images.push(image);
    return `quay.io/windows/operator@${image.digest}`;
  }

  const imageWith = async (sums: (name: string) => string) => {
    const probe = await standIns("1.34.2");
    const image = await operatorImage(probe, sums);
    await probe.close();
    const [operator] = probe.publishers.images.slice(-1);
    return run(["--yes", "--image", image], null, (own) => operator && own.publishers.images.push(operator));
  };

  test("gives all files, each verified by the image's checksums", async () => {
    await imageWith(content);
    expect(manifest().files).toHaveLength(programs.length);
    expect(manifest().files[0].source).toMatch(/^quay\.io\/windows\/operator@sha256:/);
    expect(await stored("win-overlay.exe")).toBe(content("win-overlay.exe"));
  });

  test("is refused for a file that its checksums do not name", async () => {
    const wrong = imageWith((name) => (name === "kubelet.exe" ? "another" : content(name)));
    await expect(wrong).rejects.toThrow(/^1 files are missing.*kubelet\.exe: its sha256 is \w+, which the image's/s);
  });

  test("is refused when it lacks a file", async () => {
    const image = `quay.io/okd/scos-content@${
      (
        await standIns("1.34.2").then(async (own) => {
          await own.close();
          return own.publishers.images[1];
        })
      )?.digest
    }`;
    await expect(run(["--yes", "--image", image])).rejects.toThrow(
      "the image holds no kubelet.exe.tar.gz below /payload",
    );
  });
});

test("a cluster that is no OpenShift, such as that of another context, is named with what to choose", async () => {
  here.paths.release = "/nothing";
  await expect(run(["--dry-run"])).rejects.toThrow(
    /"version" not found at http:\S+: kubectl's current context must be the OKD or OpenShift cluster/,
  );
});

describe("the command line of the payload", () => {
  test.each([
    [["--colour"], "Unknown option '--colour'"],
    [["--without", "kubelet"], '--without takes csi-proxy, ecr-credential-provider, not "kubelet"'],
    [["--from", "a", "--out", "b"], "it goes with neither --image nor --out"],
    [["--from", "a", "--containerd", "2.3.4"], "not with --from or --image"],
    [["--containerd", "latest"], '--containerd takes a version such as 1.7.34, not "latest"'],
    [
      ["--image", "operator", "--dry-run"],
      "operator is no image reference with a registry and a digest or tag, such as",
    ],
    [["--pull-secret", "/nowhere"], "--pull-secret /nowhere: ENOENT"],
  ])("refuses %j", async (words, why) => {
    await expect(run(words)).rejects.toThrow(why);
  });

  test("needs a deployment, and explains itself", async () => {
    const terminal = { say: (line: string) => said.push(line), question: async () => null };
    const screen = { write: () => undefined, isTerminal: false, now: () => 0 };
    // An empty name keeps it from a sandbox that runs in this folder while the tests do.
    const elsewhere = { CASEMENT_CONFIGURATION: "" };
    await expect(payload([], elsewhere, { ...terminal, ...screen })).rejects.toThrow(
      "name the deployment: --configuration FILE",
    );
    await payload(["--help"], {}, { ...terminal, ...screen });
    expect(said.join()).toContain("--dry-run");
  });
});
