import { describe, expect, it } from "vitest";
import { Refused } from "../../../lambdas/errors.ts";
import { mirrorsFile } from "../../../lambdas/inputs/mirrors/mirrors-file.ts";

/** As oc-mirror writes them. */
const file = `---
apiVersion: config.openshift.io/v1
kind: ImageDigestMirrorSet
metadata:
  creationTimestamp: null
  name: idms-operator-0
spec:
  imageDigestMirrors:
  - mirrors:
    - mirror.example.com:5000/ubi9
    source: registry.redhat.io/ubi9
status: {}
---
apiVersion: config.openshift.io/v1
kind: ImageTagMirrorSet
metadata:
  creationTimestamp: null
  name: itms-generic-0
spec:
  imageTagMirrors:
  - mirrors:
    - mirror.example.com:5000/oss
    mirrorSourcePolicy: NeverContactSource
    source: mcr.microsoft.com/oss
status: {}
---
apiVersion: operator.openshift.io/v1alpha1
kind: ImageContentSourcePolicy
metadata:
  labels:
    operators.openshift.org/catalog: "true"
  name: operator-0
spec:
  repositoryDigestMirrors:
  - mirrors:
    - mirror.example.com:5000/ubi8
    source: registry.redhat.io/ubi8
---
`;

const rules = [
  {
    object: "ImageDigestMirrorSet/idms-operator-0",
    source: "registry.redhat.io/ubi9",
    mirrors: ["mirror.example.com:5000/ubi9"],
    policy: "AllowContactingSource",
    pulls: "digest",
  },
  {
    object: "ImageTagMirrorSet/itms-generic-0",
    source: "mcr.microsoft.com/oss",
    mirrors: ["mirror.example.com:5000/oss"],
    policy: "NeverContactSource",
    pulls: "tag",
  },
  {
    object: "ImageContentSourcePolicy/operator-0",
    source: "registry.redhat.io/ubi8",
    mirrors: ["mirror.example.com:5000/ubi8"],
    policy: "AllowContactingSource",
    pulls: "digest",
  },
];

const listOf = (text: string): string => {
  const items = text.split("---\n").filter((document) => document !== "");
  const indented = items.map((item) => `- ${item.trimEnd().replaceAll("\n", "\n  ")}\n`);
  return `apiVersion: v1\nkind: List\nmetadata:\n  resourceVersion: ""\nitems:\n${indented.join("")}`;
};

describe("A text of mirror sets", () => {
  it("is read from several documents", () => {
    expect(mirrorsFile(file)).toEqual(rules);
  });

  it("is read from a List, as `oc get -o yaml` prints it", () => {
    expect(mirrorsFile(listOf(file))).toEqual(rules);
  });

  it.each(["", "---\n", "# nothing yet\n"])("without an object has no lines: %j", (text) => {
    expect(mirrorsFile(text)).toEqual([]);
  });

  const change = (from: string, to: string): string => file.replace(from, to);
  it.each([
    ["an unknown kind", change("ImageTagMirrorSet", "CatalogSource"), "15: CatalogSource/itms-generic-0: kind: config"],
    ["another version", change("config.openshift.io/v1\n", "config.openshift.io/v2\n"), "3: ImageDigestMirrorSet/idms"],
    ["an unknown field", change("mirrorSourcePolicy", "policy"), "23: ImageTagMirrorSet/itms-generic-0: spec.imageTag"],
    ["a misspelt list", change("imageDigestMirrors", "imageDigestMirror"), "8: ImageDigestMirrorSet/idms-operator-0: "],
    ["another policy", change("NeverContactSource", "Never"), "23: ImageTagMirrorSet/itms-generic-0: spec.imageTag"],
    [
      "a policy where there is none",
      change(
        "    source: registry.redhat.io/ubi8",
        "    mirrorSourcePolicy: NeverContactSource\n    source: registry.redhat.io/ubi8",
      ),
      "37: ImageContentSourcePolicy/operator-0: ",
    ],
    ["a mirror that is no text", change("- mirror.example.com:5000/oss", "- 5000"), "22: ImageTagMirrorSet/itms-gen"],
    ["an empty mirror", change("- mirror.example.com:5000/oss", "-"), "21: ImageTagMirrorSet/itms-generic-0: spec"],
    ["no name", change("  name: idms-operator-0\n", ""), "4: metadata.name: "],
    ["no kind", change("kind: ImageTagMirrorSet\n", ""), "14: an object with apiVersion and kind is expected"],
    [
      "the same object twice",
      change("itms-generic-0", "idms-operator-0")
        .replace("ImageTagMirrorSet", "ImageDigestMirrorSet")
        .replace("imageTagMirrors", "imageDigestMirrors"),
      "14: ImageDigestMirrorSet/idms-operator-0: this object stands here twice",
    ],
    [
      "the same key twice",
      change("status: {}", "status: {}\nkind: ImageDigestMirrorSet"),
      "13: duplicated mapping key",
    ],
    ["a tab", change("  - mirrors:", "\t- mirrors:"), "9: tab characters must not be used in indentation"],
    [
      "an alias",
      change("    - mirror.example.com:5000/ubi9\n", "    - &m mirror.example.com:5000/ubi9\n    - *m\n"),
      "11: aliases exceeded maxAliases (0)",
    ],
    ["an unknown tag", change("status: {}", "status: !!binary aGVsbG8="), "12: unknown scalar tag"],
    ["lists in lists", `${"[".repeat(200)}`, "1: nesting exceeded maxDepth (100)"],
    ["a quotation mark that is not closed", `a: "b\n`, "2: deficient indentation"],
    ["a word", "mirrors", "1: an object with apiVersion and kind is expected"],
    [
      "a List with an unknown key",
      `${listOf(file)}more: 1\n`,
      `${listOf(file).split("\n").length}: more: unknown field`,
    ],
    [
      "a List in a List",
      "apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: List, items: []}\n",
      "4: kind: v1 List is not a mirror set",
    ],
  ])("is refused as a whole with %s", (_, text, message) => {
    const read = () => mirrorsFile(text, "ConfigMap casement/inputs");
    expect(read).toThrow(Refused);
    expect(read).toThrow(`ConfigMap casement/inputs: line ${message}`);
  });
});
