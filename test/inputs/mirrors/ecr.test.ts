import { expect, test } from "vitest";
import { sha256 } from "../../../lambdas/cluster/authorities.ts";
import { type InputContent, type InputFacts, needsInput, valueFor } from "../../../lambdas/inputs/input.ts";
import { credentialFor } from "../../../lambdas/inputs/mirrors/credentials.ts";
import { isEcr } from "../../../lambdas/inputs/mirrors/ecr.ts";
import { mirrorsInput } from "../../../lambdas/inputs/mirrors/input.ts";
import { registriesScript } from "../../../lambdas/machine/machine-paths.ts";
import type { PayloadFile } from "../../../lambdas/machine/payload.ts";
import type { Action } from "../../../lambdas/machine/plan.ts";
import { type SentInput, sendingInput } from "../../../lambdas/records/machine-record.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const HOST = "111122223333.dkr.ecr.us-west-2.amazonaws.com";
const FILE = "C:\\k\\containerd\\registries\\quay.io\\hosts.toml";
const WANTED = "C:\\Casement\\registries\\quay.io.json";
const work = { owner: "reconcile-1:0", at: "2026-11-26T03:00:00Z" };

const script = (content: string): PayloadFile => ({
  name: "registries.ps1",
  version: "1.34.2",
  path: registriesScript,
  key: "payload/scripts/registries.ps1",
  versionId: "v1",
  sha256: sha256(content),
  size: 1,
});

const base = configurationWith();
const facts: InputFacts = {
  configuration: { ...base, cluster: { ...base.cluster, inputs: "openshift" } },
  given: [],
  now: 0,
  isRequested: true,
  images: [],
  payload: [script("one")],
  accepted: [],
};

const setOf = (...mirrors: readonly string[]): object => ({
  apiVersion: "config.openshift.io/v1",
  kind: "ImageTagMirrorSet",
  metadata: { name: "team" },
  spec: { imageTagMirrors: [{ source: "quay.io", mirrors, mirrorSourcePolicy: "NeverContactSource" }] },
});

const read = (sets: readonly object[], more: Partial<InputFacts> = {}) =>
  mirrorsInput.content([[], sets, [], [{ spec: {} }]], { ...facts, ...more });

function content(mirrors: readonly string[], more: Partial<InputFacts> = {}): InputContent {
  const made = read(mirrors.length > 0 ? [setOf(...mirrors)] : [], more);
  if (typeof made === "string") throw new Error(`it needs the ${made}`);
  return made;
}

const words = (actions: readonly Action[]): string[] =>
  actions.map((one) => `${one.do} ${"path" in one ? one.path : "name" in one ? one.name : ""}`);

const confirmed = (wanted: InputContent): SentInput => ({ ...valueFor(mirrorsInput, wanted, undefined), ...work });

/** Reads what the plan has the task write for quay.io. */
function wantedIn(actions: readonly Action[]): { readonly text: string; readonly expects?: readonly string[] } {
  const found = actions.find((one) => one.do === "file" && one.path === WANTED);
  if (found?.do !== "file" || !("base64" in found.source)) throw new Error("the plan wants nothing of the task");
  return JSON.parse(Buffer.from(found.source.base64, "base64").toString("utf8"));
}

test.for([
  [HOST, true],
  ["111122223333.dkr.ecr-fips.us-gov-west-1.amazonaws.com", true],
  ["111122223333.dkr.ecr.cn-north-1.amazonaws.com.cn", true],
  ["public.ecr.aws", false],
  [`${HOST}.example.com`, false],
  ["1.dkr.ecr.us-west-2.amazonaws.com", false],
] as const)("%s is a private registry of ECR: %s", ([host, is]) => {
  expect(isEcr(host)).toBe(is);
});

test.for([
  ["111122223333.dkr-ecr.us-west-2.on.aws", HOST],
  ["111122223333.dkr-ecr-fips.us-west-2.on.aws", "111122223333.dkr.ecr-fips.us-west-2.amazonaws.com"],
  ["111122223333.dkr-ecr.cn-north-1.on.amazonwebservices.com.cn", "111122223333.dkr.ecr.cn-north-1.amazonaws.com.cn"],
  ["111122223333.dkr-ecr.us-west-2.amazonaws.com", undefined],
  ["111122223333.dkr.ecr.us-west-2.on.aws", undefined],
  ["111122223333.dkr-ecr.us-west-2.on.aws.example.com", undefined],
] as const)("a mirror at %s gets the password of %s", ([host, registry]) => {
  expect([credentialFor(host, []), isEcr(host)]).toEqual([registry, registry !== undefined]);
});

