import { describe, expect, it } from "vitest";
import { Refused } from "../../../lambdas/errors.ts";
import { registrySourcesOf, servedRules } from "../../../lambdas/inputs/mirrors/mirror-sets.ts";

const object = (spec: unknown, more: object = {}) => ({ metadata: { name: "web", uid: "1" }, spec, ...more });
const line = { source: "quay.io", mirrors: ["m.io", "n.io"] };

describe("The mirror sets that a cluster serves", () => {
  it("are read in the order of the list", () => {
    const sets = [
      object({ imageDigestMirrors: [{ ...line, mirrorSourcePolicy: "NeverContactSource" }, { source: "a.com" }] }),
      { ...object({ imageDigestMirrors: [line] }), metadata: { name: "api" } },
      object({}),
      object({ imageDigestMirrors: null }),
    ];
    expect(servedRules("ImageDigestMirrorSet", sets)).toEqual([
      { object: "ImageDigestMirrorSet/web", ...line, policy: "NeverContactSource", pulls: "digest" },
      {
        object: "ImageDigestMirrorSet/web",
        source: "a.com",
        mirrors: [],
        policy: "AllowContactingSource",
        pulls: "digest",
      },
      { object: "ImageDigestMirrorSet/api", ...line, policy: "AllowContactingSource", pulls: "digest" },
    ]);
  });

  it("hold for tags or digests by their kind", () => {
    const [byTag] = servedRules("ImageTagMirrorSet", [object({ imageTagMirrors: [line] })]);
    const [old] = servedRules("ImageContentSourcePolicy", [object({ repositoryDigestMirrors: [line] })]);
    expect(byTag).toMatchObject({ object: "ImageTagMirrorSet/web", pulls: "tag" });
    expect(old).toMatchObject({ object: "ImageContentSourcePolicy/web", pulls: "digest" });
  });

  it("may have fields that this release does not know", () => {
    const repositoryDigestMirrors = [{ ...line, mirrorSourcePolicy: "NeverContactSource", weight: 3 }];
    const served = object(
      { repositoryDigestMirrors, more: 1 },
      { apiVersion: "operator.openshift.io/v1alpha1", kind: "ImageContentSourcePolicy", status: {}, extra: 1 },
    );
    expect(servedRules("ImageContentSourcePolicy", [served])).toEqual([
      { object: "ImageContentSourcePolicy/web", ...line, policy: "AllowContactingSource", pulls: "digest" },
    ]);
  });

  it.each([
    ["a source that is no text", { imageTagMirrors: [{ source: 5 }] }, "spec.imageTagMirrors.0.source: Invalid input"],
    ["no source", { imageTagMirrors: [{ mirrors: [] }] }, "spec.imageTagMirrors.0.source: Invalid input"],
    ["one mirror", { imageTagMirrors: [line, { ...line, mirrors: "m.io" }] }, "spec.imageTagMirrors.1.mirrors: "],
    ["an empty mirror", { imageTagMirrors: [{ ...line, mirrors: [""] }] }, "spec.imageTagMirrors.0.mirrors.0: "],
    [
      "another policy",
      { imageTagMirrors: [{ ...line, mirrorSourcePolicy: "Never" }] },
      "spec.imageTagMirrors.0.mirrorSourcePolicy: ",
    ],
    ["a table of lines", { imageTagMirrors: {} }, "spec.imageTagMirrors: "],
    ["no spec", undefined, "spec: "],
  ])("are refused as a whole with %s, by object and field", (_, spec, message) => {
    const read = () => servedRules("ImageTagMirrorSet", [object({ imageTagMirrors: [line] }), object(spec)]);
    expect(read).toThrow(Refused);
    expect(read).toThrow(`ImageTagMirrorSet/web: ${message}`);
  });

  it("are refused by number if they have no name", () => {
    expect(() => servedRules("ImageTagMirrorSet", [object({}), { spec: {} }])).toThrow(
      "ImageTagMirrorSet/number 2 of the list: metadata: ",
    );
    expect(() => servedRules("ImageTagMirrorSet", [null])).toThrow(
      "ImageTagMirrorSet/number 1 of the list: the object: ",
    );
  });
});

describe("The image configuration that a cluster serves", () => {
  it("has the lists of registries", () => {
    const registrySources = { insecureRegistries: ["a.io"], blockedRegistries: ["b.io"], more: [] };
    expect(registrySourcesOf({ spec: { registrySources, additionalTrustedCA: { name: "ca" } } })).toEqual({
      insecure: ["a.io"],
      blocked: ["b.io"],
      allowed: [],
    });
  });

  it.each([{}, { spec: null }, { spec: {} }, { spec: { registrySources: null } }])("is empty in %j", (value) => {
    expect(registrySourcesOf(value)).toEqual({ insecure: [], blocked: [], allowed: [] });
  });

  it("is refused with another shape", () => {
    const read = () => registrySourcesOf({ spec: { registrySources: { insecureRegistries: "a.io" } } });
    expect(read).toThrow(Refused);
    expect(read).toThrow("Image/cluster: spec.registrySources.insecureRegistries: ");
  });
});
