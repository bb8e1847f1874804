import { describe, expect, it } from "vitest";
import { cutOffImages, isHeld, mirrorsOf } from "../../../lambdas/inputs/mirrors/mirrors.ts";
import { byDigest, byTag, faultsIn, heldIn, insecure, never, textsOf, urlsOf } from "./rules.ts";

describe("A line that containerd cannot follow", () => {
  it("leaves its whole registry as it is, and no other", () => {
    const mirrors = mirrorsOf([
      byDigest("quay.io/a", ["m.io/a"]),
      byDigest("quay.io/b", ["m.io/other"], { object: "ImageDigestMirrorSet/b" }),
      byDigest("a.com", ["m.io"]),
    ]);
    expect(mirrors.files.map(({ registry }) => registry)).toEqual(["a.com"]);
    expect(heldIn(mirrors)).toEqual(["quay.io"]);
    expect(mirrors.inexpressible.map(({ object }) => object)).toEqual(["ImageDigestMirrorSet/b"]);
    expect(isHeld("quay.io", mirrors)).toBe(true);
    expect(isHeld("a.com", mirrors)).toBe(false);
    expect(isHeld("b.com", mirrors)).toBe(false);
  });

  it("says if its registry is one that must not be contacted", () => {
    const rules = [
      never(byDigest("a.com/x", ["m.io/x"])),
      byDigest("a.com/y", ["m.io/z"]),
      byDigest("b.com/y", ["m.io/z"]),
    ];
    expect(mirrorsOf(rules).held).toEqual([
      { registry: "a.com", forbidsSource: true },
      { registry: "b.com", forbidsSource: false },
    ]);
  });

  it("holds the folder of a registry with a port", () => {
    const mirrors = mirrorsOf([byDigest("r.io:5000/a", ["m.io/b"])]);
    expect(isHeld("r.io_5000_", mirrors)).toBe(true);
    expect(isHeld("r.io", mirrors)).toBe(false);
  });

  it.each([
    ["a tag", byTag("quay.io/a:v1", ["m.io/a:v1"]), "quay.io tag"],
    ["a digest", byTag("quay.io/a@sha256:0", ["m.io/a"]), "quay.io digest"],
    ["a scheme in a mirror", byTag("quay.io/a", ["https://m.io/a"]), "quay.io scheme https://m.io/a"],
    ["a wildcard in a mirror", byTag("quay.io/a", ["*.io/a"]), "quay.io wildcard *.io/a"],
    ["capital letters in a path", byTag("quay.io/a", ["m.io/A"]), "quay.io name m.io/A"],
    ["a folder that Windows does not have", byTag("nul.io", ["m.io"]), "nul.io folder"],
    ["nothing that can be read", byTag("what is this", ["m.io"]), "name"],
    ["a forbidden source without a mirror", never(byDigest("quay.io", [])), "quay.io no-mirror"],
    ["a forbidden source as its only mirror", never(byDigest("quay.io", ["quay.io"])), "quay.io source-is-mirror"],
    [
      "a forbidden source among its mirrors",
      never(byDigest("docker.io", ["m.io", "registry-1.docker.io"])),
      "docker.io source-is-mirror registry-1.docker.io",
    ],
  ])("is reported: %s", (_, rule, fault) => {
    expect(faultsIn(rule)).toEqual([fault]);
    expect(mirrorsOf([rule]).files).toEqual([]);
  });
});

it("A mirror that two lines name with and without the port of HTTPS is one", () => {
  const rules = [byDigest("quay.io", ["m.io:443", "k.io", "m.io"]), byTag("quay.io", ["m.io"])];
  for (const given of [rules, rules.toReversed()])
    expect(urlsOf(mirrorsOf(given), "quay.io")).toEqual(["https://m.io/v2", "https://k.io/v2", "https://quay.io/v2"]);
});

describe("A source among its mirrors", () => {
  it("has its place in the order, and still resolves tags", () => {
    const mirrors = mirrorsOf([byDigest("quay.io", ["m.io", "quay.io", "n.io"]), byDigest("quay.io", ["k.io"])]);
    expect(textsOf(mirrors)["quay.io"]).toBe(`server = "https://n.io/v2"
capabilities = [ "pull" ]
override_path = true

[host."https://k.io/v2"]
capabilities = [ "pull" ]
override_path = true

[host."https://m.io/v2"]
capabilities = [ "pull" ]
override_path = true

[host."https://quay.io/v2"]
override_path = true
`);
  });

  it("is asked once if it is the last of them", () => {
    const mirrors = mirrorsOf([byDigest("quay.io", ["m.io", "quay.io"])]);
    expect(textsOf(mirrors)["quay.io"]?.match(/quay\.io/g)).toHaveLength(1);
  });

  it("is not asked if another line of its registry forbids it", () => {
    const rules = [byDigest("quay.io/a", ["m.io/a", "quay.io/a", "n.io/a"]), never(byDigest("quay.io/b", ["m.io/b"]))];
    expect(urlsOf(mirrorsOf(rules), "quay.io")).toEqual(["https://m.io/v2", "https://n.io/v2"]);
  });
});

