import { describe, expect, test } from "vitest";
import { sha256 } from "../../../lambdas/cluster/authorities.ts";
import type { Configuration } from "../../../lambdas/configuration/configuration.ts";
import { type InputContent, type InputFacts, needsInput, valueFor } from "../../../lambdas/inputs/input.ts";
import { mirrorsInput } from "../../../lambdas/inputs/mirrors/input.ts";
import type { Action } from "../../../lambdas/machine/plan.ts";
import { type SentInput, sendingInput } from "../../../lambdas/records/machine-record.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const base = configurationWith();
const configurationOf = (inputs: Configuration["cluster"]["inputs"]): Configuration => ({
  ...base,
  cluster: { ...base.cluster, inputs },
});

const FOLDER = "C:\\k\\containerd\\registries";
const fileOf = (registry: string): string => `${FOLDER}\\${registry}\\hosts.toml`;
const work = { owner: "reconcile-1:0", at: "2026-11-26T03:00:00Z" };

interface Line {
  readonly source: string;
  readonly mirrors: readonly string[];
  readonly mirrorSourcePolicy?: string;
}

const digestSet = (name: string, ...imageDigestMirrors: readonly Line[]): object => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ImageDigestMirrorSet",
  metadata: { name },
  spec: { imageDigestMirrors },
});

const quay: Line = { source: "quay.io", mirrors: ["mirror.example.com/quay"] };
const never = { mirrorSourcePolicy: "NeverContactSource" };
const redhat: Line = { source: "registry.redhat.io/ubi9", mirrors: ["mirror.example.com/ubi9"], ...never };

const facts: InputFacts = {
  configuration: configurationOf("openshift"),
  given: [],
  now: 0,
  isRequested: false,
  images: [],
  payload: null,
  accepted: [],
};

const read = (sets: readonly object[], more: Partial<InputFacts> = {}) =>
  mirrorsInput.content([sets, [], [], [{ spec: {} }]], { ...facts, ...more });

function content(sets: readonly object[], more: Partial<InputFacts> = {}): InputContent {
  const made = read(sets, more);
  if (typeof made === "string") throw new Error(`it needs the ${made}`);
  return made;
}

/** Record of a machine that has confirmed a content. */
const confirmed = (wanted: InputContent): SentInput => ({ ...valueFor(mirrorsInput, wanted, undefined), ...work });

const kinds = (actions: readonly Action[]): string[] =>
  actions.map((action) => `${action.do} ${"path" in action ? action.path.slice(FOLDER.length + 1) : ""}`);

describe("Sources of mirror sets", () => {
  test("are none by default, the kinds of OpenShift, or one ConfigMap", () => {
    expect(mirrorsInput.reads(configurationOf("none"))).toBeNull();
    expect(mirrorsInput.reads(configurationOf("openshift"))?.map(({ kind }) => kind)).toEqual([
      "ImageDigestMirrorSet",
      "ImageTagMirrorSet",
      "ImageContentSourcePolicy",
      "Image",
    ]);
    expect(mirrorsInput.reads(configurationOf("configmap"))).toMatchObject([{ namespace: "casement", name: "inputs" }]);
  });

  test("give the same content as objects and as text", () => {
    const text = `apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata: { name: team }
spec: { imageDigestMirrors: [{ source: quay.io, mirrors: [mirror.example.com/quay] }] }`;
    const found = [[{ data: { "mirrors.yaml": text } }]];
    const configuration = configurationOf("configmap");
    expect(mirrorsInput.content(found, { ...facts, configuration })).toEqual(content([digestSet("team", quay)]));
  });
});

describe("The content", () => {
  test("has what forbids a source before what allows one", () => {
    const { files } = content([digestSet("team", quay, redhat)]);
    expect(files.map(({ path }) => path)).toEqual([fileOf("registry.redhat.io"), fileOf("quay.io")]);
  });

  test("that is suddenly empty is refused while a machine has files, unless a person asks for it", () => {
    const given = [confirmed(content([digestSet("team", quay)]))];
    expect(() => read([], { given })).toThrow("no mirror set any more, but nodes have the files of one registry");
    expect(content([], { given, isRequested: true }).files).toEqual([]);
    expect(content([]).files).toEqual([]);
  });

  test("names what containerd cannot express, and holds its registry", () => {
    const { files, held, remarks } = content([
      digestSet("team", { source: "quay.io/a/b", mirrors: ["m.example.com/c"] }),
    ]);
    expect({ files, held }).toEqual({ files: [], held: ["quay.io"] });
    expect(remarks?.[0]).toContain("ImageDigestMirrorSet/team");
  });

  test("has another identity where other registries are held, although its files are the same", () => {
    const held = (source: string) => content([digestSet("team", { source, mirrors: ["m.example.com/c"] })]);
    expect(held("quay.io/a/b").files).toEqual(held("docker.io/a/b").files);
    expect(held("quay.io/a/b").sha256).not.toBe(held("docker.io/a/b").sha256);
    expect(held("quay.io/a/b").sha256).toBe(mirrorsInput.identityOf([], ["quay.io"]));
  });

  test("refuses new machines where a registry that is held must not be contacted", () => {
    const wrong = { source: "quay.io/a/b", mirrors: ["m.example.com/c"], ...never };
    expect(content([digestSet("team", wrong)]).refusesNew).toContain("quay.io must not be contacted");
    expect(content([digestSet("team", quay)]).refusesNew).toBeUndefined();
  });
});

