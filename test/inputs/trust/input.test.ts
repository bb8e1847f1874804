import { describe, expect, test } from "vitest";
import type { Configuration } from "../../../lambdas/configuration/configuration.ts";
import { type InputContent, type InputFacts, needsInput, valueFor } from "../../../lambdas/inputs/input.ts";
import { certificatePath, trustedAuthoritiesInput } from "../../../lambdas/inputs/trust/input.ts";
import { type SentInput, sendingInput } from "../../../lambdas/records/machine-record.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { type Issuer, issue } from "./issuing.ts";

const NOW = Date.parse("2026-11-26T03:00:00Z");
const DAY_MS = 24 * 3_600_000;

const root = await issue({ subject: "CN=Example Root" });
const other = await issue({ subject: "CN=Other Root" });
const between = await issue({ subject: "CN=Example Issuing", by: root });

const base = configurationWith();
const configurationOf = (change: Partial<Configuration> = {}, inputs: "openshift" | "configmap" = "openshift") => ({
  ...base,
  ...change,
  cluster: { ...base.cluster, inputs },
});
const unasked = configurationOf({ approvals: { authorities: { needs: 0 } } });

const facts: InputFacts = {
  configuration: unasked,
  given: [],
  now: NOW,
  isRequested: false,
  images: [],
  payload: null,
  accepted: [],
};

const proxy = { spec: { trustedCA: { name: "user-ca-bundle" } } };
const image = { spec: { additionalTrustedCA: { name: "registries" } } };
const none = { spec: {} };
const bundle = (pem: string): object => ({ data: { "ca-bundle.crt": pem } });

/** Content of a cluster whose Proxy names a bundle. */
function contentOf(pem: string, more: Partial<InputFacts> = {}): InputContent {
  const made = trustedAuthoritiesInput.content([[proxy], [none], [bundle(pem)]], { ...facts, ...more });
  if (typeof made === "string") throw new Error(`it needs the ${made}`);
  return made;
}

const pathOf = ({ thumbprint }: Issuer, store: "Root" | "CA" = "Root"): string =>
  certificatePath({ store, thumbprint });
const pathsIn = ({ files }: InputContent): readonly string[] => files.map(({ path }) => path);

const work = { owner: "trust-1:0", at: "2026-11-26T03:00:00Z" };
const confirmed = (content: InputContent, before?: SentInput): SentInput => ({
  ...valueFor(trustedAuthoritiesInput, content, before),
  ...work,
});

const actionsIn = (content: InputContent, sent?: SentInput): readonly string[] =>
  trustedAuthoritiesInput
    .actions(content, sent)
    .map((action) => `${action.do} ${"thumbprint" in action ? `${action.store} ${action.thumbprint}` : ""}`);

