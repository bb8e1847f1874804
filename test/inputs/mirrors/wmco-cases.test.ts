import { describe, expect, it } from "vitest";
import { mirrorsOf } from "../../../lambdas/inputs/mirrors/mirrors.ts";
import { byDigest, byTag, faultsIn, heldIn, never, textsOf, urlsOf } from "./rules.ts";

// The cases are those of WMCO's unit tests (pkg/registries). Where its result asks for an image that the mirror does not
// have, or asks a source that is forbidden, the right result stands here.
describe("WMCO's cases of merging", () => {
  it("a source with a scheme and one that is no registry are reported", () => {
    const rules = [byDigest("https://source1.local:5000", ["mirror1"]), byTag("source2", ["mirror2"])];
    expect(faultsIn(...rules)).toEqual(["source1.local:5000 scheme", "source2 no-registry"]);
    expect(mirrorsOf(rules).files).toEqual([]);
  });

  it("digests and tags of two registries make two files", () => {
    const mirrors = mirrorsOf([byDigest("source1.local:5000", ["mirror1"]), byTag("source2.local", ["mirror2"])]);
    expect(mirrors.files.map(({ folder }) => folder)).toEqual(["source1.local_5000_", "source2.local"]);
    expect(textsOf(mirrors)["source1.local:5000"]).toContain(
      `[host."https://mirror1/v2"]\ncapabilities = [ "pull" ]\n`,
    );
    expect(textsOf(mirrors)["source2.local"]).toContain(
      `[host."https://mirror2/v2"]\ncapabilities = [ "pull", "resolve" ]\n`,
    );
  });

  it("a set over four registries makes one file for each, and a scheme holds its registry alone", () => {
    const local = "devcluster.openshift.com:5000";
    const mirrors = mirrorsOf([
      byDigest("vmc.ci.openshift.org/ci-op/pipeline", [`${local}/pipeline`]),
      byTag("docker://mcr.microsoft.com/oss/kubernetes/pause", ["quay.io/testuser/oss/kubernetes/pause"]),
      byTag("mcr.microsoft.com/powershell", ["quay.io/testuser/testnamespace/powershell"]),
      byTag("registry.k8s.io/sig-storage/csi-provisioner", [`${local}/sig-storage/csi-provisioner`]),
      byTag("registry.access.redhat.com/ubi9/ubi-minimal", [`${local}/ubi9/ubi-minimal`]),
      never(byTag("registry.access.redhat.com/ubi8/ubi-minimal", ["random.io/ubi8/ubi-minimal"])),
    ]);
    expect(mirrors.inexpressible.map(({ source, reason }) => `${source} ${reason}`)).toEqual([
      "docker://mcr.microsoft.com/oss/kubernetes/pause scheme",
      "vmc.ci.openshift.org/ci-op/pipeline path",
    ]);
    expect(heldIn(mirrors)).toEqual(["mcr.microsoft.com", "vmc.ci.openshift.org"]);
    expect(mirrors.files.map(({ registry, forbidsSource }) => [registry, forbidsSource])).toEqual([
      ["registry.access.redhat.com", true],
      ["registry.k8s.io", false],
    ]);
    expect(urlsOf(mirrors, "registry.access.redhat.com")).toEqual([`https://${local}/v2`, "https://random.io/v2"]);
    expect(urlsOf(mirrors, "registry.k8s.io")).toEqual([`https://${local}/v2`, "https://registry.k8s.io/v2"]);
  });

  it("a source of two sets has the mirrors of both, each with its own capabilities", () => {
    const mirrors = mirrorsOf([byDigest("a.com", ["z.io", "b.io"]), byTag("a.com", ["y.io", "a.io"])]);
    expect(urlsOf(mirrors, "a.com")).toEqual([
      "https://y.io/v2",
      "https://z.io/v2",
      "https://a.io/v2",
      "https://b.io/v2",
      "https://a.com/v2",
    ]);
    expect(textsOf(mirrors)["a.com"]?.match(/capabilities.*/g)).toEqual([
      'capabilities = [ "pull", "resolve" ]',
      'capabilities = [ "pull" ]',
      'capabilities = [ "pull", "resolve" ]',
      'capabilities = [ "pull" ]',
    ]);
  });

  it.each([
    ["forbids, then allows", true, false, true],
    ["allows, then forbids", false, true, true],
    ["allows twice", false, false, false],
  ])("a source that a set %s", (_, first, second, isForbidden) => {
    const rule = (forbids: boolean, mirror: string) =>
      forbids ? never(byDigest("a.com", [mirror])) : byDigest("a.com", [mirror]);
    const [file] = mirrorsOf([rule(first, "m.io"), rule(second, "n.io")]).files;
    expect(file?.forbidsSource).toBe(isForbidden);
    expect(file?.text.includes("a.com")).toBe(!isForbidden);
  });

  it("a mirror for digests and for tags stands in the file once, and resolves tags", () => {
    const mirrors = mirrorsOf([byDigest("a.com/x", ["m.io/n/x"]), byTag("a.com/y", ["m.io/n/y"])]);
    expect(textsOf(mirrors)["a.com"]).toContain(`[host."https://m.io/v2/n"]\ncapabilities = [ "pull", "resolve" ]\n`);
    expect(urlsOf(mirrors, "a.com")).toEqual(["https://m.io/v2/n", "https://a.com/v2"]);
  });

  it.each([
    ["a.com/windows/servercore:ltsc2022", "quay.io/b/windows/servercore:ltsc2022", "a.com tag"],
    [
      "a.com/windows/servercore",
      "quay.io/b/windows/servercore:ltsc2022",
      "a.com tag quay.io/b/windows/servercore:ltsc2022",
    ],
    ["a.com/powershell:lts", "quay.io/powershell:23", "a.com tag"],
    ["foo1.io/fah/different/foo2", "foo1.io/fah/something/foo2", "foo1.io path foo1.io/fah/something/foo2"],
  ])("%s with the mirror %s is reported", (source, mirror, fault) => {
    expect(faultsIn(byTag(source, [mirror]))).toEqual([fault]);
  });

  it("a mirror that is its source needs no file", () => {
    expect(mirrorsOf([byDigest("a.com/x", ["a.com/x"])])).toMatchObject({ files: [], held: [], inexpressible: [] });
    expect(mirrorsOf([byDigest("a.com/x", ["A.com/x"])])).toMatchObject({ files: [], held: [], inexpressible: [] });
  });
});