describe("A source that must not be contacted", () => {
  const sets = [digestSet("team", redhat)];
  const other = "registry.redhat.io/rhel8/tool:1";

  test("needs the images in use before it is applied, and not once every machine has its file", () => {
    expect(read(sets, { images: null })).toBe("images");
    const given = [confirmed(content(sets))];
    expect(read(sets, { images: null, given })).toMatchObject({ asked: [] });
    expect(read([digestSet("team", quay)], { images: null })).toMatchObject({ asked: [] });
  });

  test("is asked for with the images of its registry that it would cut off, and held meanwhile", () => {
    const { files, held, remarks, asked } = content(sets, { images: [other, "quay.io/team/app:1"] });
    expect({ files, held }).toEqual({ files: [], held: ["registry.redhat.io"] });
    expect(asked).toEqual(["registry.redhat.io: registry.redhat.io/ubi9"]);
    expect(remarks?.[0]).toContain(other);
    expect(remarks?.[0]).not.toContain("quay.io");
  });

  test("is applied once a person has accepted it for these sources, and asked for again for others", () => {
    const { asked: accepted = [] } = content(sets, { images: [other] });
    expect(content(sets, { images: [other], accepted }).files).toHaveLength(1);
    const more = digestSet("more", {
      source: "registry.redhat.io/ubi8",
      mirrors: ["mirror.example.com/ubi8"],
      ...never,
    });
    expect(content([...sets, more], { images: [other], accepted }).files).toEqual([]);
  });
});

describe("The actions", () => {
  const both = content([digestSet("team", quay, redhat)]);
  const one = content([digestSet("team", quay)]);

  test("write each file into its folder, and take nothing of others", () => {
    const actions = mirrorsInput.actions(one, undefined);
    expect(kinds(actions)).toEqual(["directory quay.io", "file quay.io\\hosts.toml"]);
    expect(actions[1]).toMatchObject({ expects: [sha256(one.files[0]?.text ?? "")] });
  });

  test("replace a file that the record names, whoever edited it", () => {
    expect(mirrorsInput.actions(one, confirmed(one))[1]).not.toHaveProperty("expects");
  });

  test("remove last, and only what the record names and nothing holds", () => {
    expect(kinds(mirrorsInput.actions(one, confirmed(both)))).toEqual([
      "directory quay.io",
      "file quay.io\\hosts.toml",
      "remove-file registry.redhat.io\\hosts.toml",
      "remove-directory registry.redhat.io",
    ]);
    const held = { ...one, held: ["registry.redhat.io"] };
    expect(kinds(mirrorsInput.actions(held, confirmed(both)))).toHaveLength(2);
    expect(valueFor(mirrorsInput, held, confirmed(both)).files?.map(({ path }) => path)).toContain(
      fileOf("registry.redhat.io"),
    );
  });

  test("treat a file that was sent and not confirmed as perhaps Casement's", () => {
    const sent = sendingInput(undefined, valueFor(mirrorsInput, both, undefined), work);
    expect(needsInput(mirrorsInput, both)(sent)).toBe(true);
    const removal = mirrorsInput.actions(one, sent).find((action) => action.do === "remove-file");
    expect(removal).toMatchObject({ path: fileOf("registry.redhat.io"), expects: [expect.any(String)] });
  });
});

test("A machine without a record needs no content without files", () => {
  expect(needsInput(mirrorsInput, content([]))(undefined)).toBe(false);
  expect(needsInput(mirrorsInput, content([digestSet("team", quay)]))(undefined)).toBe(true);
});

describe("Credentials", () => {
  const secret = { secretId: "casement/prod-west/registries", description: "Registries: mirror.example.com" };
  const sets = [digestSet("team", quay), digestSet("other", { source: "ghcr.io", mirrors: ["open.example.com"] })];
  const first = content(sets, { secret: { ...secret, version: "v1" } });
  const second = content(sets, { secret: { ...secret, version: "v2" } });

  test("stand in a file as a hole, which the machine fills from a version of the secret", () => {
    const [, file] = mirrorsInput.actions(first, undefined).filter(({ do: kind }) => kind === "file");
    expect(file).toMatchObject({ path: fileOf("quay.io"), sha256: null, access: "system" });
    expect(file).toMatchObject({ source: { from: "template", secretId: secret.secretId, version: "v1" } });
    expect(JSON.stringify(valueFor(mirrorsInput, first, undefined))).not.toContain("Basic");
  });

  test("of another version make another content, for the files alone that have one", () => {
    expect(second.sha256).not.toBe(first.sha256);
    expect(needsInput(mirrorsInput, second)(confirmed(first))).toBe(true);
    expect(needsInput(mirrorsInput, first)(confirmed(first))).toBe(false);
    const [open] = first.files;
    expect(open).toEqual({ path: fileOf("ghcr.io"), text: expect.any(String) });
    expect(second.files[0]).toEqual(open);
  });

  test("of hosts that no mirror set names change nothing", () => {
    const unused = content(sets, { secret: { ...secret, description: "Registries: quay.example.com", version: "v3" } });
    expect(unused).toEqual(content(sets));
  });

  test("are recognised on the machine by their template, when a file was sent and not confirmed", () => {
    const sent = sendingInput(undefined, valueFor(mirrorsInput, first, undefined), work);
    const removal = mirrorsInput.actions(content([]), sent).find((action) => action.do === "remove-file");
    const written = mirrorsInput.actions(second, sent).filter(({ do: kind }) => kind === "file");
    const template = first.files.find(({ path }) => path === fileOf("quay.io"))?.text ?? "";
    const known = sha256(template.replaceAll("<<mirror.example.com>>", "<<>>"));
    expect(written.map((action) => "expects" in action && action.expects)).toContainEqual([known]);
    expect(removal).toHaveProperty("expects");
  });
});