describe("Trusted authorities", () => {
  test("follow from the ConfigMaps that Proxy and Image name, or from one of Casement", () => {
    const { reads, follows } = trustedAuthoritiesInput;
    expect(reads(configurationOf())?.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "Proxy cluster",
      "Image cluster",
    ]);
    expect(follows?.([[proxy], [image]], configurationOf())).toMatchObject([
      { kind: "ConfigMap", namespace: "openshift-config", name: "user-ca-bundle" },
      { kind: "ConfigMap", namespace: "openshift-config", name: "registries" },
    ]);
    expect(follows?.([[{ spec: { trustedCA: { name: "" } } }], [none]], configurationOf())).toEqual([]);
    const configuration = { ...unasked, cluster: { ...unasked.cluster, inputs: "configmap" } as const };
    expect(reads(configuration)).toMatchObject([{ namespace: "casement", name: "inputs" }]);
    expect(trustedAuthoritiesInput.content([[bundle(root.pem)]], { ...facts, configuration })).toEqual(
      contentOf(root.pem),
    );
  });

  test("become one certificate in the store of each, with the DER of its PEM", () => {
    const content = contentOf(`${root.pem}${between.pem}`);
    expect(pathsIn(content)).toEqual([pathOf(root), pathOf(between, "CA")]);
    expect(trustedAuthoritiesInput.actions(content, undefined)[0]).toEqual({
      do: "certificate",
      store: "Root",
      thumbprint: root.thumbprint,
      base64: root.pem.replaceAll(/-----[^-]*-----|\s/g, ""),
    });
    expect(trustedAuthoritiesInput.shows?.(content)).toEqual(["Root: CN=Example Root", "CA: CN=Example Issuing"]);
  });

  test("are one whole content, with what is refused, kept and asked", async () => {
    const bad = await issue({ subject: "CN=Bad", isAuthority: false });
    const soon = await issue({ subject: "CN=Soon", until: new Date(NOW + 2 * DAY_MS).toISOString() });
    const configuration = configurationOf();
    const pem = [root, between, bad, soon].map((one) => one.pem).join("");
    const content = contentOf(pem, { configuration, accepted: [soon.thumbprint] });
    const files = [
      { path: pathOf(between, "CA"), text: between.pem },
      { path: pathOf(soon), text: soon.pem },
    ].map(({ path, text }) => ({ path, text: expect.stringContaining(text.trim()) }));
    expect(content).toEqual({
      sha256: trustedAuthoritiesInput.identityOf(content.files),
      files,
      keptPaths: [expect.stringContaining(bad.thumbprint)],
      remarks: [
        expect.stringMatching(/^CN=Bad is not given to nodes: .*\/user-ca-bundle of Proxy cluster\.$/),
        expect.stringMatching(/^CN=Soon expires at 2026-11-28 03:00 UTC, within 3 days: /),
      ],
      asked: [root.thumbprint],
      questions: [expect.stringMatching(/^\*CN=Example Root\*\n/)],
      approvable: [root.thumbprint, soon.thumbprint],
    });
    expect(trustedAuthoritiesInput.keeps(content, content.keptPaths?.[0] ?? "")).toBe(true);
    expect(trustedAuthoritiesInput.keeps(content, pathOf(root))).toBe(false);
    expect(trustedAuthoritiesInput.isWithout(content)).toBe(false);
    expect(trustedAuthoritiesInput.isWithout(contentOf(""))).toBe(true);
    expect(trustedAuthoritiesInput.comparedFile(configuration)).toBeNull();
    expect(trustedAuthoritiesInput.identityOf(content.files.slice(1))).not.toBe(content.sha256);
  });

  test("that are all refused with their certificates are not gone", async () => {
    const bad = await issue({ subject: "CN=Bad", isAuthority: false });
    const given = [confirmed(contentOf(`${root.pem}${other.pem}`))];
    expect(contentOf(bad.pem, { given }).files).toEqual([]);
    expect(() => contentOf("", { given })).toThrow("but nodes have 2, so no node was changed");
  });

  test("named by several places are one, and stay until no place names them", () => {
    const found = (registries: object) => [[proxy], [image], [bundle(root.pem)], [{ data: registries }]];
    const both = trustedAuthoritiesInput.content(
      found({ "registry.example.com..5000": root.pem, "quay.io": `${root.pem}${other.pem}` }),
      facts,
    ) as InputContent;
    expect(pathsIn(both)).toEqual([pathOf(root), pathOf(other)]);
    const one = trustedAuthoritiesInput.content(
      [[none], [image], [{ data: { "registry.example.com..5000": root.pem } }]],
      facts,
    ) as InputContent;
    expect(actionsIn(one, confirmed(both))).toEqual([
      `certificate Root ${root.thumbprint}`,
      `remove-certificate Root ${other.thumbprint}`,
    ]);
  });

  test("name a registry's port with a colon", async () => {
    const bad = await issue({ subject: "CN=Bad", isAuthority: false });
    const found = [[none], [image], [{ data: { "registry.example.com..5000": bad.pem } }]];
    expect(trustedAuthoritiesInput.content(found, facts)).toMatchObject({
      files: [],
      remarks: [
        "CN=Bad is not given to nodes: it is not the certificate of an authority (basicConstraints). It stands in ConfigMap openshift-config/registries of Image cluster, registry.example.com:5000.",
      ],
    });
  });

  test.for([
    [
      "ConfigMap is missing",
      [],
      "the cluster has no ConfigMap openshift-config/user-ca-bundle, which spec.trustedCA of Proxy cluster names, so no node was changed",
    ],
    [
      "ConfigMap has no bundle",
      [{ data: {} }],
      "ConfigMap openshift-config/user-ca-bundle, which spec.trustedCA of Proxy cluster names, has no key ca-bundle.crt, so no node was changed",
    ],
  ] as const)("are refused as a whole if a %s", ([, found, why]) => {
    expect(() => trustedAuthoritiesInput.content([[proxy], [none], found], facts)).toThrow(why);
  });

  test("are refused as a whole if an object has another shape", () => {
    expect(() => trustedAuthoritiesInput.content([[{ spec: { trustedCA: "x" } }], [none]], facts)).toThrow(
      "Proxy cluster has an unexpected spec.trustedCA, so no node was changed",
    );
  });

  test("are refused as a whole if there are more than fifty", async () => {
    const many = await Promise.all(Array.from({ length: 51 }, (_, at) => issue({ subject: `CN=Root ${at}` })));
    const pem = many.map((one) => one.pem);
    expect(contentOf(pem.slice(1).join("")).files).toHaveLength(50);
    expect(() => contentOf(pem.join(""))).toThrow("names 51 trusted authorities, and Windows nodes get at most 50");
  });

  test("that are all gone change no node before a person asks", () => {
    const given = [confirmed(contentOf(root.pem))];
    expect(() => contentOf("", { given })).toThrow(
      "names no trusted authority any more, but nodes have one, so no node was changed; if that is intended, {win} reconcile removes them",
    );
    expect(() => contentOf("-----BEGIN CERTIFICATE-----\nx\n", { given })).toThrow("names no trusted authority");
    expect(actionsIn(contentOf("", { given, isRequested: true }), given[0])).toEqual([
      `remove-certificate Root ${root.thumbprint}`,
    ]);
    expect(contentOf("").files).toEqual([]);
  });

  test("of an interrupted change are taken out with every certificate that was sent", () => {
    const before = confirmed(contentOf(root.pem));
    const sent = sendingInput(before, valueFor(trustedAuthoritiesInput, contentOf(other.pem), before), work);
    expect(actionsIn(contentOf(between.pem), sent)).toEqual([
      `certificate CA ${between.thumbprint}`,
      ...[root, other].map((one) => `remove-certificate Root ${one.thumbprint}`).toSorted(),
    ]);
  });
});

