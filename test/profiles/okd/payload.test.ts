import { describe, expect, it } from "vitest";
import { payloadManifestOf } from "../../../lambdas/machine/payload.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { manifest } from "./facts.ts";

const changed = (name: string, change: object): unknown => ({
  ...manifest(),
  files: manifest().files.map((file) => (file.name === name ? { ...file, ...change } : file)),
});

describe("a payload manifest", () => {
  it("is taken when every file is there", () => {
    expect(payloadManifestOf(okd, JSON.parse(JSON.stringify(manifest())))).toEqual(manifest());
  });

  it.each([...okd.optionalPayload])("is taken without %s", (optional) => {
    const files = manifest().files.filter(({ name }) => name !== optional);
    expect(payloadManifestOf(okd, { ...manifest(), files }).files).toHaveLength(manifest().files.length - 1);
  });

  it.for<[string, unknown, string]>([
    ["lacks a file", { ...manifest(), files: manifest().files.slice(1) }, "guard.ps1 is missing"],
    [
      "names a file twice",
      { ...manifest(), files: [...manifest().files, manifest().files[0]] },
      "guard.ps1 is named twice",
    ],
    [
      "puts a file elsewhere",
      changed("kubelet.exe", { path: "C:\\Windows\\kubelet.exe" }),
      "kubelet.exe does not belong at C:\\Windows\\kubelet.exe",
    ],
    ["renames a file", changed("kubelet.exe", { name: "calc.exe" }), "calc.exe is no file of this payload"],
    ["has a hash that is none", changed("kubelet.exe", { sha256: "latest" }), "sha256"],
    ["names no version of the object", changed("kubelet.exe", { versionId: "" }), "versionId"],
    ["is of another profile", { ...manifest(), profile: "eks" }, "profile"],
    ["is nothing", null, "(top)"],
  ])("is refused when it %s", ([, value, fault]) => {
    expect(() => payloadManifestOf(okd, value)).toThrow(fault);
  });
});
