import type { MachineCase } from "./case.ts";
import { base64, sha256 } from "./case.ts";
import { type Renewal, registriesFiles } from "./renewal.ts";
import { CLOSED_FILE, withMetadata } from "./windows.ts";

const HOST = "111122223333.dkr.ecr.us-west-2.amazonaws.com";
const FILE = "C:\\k\\registries\\quay.io\\hosts.toml";
const RECORD = "C:\\Casement\\registries.json";

const textWith = (password: string): string => `Authorization = "Basic ${password}"\n`;
/** A text as the task writes it. */
const signedIn = /^Authorization = "Basic [A-Za-z0-9+/]{60,}={0,2}"\n$/;
const old = textWith(base64("AWS:canary"));
const theirs = `# theirs\n${old}`;

const wanted = { path: FILE, text: textWith(HOST), hosts: [HOST], forbids: true } as const;
const unowned = { ...wanted, expects: [sha256(textWith("<<>>"))] };
const record = (hoursAgo: number, more: Partial<Renewal["record"]> = {}): NonNullable<Renewal["record"]> => ({
  hoursAgo,
  isSame: true,
  paths: [FILE],
  ...more,
});

const renewed = { id: 4004, text: "The passwords of ECR were renewed; files: 1." };
const refused = (words: string) => ({
  left: { [RECORD]: new RegExp(`"ok":false,"error":"${words.replaceAll(/[.()]/g, "\\$&")}`) },
});

const base = {
  script: "registries",
  before: { routes: withMetadata, access: { [FILE]: CLOSED_FILE } },
  arguments: { WaitSeconds: 0, PauseSeconds: 1 },
} as const;

const denial = {
  code: "AccessDeniedException",
  message: "User: arn:aws:sts::111122223333:assumed-role/node is not authorized to perform: ecr:GetAuthorizationToken",
};

/** All cases of registries.ps1. */
export const registriesCases: readonly MachineCase[] = [
  {
    ...base,
    name: "writes a password into a registry's file, for SYSTEM and Administrators",
    before: { routes: withMetadata },
    renewal: { wanted: { "quay.io": unowned } },
    exitCode: 0,
    left: { [FILE]: signedIn, [RECORD]: /"ok":true,"error":"","renewed":\d+,/, [`${FILE}.casement-new`]: null },
    after: { access: { [FILE]: CLOSED_FILE } },
    events: [renewed],
  },
  {
    ...base,
    name: "leaves a password that is younger than six hours",
    renewal: { wanted: { "quay.io": wanted }, record: record(5.9) },
    files: { [FILE]: old },
    exitCode: 0,
    left: { [FILE]: old },
    events: [],
  },
  ...(
    [
      ["is six hours old", record(6)],
      ["is a day old, as on a machine that was off", record(24)],
      ["comes from the future, as after a correction of the clock", record(-1)],
      ["is for another text", record(1, { isSame: false })],
      ["could not be renewed in the last run", record(1, { ok: false })],
      ["is recorded in a file that is damaged", null],
    ] as const
  ).map(
    ([what, saved]): MachineCase => ({
      ...base,
      name: `renews a password that ${what}`,
      renewal: { wanted: { "quay.io": wanted }, record: saved },
      files: { [FILE]: old },
      exitCode: 0,
      left: { [FILE]: signedIn },
      events: [renewed],
    }),
  ),
  {
    ...base,
    name: "writes a file anew that somebody has removed",
    before: { routes: withMetadata },
    renewal: { wanted: { "quay.io": wanted }, record: record(1) },
    exitCode: 0,
    left: { [FILE]: signedIn },
  },
  {
    ...base,
    name: "recognises its own text, whichever password it has",
    renewal: { wanted: { "quay.io": unowned } },
    files: { [FILE]: old },
    exitCode: 0,
    left: { [FILE]: signedIn },
  },
  {
    ...base,
    name: "refuses a file that others wrote",
    renewal: { wanted: { "quay.io": unowned } },
    files: { [FILE]: theirs },
    exitCode: 1,
    left: { [FILE]: theirs, [RECORD]: /"ok":false,"error":"Casement did not write the content of / },
  },
  {
    ...base,
    name: "replaces what others changed in a file that it wrote itself",
    renewal: { wanted: { "quay.io": unowned }, record: record(6) },
    files: { [FILE]: theirs },
    exitCode: 0,
    left: { [FILE]: signedIn },
  },
  {
    ...base,
    name: "keeps the password before where ECR gives no new one, and tells why",
    renewal: { wanted: { "quay.io": wanted }, record: record(6) },
    files: { [FILE]: old },
    registryRefusal: denial,
    exitCode: 1,
    left: {
      [FILE]: old,
      ...refused(`ECR at api.ecr.us-west-2.amazonaws.com answered: ${denial.message} (400 AccessDeniedException)`).left,
    },
    events: [{ id: 4004, text: /^The passwords of ECR could not be renewed: ECR at api\.ecr\.us-west-2/ }],
  },
  {
    ...base,
    name: "keeps the password before while the metadata service does not answer",
    before: { routes: [], access: { [FILE]: CLOSED_FILE } },
    renewal: { wanted: { "quay.io": wanted }, record: record(6) },
    files: { [FILE]: old },
    exitCode: 1,
    left: { [FILE]: old, ...refused("the metadata service does not answer").left },
  },
  {
    ...base,
    name: "writes the files of other registries where a host is none of ECR's",
    renewal: {
      wanted: {
        "a.io": { ...wanted, path: "C:\\k\\registries\\a.io\\hosts.toml", hosts: ["a.io"] },
        "quay.io": wanted,
      },
    },
    files: { [FILE]: old },
    exitCode: 1,
    left: { [FILE]: signedIn, ...refused("a.io is no registry of ECR").left },
  },
  {
    ...base,
    name: "ends without a trace where no plan wants anything",
    renewal: { wanted: {} },
    exitCode: 0,
    left: { [RECORD]: null },
    events: [],
  },
  {
    ...base,
    name: "tells of a file in its folder that is not JSON",
    files: { [`${registriesFiles}\\quay.io.json`]: "canary" },
    exitCode: 1,
    ...refused("what a plan wants is not JSON"),
  },
];