describe("A bundle", () => {
  test("that is no UTF-8 is read, whether it is Latin-1 or what PowerShell writes", () => {
    const text = `# f\u00fcr uns\n${root.pem}`;
    const bytes = (encoding: "latin1" | "utf16le") => ({
      "quay.io": Buffer.from(encoding === "latin1" ? text : `\ufeff${text}`, encoding).toString("base64"),
    });
    for (const encoding of ["latin1", "utf16le"] as const) {
      const found = [[none], [image], [{ data: { "ghcr.io": other.pem }, binaryData: bytes(encoding) }]];
      const content = trustedAuthoritiesInput.content(found, facts) as InputContent;
      expect(pathsIn(content).toSorted()).toEqual([pathOf(root), pathOf(other)].toSorted());
    }
  });

  test("without a PEM block is named, as the DER file that Windows exports, unless it is empty or a comment", () => {
    const der = { "quay.io": root.pem.replaceAll(/-----[^-]*-----|\s/g, "") };
    const found = (map: object) => [[none], [image], [map]];
    for (const map of [{ binaryData: der }, { data: der }])
      expect(trustedAuthoritiesInput.content(found(map), facts)).toMatchObject({
        remarks: [expect.stringMatching(/ of Image cluster, quay\.io: it has no PEM block; openssl x509 -inform der /)],
      });
    for (const text of ["", "\n# none yet\n"])
      expect(trustedAuthoritiesInput.content(found({ data: { "quay.io": text } }), facts)).toMatchObject({
        remarks: [],
      });
  });

  test("with a damaged block takes no authority off nodes, because the block may be any of them", () => {
    const had = confirmed(contentOf(`${root.pem}${other.pem}`));
    const given = [had];
    for (const damage of [other.pem.slice(0, -60), other.pem.replace(/MII/, "")]) {
      const content = contentOf(`${root.pem}${damage}`, { given });
      expect(actionsIn(content, had)).toEqual([`certificate Root ${root.thumbprint}`]);
      expect(needsInput(trustedAuthoritiesInput, content)(had)).toBe(false);
      expect(content.remarks?.[0]).toMatch(/\. Until it is mended, no authority is taken off a node\.$/);
    }
    const key = "-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----\n";
    expect(actionsIn(contentOf(`${root.pem}${key}`, { given }), had)).toContain(
      `remove-certificate Root ${other.thumbprint}`,
    );
  });
});