describe("WMCO's cases of rendering", () => {
  const source = "registry.access.redhat.com";
  const three = ["example.io/example", "mirror.example.com/redhat"];

  it("one mirror for digests", () => {
    expect(textsOf(mirrorsOf([byDigest(source, ["example.io/example"])]))).toEqual({
      [source]: `server = "https://registry.access.redhat.com/v2"
override_path = true

[host."https://example.io/v2/example"]
capabilities = [ "pull" ]
override_path = true
`,
    });
  });

  it("a forbidden source whose mirror is for digests resolves no tag", () => {
    const text = textsOf(mirrorsOf([never(byDigest(source, ["example.io/example"]))]))[source];
    expect(text).toContain('server = "https://example.io/v2/example"\ncapabilities = [ "pull" ]\n');
    expect(text).not.toContain("resolve");
  });

  it("three mirrors are asked in the order of their line", () => {
    const rules = [byDigest(source, three), byTag(source, ["mirror.example.net"])];
    expect(urlsOf(mirrorsOf(rules), source)).toEqual([
      "https://example.io/v2/example",
      "https://mirror.example.net/v2",
      "https://mirror.example.com/v2/redhat",
      `https://${source}/v2`,
    ]);
    expect(urlsOf(mirrorsOf([byDigest(source, three.toReversed())]), source)).toEqual([
      "https://mirror.example.com/v2/redhat",
      "https://example.io/v2/example",
      `https://${source}/v2`,
    ]);
    expect(textsOf(mirrorsOf(rules.map(never)))[source]).toMatch(
      /^server = "https:\/\/mirror.example.com\/v2\/redhat"\n/,
    );
  });

  it("no mirror makes no file, which would hide the folder _default", () => {
    expect(mirrorsOf([byDigest(source, [])])).toMatchObject({ files: [], held: [], inexpressible: [] });
  });

  it("a mirror below two organisations keeps both", () => {
    expect(urlsOf(mirrorsOf([byDigest("a.com", ["registry.local/org/sub_org"])]), "a.com")[0]).toBe(
      "https://registry.local/v2/org/sub_org",
    );
  });
});

describe("Cases that WMCO gets wrong", () => {
  it("two mirrors that would become one: the second is reported, and the registry is left as it is", () => {
    const mirrors = mirrorsOf([byDigest("a.com/ns/img", ["m.io/ns/img", "m.io/img"])]);
    expect(mirrors).toMatchObject({
      files: [],
      held: [{ registry: "a.com", forbidsSource: false }],
      inexpressible: [
        {
          registry: "a.com",
          object: "ImageDigestMirrorSet/web",
          source: "a.com/ns/img",
          mirror: "m.io/img",
          reason: "path",
        },
      ],
    });
  });

  it("a mirror under another name is reported", () => {
    expect(faultsIn(byDigest("a.com/ns/img", ["m.io/other"]))).toEqual(["a.com path m.io/other"]);
    expect(faultsIn(byDigest("a.com/img", ["m.io/otherimg"]))).toEqual(["a.com path m.io/otherimg"]);
  });

  it("the published example: its images have another path on the mirror", () => {
    const published = byDigest("registry.access.redhat.com/ubi9/ubi-minimal", [
      "example.io/example/ubi-minimal",
      "example.com/example2/ubi-minimal",
    ]);
    expect(faultsIn(published)).toHaveLength(2);
    const mirrors = mirrorsOf([published, never(byDigest("registry.redhat.io", ["mirror.example.com"]))]);
    expect(heldIn(mirrors)).toEqual(["registry.access.redhat.com"]);
    expect(urlsOf(mirrors, "registry.redhat.io")).toEqual(["https://mirror.example.com/v2"]);
  });

  it("a wildcard holds the registries of its domain", () => {
    const mirrors = mirrorsOf([
      byDigest("*.redhat.io", ["m.io/redhat"]),
      byDigest("registry.redhat.io/ubi9", ["m.io/ubi9"]),
      byDigest("redhat.io", ["m.io"]),
    ]);
    expect(heldIn(mirrors)).toEqual(["*.redhat.io"]);
    expect(mirrors.files.map(({ registry }) => registry)).toEqual(["redhat.io"]);
  });

  it("Docker Hub as a mirror is asked under the host where it answers", () => {
    expect(urlsOf(mirrorsOf([byTag("docker-mirror.internal", ["docker.io"])]), "docker-mirror.internal")[0]).toBe(
      "https://registry-1.docker.io/v2",
    );
  });
});