describe("A mirror in a forbidden source", () => {
  it("is left out, as Linux nodes refuse it, and named", () => {
    const mirrors = mirrorsOf([
      never(byDigest("a.com", ["m.io"])),
      byDigest("c.com", ["a.com/cache", "n.io"], { object: "ImageDigestMirrorSet/c" }),
    ]);
    expect(urlsOf(mirrors, "c.com")).toEqual(["https://n.io/v2", "https://c.com/v2"]);
    expect(mirrors.unused).toEqual([
      { registry: "c.com", object: "ImageDigestMirrorSet/c", source: "c.com", mirror: "a.com/cache" },
    ]);
  });

  it("is used if the policy has no effect, because the line names no mirror", () => {
    const mirrors = mirrorsOf([never(byDigest("a.com", [])), byDigest("c.com", ["a.com/cache"])]);
    expect(urlsOf(mirrors, "c.com")[0]).toBe("https://a.com/v2/cache");
  });

  it("is used if only a wildcard forbids it, and its registry is allowed by name", () => {
    const rules = [never(byDigest("*.example.com", ["m.io"])), byDigest("a.example.com", ["n.io"])];
    const mirrors = mirrorsOf([...rules, byDigest("c.com", ["a.example.com", "b.example.com"])]);
    expect(urlsOf(mirrors, "c.com")).toEqual(["https://a.example.com/v2", "https://c.com/v2"]);
  });

  it("is used if a closer source allows it", () => {
    const rules = [never(byDigest("a.com", ["m.io"])), byDigest("a.com/cache", ["n.io/cache"])];
    const mirrors = mirrorsOf([...rules, byDigest("c.com", ["a.com/cache"])]);
    expect(urlsOf(mirrors, "c.com")[0]).toBe("https://a.com/v2/cache");
  });

  it("is reported if no other mirror is left for a forbidden source", () => {
    const rules = [never(byDigest("a.com", ["m.io"])), never(byDigest("c.com", ["a.com/cache"]))];
    expect(faultsIn(...rules)).toEqual(["c.com forbidden-mirrors"]);
    expect(heldIn(mirrorsOf(rules))).toEqual(["c.com"]);
  });

  it("needs no file if the source may be asked", () => {
    const mirrors = mirrorsOf([never(byDigest("a.com", ["m.io"])), byDigest("c.com", ["a.com/cache"])]);
    expect(mirrors.files.map(({ registry }) => registry)).toEqual(["a.com"]);
    expect(heldIn(mirrors)).toEqual([]);
  });

  it("is reported if containerd would ask the mirror's registry for the forbidden part too", () => {
    const rules = [never(byDigest("a.com/secret", ["m.io/secret"])), byDigest("c.com/app", ["a.com/app"])];
    expect(faultsIn(...rules)).toEqual(["c.com forbidden-part a.com/app"]);
    const closer = [never(byDigest("a.com", ["m.io"])), byDigest("a.com/x/app", ["n.io/x/app"])];
    expect(faultsIn(...closer, byDigest("c.com/app", ["a.com/x/app"]))).toEqual(["c.com forbidden-part a.com/x/app"]);
  });
});

