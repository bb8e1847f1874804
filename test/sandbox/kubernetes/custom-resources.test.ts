import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import type { Cause } from "../../../lib/sandbox/kubernetes/model/failure.ts";
import { at } from "../../../lib/sandbox/kubernetes/model/object.ts";
import { type CustomSchema, customSchemaOf } from "../../../lib/sandbox/kubernetes/validation/custom-schemas.ts";
import { type StillCluster, stillCluster } from "./cluster.ts";

let cluster: StillCluster;
beforeEach(async () => {
  cluster = await stillCluster();
});
afterEach(() => cluster.stop());

const CONFIG = "/apis/config.openshift.io/v1";
const SETS = `${CONFIG}/imagedigestmirrorsets`;
const TAGS = `${CONFIG}/imagetagmirrorsets`;
const POLICIES = "/apis/operator.openshift.io/v1alpha1/imagecontentsourcepolicies";
const IMAGES = `${CONFIG}/images`;

const digests = (spec: unknown, name = "mirrors") => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ImageDigestMirrorSet",
  metadata: { name },
  spec,
});
const mirroring = (entry: object) => digests({ imageDigestMirrors: [entry] });
const tags = { ...digests({ imageTagMirrors: [{ source: "quay.io" }] }), kind: "ImageTagMirrorSet" };
const policy = {
  apiVersion: "operator.openshift.io/v1alpha1",
  kind: "ImageContentSourcePolicy",
  metadata: { name: "old" },
  spec: { repositoryDigestMirrors: [{ source: "any:text", mirrors: ["https://mirror", "https://mirror"] }] },
};
const image = (spec: object) => ({
  apiVersion: "config.openshift.io/v1",
  kind: "Image",
  // Every cluster has one named "cluster" already; the definition is the same for any name.
  metadata: { name: "another" },
  spec,
});

/** Asserts that an object is refused; returns the fields and their errors. */
async function causesOf(path: string, object: object): Promise<readonly string[]> {
  const { status, body } = await cluster.admin(`POST ${path}`, object);
  expect([status, body.reason]).toEqual([422, "Invalid"]);
  const { causes = [] } = body.details as { readonly causes?: readonly Cause[] };
  return causes.map(({ field, message }) => `${field}: ${message}`);
}

const entry = "spec.imageDigestMirrors[0]";

describe("a mirror set", () => {
  it.each(["quay.io", "registry.example.com:5000", "quay.io/openshift/release__x/a-b.c", "*.redhat.io", "localhost"])(
    "takes the source %s",
    async (source) => {
      const set = mirroring({
        source,
        mirrors: ["mirror.example.com:5000/a/b"],
        mirrorSourcePolicy: "NeverContactSource",
      });
      expect((await cluster.admin(`POST ${SETS}`, set)).status).toBe(201);
    },
  );

  it.each([
    "https://quay.io",
    "quay.io/",
    "quay.io/Upper",
    "quay.io/a:tag",
    "quay.io/a@sha256:0",
    "*",
    "*.io/a",
    "a..b",
    "",
  ])("refuses the source %j with its pattern", async (source) => {
    const [cause, ...others] = await causesOf(SETS, mirroring({ source }));
    expect(others).toEqual([]);
    expect(cause).toContain(
      `${entry}.source: Invalid value: ${JSON.stringify(source)}: ${entry}.source in body should match '^\\*(?:`,
    );
  });

  it("is judged as by the pattern that the error shows", () => {
    const { pattern } = at(
      customSchemaOf({ kind: "ImageDigestMirrorSet", group: "config.openshift.io" }),
      ...["properties", "spec", "properties", "imageDigestMirrors", "items", "properties", "source"],
    ) as CustomSchema;
    const shown = new RegExp(pattern?.shown ?? "");
    const names = fc.array(fc.constantFrom(..."aA0-_./:*"), { maxLength: 12 }).map((letters) => letters.join(""));
    fc.assert(
      fc.property(names, (name) => {
        expect(pattern?.matcher.test(name)).toBe(shown.test(name));
      }),
      { numRuns: 2_000 },
    );
  });

  it("judges a long name at once, for which a naive pattern would need hours", async () => {
    const [cause] = await causesOf(SETS, mirroring({ source: `quay.io/${"a".repeat(5_000)}!` }));
    expect(cause).toContain("should match");
  });

  it.each([
    [
      "a wildcard as a mirror",
      { source: "a.io", mirrors: ["*.b.io"] },
      /^.*mirrors\[0\]: Invalid value: "\*\.b\.io": .* should match '\^\(\(\?:/,
    ],
    ["a mirror twice", { source: "a.io", mirrors: ["b.io", "b.io"] }, /mirrors\[1\]: Duplicate value: "b\.io"$/],
    [
      "another policy",
      { source: "a.io", mirrorSourcePolicy: "Never" },
      /mirrorSourcePolicy: Unsupported value: "Never": supported values: "NeverContactSource", "AllowContactingSource"$/,
    ],
    ["no source", { mirrors: ["b.io"] }, /^spec\.imageDigestMirrors\[0\]\.source: Required value$/],
    [
      "text in place of a list",
      { source: "a.io", mirrors: "b.io" },
      /mirrors: Invalid value: "string": .*mirrors in body must be of type array: "string"$/,
    ],
  ])("refuses %s", async (_what, wrong, words) => {
    expect(await causesOf(SETS, mirroring(wrong))).toEqual([expect.stringMatching(words)]);
  });

  it("needs a spec, which may be empty", async () => {
    expect(await causesOf(SETS, digests(undefined))).toEqual(["spec: Required value"]);
    expect((await cluster.admin(`POST ${SETS}`, digests({}))).status).toBe(201);
  });

  it("loses the fields that its definition does not have, or is refused when the client asks for strictness", async () => {
    const given = mirroring({ source: "a.io", mirror: ["b.io"] });
    const strict = await cluster.admin(`POST ${SETS}?fieldValidation=Strict`, given);
    expect([strict.status, strict.body.message]).toEqual([
      400,
      `ImageDigestMirrorSet in version "v1" cannot be handled as a ImageDigestMirrorSet: strict decoding error: unknown field "${entry}.mirror"`,
    ]);
    const { body } = await cluster.admin(`POST ${SETS}`, given);
    expect(body.spec).toEqual({ imageDigestMirrors: [{ source: "a.io" }] });
  });

  it("is judged again when it is changed", async () => {
    await cluster.admin(`POST ${SETS}`, mirroring({ source: "a.io" }));
    const { status, body } = await cluster.admin(
      `PATCH ${SETS}/mirrors`,
      { spec: { imageDigestMirrors: [{ source: "https://a.io" }] } },
      { "content-type": "application/merge-patch+json" },
    );
    expect([status, body.reason]).toEqual([422, "Invalid"]);
  });

  it("is listed page by page", async () => {
    for (const name of ["a", "b", "c"]) await cluster.admin(`POST ${SETS}`, digests({}, name));
    const first = await cluster.admin(`GET ${SETS}?limit=2`);
    const { continue: next, remainingItemCount } = first.body.metadata as unknown as Record<string, unknown>;
    expect(remainingItemCount).toBe(1);
    const second = await cluster.admin(`GET ${SETS}?limit=2&continue=${next}`);
    const names = [first, second].map(({ body }) =>
      (body.items as { metadata: { name: string } }[]).map((one) => one.metadata.name),
    );
    expect(names).toEqual([["a", "b"], ["c"]]);
  });
});

