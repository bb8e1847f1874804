import { describe, expect, test } from "vitest";
import { optionalParts, type PartVersions, partFiles, verificationOf } from "../../bin/payload/parts.ts";
import { table } from "../../bin/payload/table.ts";
import { containerdFor, containerdRows, coveredMinor, minorOf, untriedWindows } from "../../bin/payload/versions.ts";
import { okd } from "../../lambdas/profiles/okd/okd.ts";
import { machineScripts } from "../../lib/constructs/script-text.ts";
import { releases } from "../containerd/releases.ts";

const versions: PartVersions = {
  kubernetes: "1.34.10",
  containerd: "1.7.34",
  overlay: { image: `quay.io/okd/scos-content@sha256:${"a".repeat(64)}`, release: "4.21.0-okd-scos.3" },
  without: new Set(),
};

const names = (change: Partial<PartVersions> = {}) => partFiles({ ...versions, ...change }).map(({ name }) => name);

describe("the parts of a payload", () => {
  test("are the programs that the profile needs", () => {
    const ours = machineScripts.map((script) => `${script}.ps1`);
    const needed = [...okd.payloadPaths.keys()].filter((name) => !ours.includes(name));
    expect(names().toSorted()).toEqual(needed.toSorted());
  });

  test("leave out what is optional", () => {
    const left = names({ without: new Set(["csi-proxy", "ecr-credential-provider"]) });
    expect(names().filter((name) => !left.includes(name))).toEqual(["ecr-credential-provider.exe", "csi-proxy.exe"]);
    expect(optionalParts.map((part) => `${part}.exe`)).toEqual(
      [...okd.optionalPayload].filter((name) => name.endsWith(".exe")),
    );
  });

  test("take Kubernetes' programs of the newest patch, and the overlay of the cluster's release", () => {
    const files = partFiles(versions);
    expect(files.find(({ name }) => name === "kubelet.exe")).toMatchObject({
      version: "1.34.10",
      source: { asset: { url: "https://dl.k8s.io/release/v1.34.10/bin/windows/amd64/kubelet.exe" } },
    });
    expect(files.find(({ name }) => name === "hybrid-overlay-node.exe")).toMatchObject({
      version: "4.21.0-okd-scos.3",
      source: { from: "image", image: versions.overlay.image },
    });
  });

  test("say how each is verified, and that one is not", () => {
    const ways = partFiles(versions).map(({ name, source }) => [name, verificationOf(source)] as const);
    expect(Object.fromEntries(ways)).toMatchObject({
      "kubelet.exe": "published sha512",
      "ecr-credential-provider.exe": "sha256 of a reviewed source",
      "hybrid-overlay-node.exe": "image digest",
      "csi-proxy.exe": "NOT CHECKED: nothing is published",
    });
  });

  test("are printed with their publisher's host, a repository's owner and the beginning of a digest", () => {
    const rows = partFiles(versions).map(({ name, version, source }) => ({
      ...{ name, version, verified: verificationOf(source) },
      source: source.from === "image" ? source.image : source.asset.url,
    }));
    const lines = table(rows).split("\n");
    expect(lines[0]).toMatch(/^FILE +VERSION +SOURCE +VERIFIED BY$/);
    expect(lines.find((line) => line.startsWith("containerd.exe"))).toMatch(
      / 1\.7\.34 +github\.com\/containerd\/containerd +published sha256$/,
    );
    expect(lines.find((line) => line.startsWith("hybrid-overlay"))).toContain(
      "quay.io/okd/scos-content@sha256:aaaaaaaaaaaa… ",
    );
  });
});

describe("the version of containerd", () => {
  test.each([
    ["1.30", "1.7.34"],
    ["1.35", "1.7.34"],
    ["1.36", "2.3.4"],
  ])("for Kubernetes %s is %s", (minor, version) => {
    expect(containerdFor(minor)).toBe(version);
  });

  test("is one whose line the tests run", () => {
    for (const { version } of containerdRows) {
      const tried = releases.some((release) =>
        version.startsWith(`${release.version.split(".").slice(0, 2).join(".")}.`),
      );
      expect(tried, version).toBe(true);
    }
  });

  test("warns of Windows releases on which its line is not known to run", () => {
    expect(untriedWindows("2.3.9", ["2022", "2019", "2019"])).toEqual(["2019"]);
    expect(untriedWindows("1.7.34", ["2019", "2025"])).toEqual([]);
    expect(untriedWindows("9.9.9", ["2019"])).toEqual([]);
  });
});

test.each(["1.29.4", "1.37.0", "2.34.0"])(
  "Kubernetes %s has no payload, and the message says which have",
  (version) => {
    expect(() => coveredMinor(version)).toThrow(`known for Kubernetes 1.30 to 1.36, not for ${version}`);
  },
);

test("a minor is the first two numbers", () => {
  expect([minorOf("1.34.2"), coveredMinor("1.36.0")]).toEqual(["1.34", "1.36"]);
});