describe("An insecure registry", () => {
  it("is insecure as a mirror of others, and their files are unencrypted", () => {
    const mirrors = mirrorsOf([byDigest("quay.io", ["m.io:5000/q"])], insecure("m.io:5000"));
    expect(urlsOf(mirrors, "quay.io")).toEqual([
      "https://m.io:5000/v2/q",
      "http://m.io:5000/v2/q",
      "https://quay.io/v2",
    ]);
    expect(textsOf(mirrors)["quay.io"]?.match(/skip_verify/g)).toHaveLength(1);
    expect(mirrors.files.map(({ registry, isUnencrypted }) => [registry, isUnencrypted])).toEqual([
      ["m.io:5000", true],
      ["quay.io", true],
    ]);
  });

  it("is insecure as the only mirror of a forbidden source", () => {
    const mirrors = mirrorsOf([never(byDigest("quay.io", ["m.io"]))], insecure("m.io"));
    expect(textsOf(mirrors)["quay.io"]).toBe(`server = "http://m.io/v2"
capabilities = [ "pull" ]
override_path = true

[host."https://m.io/v2"]
capabilities = [ "pull" ]
override_path = true
skip_verify = true
`);
  });

  it("with another port is another registry", () => {
    const mirrors = mirrorsOf([byDigest("quay.io", ["m.io:5000"])], insecure("m.io"));
    expect(textsOf(mirrors)["quay.io"]).not.toContain("skip_verify");
  });

  it("as a source keeps its mirrors before it", () => {
    const mirrors = mirrorsOf([byDigest("r.io", ["m.io"])], insecure("r.io"));
    expect(urlsOf(mirrors, "r.io")).toEqual(["https://m.io/v2", "https://r.io/v2", "http://r.io/v2"]);
  });

  it("in part is reported, and its registry left as it is", () => {
    const mirrors = mirrorsOf([byDigest("r.io", ["m.io"])], insecure("r.io/team"));
    expect(mirrors).toMatchObject({
      files: [],
      held: [{ registry: "r.io", forbidsSource: false }],
      inexpressible: [{ object: "Image/cluster", source: "r.io/team", mirror: null, reason: "insecure-part" }],
    });
  });

  it("in part is insecure as a mirror if the mirror lies in this part for all images", () => {
    const mirrors = mirrorsOf([byDigest("quay.io/a", ["m.io/team/a"])], insecure("m.io/team"));
    expect(urlsOf(mirrors, "quay.io")).toContain("http://m.io/v2/team");
    const partly = mirrorsOf([byDigest("quay.io/team/a", ["m.io/team/a"])], insecure("m.io/team"));
    expect(partly.inexpressible.map(({ registry, reason }) => `${registry} ${reason}`)).toEqual([
      "m.io insecure-part",
      "quay.io insecure-part",
    ]);
  });

  it("as a wildcard is followed where a mirror set names the registry, and holds the others", () => {
    const mirrors = mirrorsOf([byDigest("r.example.com", ["m.io"])], insecure("*.example.com"));
    expect(urlsOf(mirrors, "r.example.com").at(-1)).toBe("http://r.example.com/v2");
    expect(mirrors.inexpressible).toMatchObject([{ registry: "*.example.com", reason: "wildcard" }]);
    expect(isHeld("other.example.com", mirrors)).toBe(true);
    expect(isHeld("r.example.com", mirrors)).toBe(false);
  });

  it.each([
    ["http://r.io:5000", "r.io:5000 scheme"],
    ["registry", "registry no-registry"],
    ["aux.io", "aux.io folder"],
  ])("named %s is reported", (name, fault) => {
    const { files, inexpressible } = mirrorsOf([], insecure(name));
    expect(inexpressible.map(({ registry, reason }) => `${registry} ${reason}`)).toEqual([fault]);
    expect(files).toEqual([]);
  });
});

it("Blocked and allowed registries are named as lists that Windows nodes do not hold", () => {
  const { unenforced } = mirrorsOf([], { insecure: [], blocked: ["z.io", "a.io"], allowed: [] });
  expect(unenforced).toEqual({ blocked: ["a.io", "z.io"], allowed: [] });
});

describe("A mirror of one repository", () => {
  it("is named, because containerd asks it for every repository of the registry", () => {
    const rules = [byDigest("quay.io/b", ["m.io/x/b"]), byDigest("quay.io/a", ["m.io/x/a", "n.io/a"])];
    expect(mirrorsOf(rules).widened).toEqual([
      { registry: "quay.io", mirror: "m.io/x", pulls: "digest", sources: ["quay.io/a", "quay.io/b"] },
      { registry: "quay.io", mirror: "n.io", pulls: "digest", sources: ["quay.io/a"] },
    ]);
  });

  it("is not named if it is the registry itself", () => {
    expect(mirrorsOf([byDigest("quay.io/a", ["quay.io/a", "quay.io/cache/a"])]).widened).toMatchObject([
      { mirror: "quay.io/cache" },
    ]);
  });

  it("is not named if it mirrors the registry too", () => {
    expect(mirrorsOf([byDigest("quay.io/a", ["m.io/a"]), byDigest("quay.io", ["m.io"])]).widened).toEqual([]);
  });

  it("is named for tags if it mirrors the registry by digest alone", () => {
    expect(mirrorsOf([byTag("quay.io/a", ["m.io/a"]), byDigest("quay.io", ["m.io"])]).widened).toEqual([
      { registry: "quay.io", mirror: "m.io", pulls: "tag", sources: ["quay.io/a"] },
    ]);
  });
});

describe("Images that a forbidden repository cuts off", () => {
  const rules = [
    never(byDigest("quay.io/a", ["m.io/a"])),
    byDigest("quay.io/a/open", ["m.io/a/open"]),
    never(byDigest("docker.io", ["m.io/hub"])),
    byDigest("a.com/x", ["m.io/x"]),
  ];

  it("are those of its registry that no forbidden source holds", () => {
    const images = [
      "quay.io/a:v1",
      "quay.io/b:v1",
      "quay.io/ab",
      "quay.io/a/open:v1",
      "nginx",
      "a.com/y",
      "quay.io/b:v1",
      "?",
    ];
    expect(cutOffImages(mirrorsOf(rules), images)).toEqual([
      { registry: "quay.io", forbidden: ["quay.io/a"], images: ["quay.io/a/open:v1", "quay.io/ab", "quay.io/b:v1"] },
    ]);
  });

  it("are none where the whole registry is forbidden, or nothing is", () => {
    expect(cutOffImages(mirrorsOf(rules), ["nginx", "team/app", "a.com/y"])).toEqual([]);
  });
});
