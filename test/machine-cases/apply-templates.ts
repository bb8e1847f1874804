import { folders } from "./apply-plans.ts";
import { base64, changed, failed, inline, type MachineCase, planOf, sha256 } from "./case.ts";
import { CLOSED_FILE, withMetadata } from "./windows.ts";

const SECRET = "casement/prod-west/registries";
const FILE = "C:\\k\\registries\\quay.io\\hosts.toml";
const FIRST = "11111111-1111-4111-8111-111111111111";
const SECOND = "22222222-2222-4222-8222-222222222222";
const GONE = "33333333-3333-4333-8333-333333333333";
const HOST = "mirror.example.com:5000";

const textWith = (value: string): string => `authorization = "Basic ${value}"\n`;
const TEMPLATE = textWith(`<<${HOST}>>`);
/** The template as plans and records know it. */
const known = sha256(textWith("<<>>"));

const one = Buffer.from("puller:canary-1").toString("base64");
const two = Buffer.from("puller:canary-2").toString("base64");
const secrets = {
  [SECRET]: [
    { version: FIRST, text: JSON.stringify({ [HOST]: one, "quay.io": 'bad"canary', empty: "", list: [one] }) },
    { version: SECOND, text: JSON.stringify({ [HOST]: two }) },
  ],
};

const fill = (version: string, template = TEMPLATE, expects?: readonly string[]) => ({
  do: "file",
  path: FILE,
  source: { from: "template", base64: base64(template), secretId: SECRET, version },
  sha256: null,
  access: "system",
  ...(expects ? { expects } : {}),
});
const remove = (...expects: readonly string[]) => ({ do: "remove-file", path: FILE, expects });

const base = {
  script: "apply",
  folders: [...folders, "C:\\k\\registries\\quay.io"],
  before: { routes: withMetadata },
  secrets,
} as const;

const refused = (name: string, template: string, words: string): MachineCase => ({
  ...base,
  name: `writes nothing where ${name}`,
  files: { [FILE]: "old" },
  request: planOf(fill(FIRST, template)),
  exitCode: 1,
  result: failed(`file ${FILE}`, words, "secret-unusable"),
  left: { [FILE]: "old", [`${FILE}.casement-new`]: null },
});

/** Cases in which apply.ps1 fills a text from a secret. */
export const templates: readonly MachineCase[] = [
  {
    ...base,
    name: "fills a text from the version of the secret that the plan names, for SYSTEM and Administrators",
    request: planOf(fill(FIRST)),
    exitCode: 0,
    result: changed(`file ${FILE}`),
    left: { [FILE]: textWith(one) },
    after: { access: { [FILE]: CLOSED_FILE } },
    settles: true,
  },
  {
    ...base,
    name: "replaces a filled text by that of another version",
    before: { routes: withMetadata, access: { [FILE]: CLOSED_FILE } },
    files: { [FILE]: textWith(one) },
    request: planOf(fill(SECOND)),
    exitCode: 0,
    result: changed(`file ${FILE}`),
    left: { [FILE]: textWith(two) },
  },
  {
    ...base,
    name: "takes the current version where the one that the plan names is gone",
    request: planOf(fill(GONE)),
    exitCode: 0,
    result: changed(`file ${FILE}`),
    left: { [FILE]: textWith(two) },
  },
  {
    ...base,
    name: "fills every hole of a text",
    request: planOf(fill(FIRST, TEMPLATE + TEMPLATE)),
    exitCode: 0,
    left: { [FILE]: textWith(one) + textWith(one) },
  },
  {
    ...base,
    name: "recognises its own text by the hash of its template, whichever version filled it",
    files: { [FILE]: textWith(one) },
    request: planOf(fill(SECOND, TEMPLATE, [known]), remove(known)),
    exitCode: 0,
    result: changed(`file ${FILE}`, `remove-file ${FILE}`),
    left: { [FILE]: null },
  },
  {
    ...base,
    name: "keeps a text with credentials that others wrote",
    files: { [FILE]: `# theirs\n${textWith(one)}` },
    request: planOf(remove(known), fill(SECOND, TEMPLATE, [known])),
    exitCode: 1,
    result: failed(
      `file ${FILE}`,
      `Casement did not write the content of ${FILE}, which has sha256 ${sha256(`# theirs\n${textWith(one)}`)}`,
      "foreign-file",
    ),
    left: { [FILE]: `# theirs\n${textWith(one)}` },
  },
  {
    ...base,
    name: "gives a text that no longer has credentials back the access of its folder",
    before: { routes: withMetadata, access: { [FILE]: CLOSED_FILE } },
    files: { [FILE]: textWith(one) },
    request: planOf(inline(FILE, "new")),
    exitCode: 0,
    result: changed(`file ${FILE}`),
    left: { [FILE]: "new" },
  },
  refused("the secret lacks a field", textWith("<<other.example.com>>"), "the secret has no field other.example.com"),
  refused("a field is not text", textWith("<<list>>"), "the secret's field list is not text"),
  refused(
    "a value could end a string",
    textWith("<<quay.io>>"),
    "the secret's field quay.io is empty or has a character that is not allowed",
  ),
  refused(
    "a value is empty",
    textWith("<<empty>>"),
    "the secret's field empty is empty or has a character that is not allowed",
  ),
  refused("a hole does not end", textWith("<<quay.io"), "the text has a hole without an end"),
];