test("a set of tags has the same rules, with its own list", async () => {
  expect((await cluster.admin(`POST ${TAGS}`, tags)).status).toBe(201);
  const wrong = { ...tags, spec: { imageTagMirrors: [{}] } };
  expect(await causesOf(TAGS, wrong)).toEqual(["spec.imageTagMirrors[0].source: Required value"]);
});

test("an ImageContentSourcePolicy takes any text, and is served in its own version alone", async () => {
  expect((await cluster.admin(`POST ${POLICIES}`, policy)).status).toBe(201);
  expect((await cluster.admin(`GET ${POLICIES.replace("v1alpha1", "v1")}`)).status).toBe(404);
  const { body } = await cluster.admin("GET /apis/operator.openshift.io");
  expect(body.versions).toEqual([
    { groupVersion: "operator.openshift.io/v1", version: "v1" },
    { groupVersion: "operator.openshift.io/v1alpha1", version: "v1alpha1" },
  ]);
});

describe("the cluster's Image", () => {
  it("takes registries, a bundle of authorities and everything else of its definition", async () => {
    const spec = {
      additionalTrustedCA: { name: "registries" },
      registrySources: { insecureRegistries: ["registry.example.com:5000"], blockedRegistries: ["*.example.org"] },
      imageStreamImportMode: "Legacy",
    };
    const { status, body } = await cluster.admin(`POST ${IMAGES}`, image(spec));
    expect([status, body.spec]).toEqual([201, spec]);
  });

  it.each([
    [
      "a scheme before a registry",
      { insecureRegistries: ["http://a.io"] },
      'spec.registrySources.insecureRegistries[0]: Invalid value: "http://a.io": each registry must be a valid hostname[:port][/path] or wildcard *.hostname format without tags or digests',
    ],
    [
      "blocked and allowed registries together",
      { blockedRegistries: ["a.io"], allowedRegistries: ["b.io"] },
      "spec.registrySources: Invalid value: Only one of blockedRegistries or allowedRegistries may be set",
    ],
    [
      "an endless name",
      { blockedRegistries: ["a".repeat(257)] },
      "spec.registrySources.blockedRegistries[0]: Too long: may not be more than 256 bytes",
    ],
    [
      "an empty name",
      { blockedRegistries: [""] },
      'spec.registrySources.blockedRegistries[0]: Invalid value: "": spec.registrySources.blockedRegistries[0] in body should be at least 1 chars long',
    ],
    [
      "more registries than the definition allows",
      { allowedRegistries: Array.from({ length: 1_025 }, (_, at) => `r${at}.io`) },
      "spec.registrySources.allowedRegistries: Too many: 1025: must have at most 1024 items",
    ],
  ])("refuses %s", async (_what, registrySources, cause) => {
    expect(await causesOf(IMAGES, image({ registrySources }))).toEqual([cause]);
  });
});