test("a mirror under the dual-stack name of ECR is asked by that name, with the password of the registry", () => {
  const wanted = wantedIn(mirrorsInput.actions(content(["111122223333.dkr-ecr.us-west-2.on.aws/hub"]), undefined));
  expect(wanted).toMatchObject({ path: FILE, hosts: [HOST] });
  expect(wanted.text).toContain("https://111122223333.dkr-ecr.us-west-2.on.aws/v2/hub");
  expect(wanted.text).toContain(`Authorization = "Basic ${HOST}"`);
});

test("a mirror in ECR has the machine's task write the file, which runs before the plan ends", () => {
  expect(words(mirrorsInput.actions(content([`${HOST}/hub`]), undefined))).toEqual([
    `file ${registriesScript}`,
    "directory C:\\Casement\\registries",
    `file ${WANTED}`,
    "task Casement registries",
    "run-task Casement registries",
  ]);
});

test("the plan holds the registry's name in place of the password", () => {
  const actions = mirrorsInput.actions(content([`${HOST}/hub`]), undefined);
  expect(wantedIn(actions)).toMatchObject({ path: FILE, hosts: [HOST], forbids: true });
  expect(wantedIn(actions).text).toContain(`Authorization = "Basic ${HOST}"`);
  expect(actions.find((one) => one.do === "file" && one.path === WANTED)).toMatchObject({ access: "system" });
});

test("other credentials of the file come from the secret, and the machine gets it again with another version", () => {
  const secret = (version: string) => ({ secretId: "s", version, description: "Registries: mirror.example.com" });
  const both = [`${HOST}/hub`, "mirror.example.com"];
  const first = content(both, { secret: secret("1") });
  const file = mirrorsInput.actions(first, undefined).find((one) => one.do === "file" && one.path === WANTED);
  expect(file).toMatchObject({ source: { from: "template", secretId: "s", version: "1" }, sha256: null });
  expect(wantedIn(mirrorsInput.actions(first, undefined)).text).toContain('"Basic <<mirror.example.com>>"');
  expect(needsInput(mirrorsInput, content(both, { secret: secret("2") }))(confirmed(first))).toBe(true);
});

test("a machine that has the content needs nothing, until a release brings another script", () => {
  const wanted = content([`${HOST}/hub`]);
  expect(needsInput(mirrorsInput, wanted)(confirmed(wanted))).toBe(false);
  const newer = content([`${HOST}/hub`], { payload: [script("two")] });
  expect(needsInput(mirrorsInput, newer)(confirmed(wanted))).toBe(true);
});

test("a file that the record names may have been edited; any other must be the task's own", () => {
  const wanted = content([`${HOST}/hub`]);
  expect(wantedIn(mirrorsInput.actions(wanted, undefined)).expects).toHaveLength(1);
  expect(wantedIn(mirrorsInput.actions(wanted, confirmed(wanted)))).not.toHaveProperty("expects");
});

test("the last mirror in ECR takes the task along before another file is written", () => {
  const before = confirmed(content([`${HOST}/hub`]));
  expect(words(mirrorsInput.actions(content(["mirror.example.com"]), before))).toEqual([
    `remove-file ${WANTED}`,
    "remove-task Casement registries",
    "remove-file C:\\Casement\\registries.json",
    `remove-file ${registriesScript}`,
    "remove-directory C:\\Casement\\registries",
    "directory C:\\k\\containerd\\registries\\quay.io",
    `file ${FILE}`,
  ]);
});

test("a first change that was not confirmed is taken back with its task", () => {
  const sent = sendingInput(undefined, valueFor(mirrorsInput, content([`${HOST}/hub`]), undefined), work);
  const undone = words(mirrorsInput.actions({ sha256: "", files: [], keptPaths: [] }, sent));
  expect(undone).toContain("remove-task Casement registries");
  expect(undone).toContain(`remove-file ${FILE}`);
});

test("a registry whose mirror set became unclear keeps its file, and its task", () => {
  const before = confirmed(content([`${HOST}/hub`]));
  const held = content(["mirror.example.com:tag/x"]);
  expect(held.held).toEqual(["quay.io"]);
  expect(mirrorsInput.actions(held, before)).toEqual([]);
});

test("the release's script is read only for a mirror in ECR; a release without it writes nothing yet", () => {
  expect(read([setOf(`${HOST}/hub`)], { payload: null })).toBe("payload");
  expect(typeof read([setOf("mirror.example.com")], { payload: null })).toBe("object");
  const early = content([`${HOST}/hub`], { payload: [] });
  expect({ files: early.files, held: early.held }).toEqual({ files: [], held: ["quay.io"] });
});