describe("An authority that expires", () => {
  const until = NOW + 40 * DAY_MS;
  const remarksAt = async (daysBefore: number): Promise<readonly string[] | undefined> => {
    const soon = await issue({ subject: "CN=Soon", until: new Date(until).toISOString() });
    return contentOf(soon.pem, { now: until - daysBefore * DAY_MS }).remarks;
  };

  test.for([
    [31, []],
    [30, ["within 30 days"]],
    [14.5, ["within 30 days"]],
    [14, ["within 14 days"]],
    [3, ["within 3 days"]],
    [0.1, ["within 3 days"]],
  ] as const)("is reported %s days before its end as %j", async ([days, words]) => {
    expect(await remarksAt(days)).toEqual(
      words.map((word) => expect.stringContaining(`CN=Soon expires at 2027-01-05 03:00 UTC, ${word}: `)),
    );
  });

  test("stays on nodes that have it, and is not given to others", async () => {
    const soon = await issue({ subject: "CN=Soon", until: new Date(until).toISOString() });
    const had = confirmed(contentOf(`${root.pem}${soon.pem}`));
    const after = contentOf(`${root.pem}${soon.pem}`, { now: until });
    expect(pathsIn(after)).toEqual([pathOf(root)]);
    const needs = needsInput(trustedAuthoritiesInput, after);
    expect([needs(had), needs(undefined)]).toEqual([false, true]);
    expect(actionsIn(after, had)).toEqual([`certificate Root ${root.thumbprint}`]);
    expect(actionsIn(contentOf(root.pem, { now: until }), had)).toContain(`remove-certificate Root ${soon.thumbprint}`);
  });
});

describe("A new root", () => {
  const configuration = configurationOf();
  const both = `${root.pem}${between.pem}`;

  test("waits for an approval by default, while the authorities between go on", () => {
    const content = contentOf(both, { configuration });
    expect(pathsIn(content)).toEqual([pathOf(between, "CA")]);
    expect(content.asked).toEqual([root.thumbprint]);
    expect(content.questions).toEqual([expect.stringContaining(root.fingerprint)]);
    expect(content.questions?.[0]).toContain("ConfigMap openshift-config/user-ca-bundle of Proxy cluster");
  });

  test("is given once it was approved, or if nodes have it already", () => {
    for (const more of [{ accepted: [root.thumbprint] }, { given: [confirmed(contentOf(root.pem))] }])
      expect(contentOf(both, { configuration, ...more })).toMatchObject({
        asked: [],
        files: [{ path: pathOf(root) }, { path: pathOf(between, "CA") }],
      });
  });

  test("that was sent but not confirmed is no reason to give it", () => {
    const sent = sendingInput(undefined, valueFor(trustedAuthoritiesInput, contentOf(root.pem), undefined), work);
    expect(contentOf(both, { configuration, given: [sent] }).asked).toEqual([root.thumbprint]);
  });
});
