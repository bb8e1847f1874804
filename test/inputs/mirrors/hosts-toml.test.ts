import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hostsToml } from "../../../lambdas/inputs/mirrors/hosts-toml.ts";
import { mirrorsOf } from "../../../lambdas/inputs/mirrors/mirrors.ts";
import { byDigest, byTag, insecure, never, textsOf } from "./rules.ts";

describe("A hosts.toml", () => {
  it("of a forbidden source has the last mirror as its server, with its capabilities", () => {
    const mirrors = ["mirror1.example.com:8443/redhat", "mirror2.example.com/redhat"];
    const [file] = mirrorsOf([never(byDigest("registry.redhat.io", mirrors))]).files;
    expect(file).toMatchObject({
      registry: "registry.redhat.io",
      folder: "registry.redhat.io",
      forbidsSource: true,
      isUnencrypted: false,
      sources: [{ source: "registry.redhat.io", objects: ["ImageDigestMirrorSet/web"], isForbidden: true }],
    });
    expect(file?.text).toBe(`server = "https://mirror2.example.com/v2/redhat"
capabilities = [ "pull" ]
override_path = true

[host."https://mirror1.example.com:8443/v2/redhat"]
capabilities = [ "pull" ]
override_path = true
`);
    expect(file?.sha256).toBe(
      createHash("sha256")
        .update(file?.text ?? "")
        .digest("hex"),
    );
  });

  it("of Docker Hub falls back to the host under which it answers", () => {
    expect(textsOf(mirrorsOf([byTag("docker.io", ["docker-mirror.internal/hub"])]))).toEqual({
      "docker.io": `server = "https://registry-1.docker.io/v2"
override_path = true

[host."https://docker-mirror.internal/v2/hub"]
capabilities = [ "pull", "resolve" ]
override_path = true
`,
    });
  });

  it("names the only mirror of a forbidden source twice, because containerd 1.7 drops a file without [host]", () => {
    expect(textsOf(mirrorsOf([never(byTag("quay.io", ["m.io"]))]))).toEqual({
      "quay.io": `server = "https://m.io/v2"
capabilities = [ "pull", "resolve" ]
override_path = true

[host."https://m.io/v2"]
capabilities = [ "pull", "resolve" ]
override_path = true
`,
    });
  });

  it("of an insecure registry asks by HTTPS without verification, then by HTTP", () => {
    const [file] = mirrorsOf([], insecure("reg.example.com:5000")).files;
    expect(file).toMatchObject({ folder: "reg.example.com_5000_", forbidsSource: false, isUnencrypted: true });
    expect(file?.text).toBe(`server = "http://reg.example.com:5000/v2"
override_path = true

[host."https://reg.example.com:5000/v2"]
override_path = true
skip_verify = true
`);
  });

  it("has a hole for the credential of each host, at the root for the server", () => {
    const lines = never(byTag("quay.io", ["m.io:5000/hub", "n.io"]));
    const [file] = mirrorsOf([lines], undefined, ["n.io", "m.io:5000", "other.io"]).files;
    expect(file?.text).toBe(`server = "https://n.io/v2"
capabilities = [ "pull", "resolve" ]
override_path = true

[header]
Authorization = "Basic <<n.io>>"

[host."https://m.io:5000/v2/hub"]
capabilities = [ "pull", "resolve" ]
override_path = true

[host."https://m.io:5000/v2/hub".header]
Authorization = "Basic <<m.io:5000>>"
`);
    expect(file?.credentials).toEqual(["m.io:5000", "n.io"]);
  });

  it("has the credential of its only mirror twice, and that of a host under its other address", () => {
    const [file] = mirrorsOf([never(byTag("quay.io", ["m.io:443"]))], undefined, ["m.io"]).files;
    expect(file?.text.match(/<<m\.io>>/g)).toHaveLength(2);
  });

  it("has the source's credential at the root, and none for an insecure host or another port", () => {
    const lines = byTag("docker.io", ["m.io/hub", "n.io:5000/hub"]);
    const mirrors = mirrorsOf([lines], insecure("m.io"), ["docker.io", "m.io", "n.io"]);
    expect(mirrors.files[0]?.text.match(/<<.*>>/g)).toEqual(["<<docker.io>>"]);
    expect(mirrors.files[0]?.text).toMatch(/\n\[header\]\nAuthorization = "Basic <<docker\.io>>"\n/);
    expect(mirrors.unusedCredentials).toEqual(["m.io", "n.io"]);
  });

  it.each([
    ["a quotation mark", 'https://m.io/v2/"x'],
    ["a backslash", "https://m.io\\v2"],
    ["a letter outside ASCII", "https://m.io/v2/ü"],
    ["a line break", "https://m.io/v2\n"],
    ["no scheme", "m.io/v2"],
  ])("is not written with %s in a host", (_, url) => {
    const host = { url, capabilities: undefined, skipsVerification: false };
    expect(() => hostsToml([{ ...host, url: "https://a.io/v2" }, host])).toThrow("may not read");
    expect(() => hostsToml([host, { ...host, url: "https://a.io/v2" }])).toThrow("may not read");
  });

  it("is not written if one host would stand in it twice", () => {
    const host = { url: "https://m.io/v2", capabilities: undefined, skipsVerification: false };
    expect(() => hostsToml([host, host])).toThrow("a host stands in a hosts.toml twice");
    expect(() => hostsToml([])).toThrow("needs a host");
  });
});
