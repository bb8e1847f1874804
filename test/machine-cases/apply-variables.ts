import { folders, variable, withService } from "./apply-plans.ts";
import { base64, changed, failed, type MachineCase, planOf, sha256 } from "./case.ts";
import { freshMachine, withMetadata } from "./windows.ts";

const NOTE = "C:\\Casement\\started-exporter.txt";
/** The process of a running service, as both runners name it: its id, and its start in ticks of .NET. */
const PROCESS = "4711 639028224000000000";
/** Note of what a process started with. */
const started = (process: string, ...environment: readonly string[]): string =>
  `${process} ${sha256(environment.join("\n"))}`;

const variables = (...environment: readonly string[]) => ({ services: { exporter: { environment } } });
const running = (...environment: readonly string[]) => withService({ state: "Running", environment });
const stopped = (...environment: readonly string[]) => withService({ environment });

const written: readonly MachineCase[] = [
  {
    name: "adds a variable behind those of others, whose order stays, and restarts nothing",
    script: "apply",
    folders,
    before: running("B=2", "A=1"),
    request: planOf(variable()),
    exitCode: 0,
    result: { ...changed("service-variable HTTPS_PROXY"), restartDue: ["exporter"], rebootDue: false },
    after: {
      services: { exporter: { state: "Running", environment: ["B=2", "A=1", "HTTPS_PROXY=http://proxy:3128"] } },
    },
    left: { [NOTE]: started(PROCESS, "B=2", "A=1") },
    settles: true,
  },
  {
    name: "replaces a variable whose name is written in other letters",
    script: "apply",
    folders,
    before: stopped("https_proxy=http://old:3128", "A=1"),
    request: planOf(variable()),
    exitCode: 0,
    result: { ...changed("service-variable HTTPS_PROXY"), restartDue: [] },
    after: variables("A=1", "HTTPS_PROXY=http://proxy:3128"),
    left: { [NOTE]: null },
    settles: true,
  },
  {
    name: "removes the list of variables with its last one",
    script: "apply",
    folders,
    before: stopped("HTTPS_PROXY=http://proxy:3128"),
    request: planOf(variable({ value: null }), variable({ name: "NO_PROXY", value: null })),
    exitCode: 0,
    result: { ...changed("service-variable HTTPS_PROXY"), unchanged: 1 },
    after: variables(),
    settles: true,
  },
  {
    name: "keeps the note of what a process started with at its next change",
    script: "apply",
    folders,
    files: { [NOTE]: started(PROCESS, "A=1") },
    before: running("A=1", "HTTPS_PROXY=http://old:3128"),
    request: planOf(variable()),
    exitCode: 0,
    result: changed("service-variable HTTPS_PROXY"),
    left: { [NOTE]: started(PROCESS, "A=1") },
  },
  {
    name: "writes the note again for another process",
    script: "apply",
    folders,
    files: { [NOTE]: started("4711 639000000000000000", "A=1") },
    before: running("A=1", "HTTPS_PROXY=http://old:3128"),
    request: planOf(variable()),
    exitCode: 0,
    result: changed("service-variable HTTPS_PROXY"),
    left: { [NOTE]: started(PROCESS, "A=1", "HTTPS_PROXY=http://old:3128") },
  },
];

const ofOthers: readonly MachineCase[] = [
  {
    name: "refuses to replace a variable that others set",
    script: "apply",
    folders,
    before: running("HTTPS_PROXY=http://theirs:3128"),
    request: planOf(variable({ expects: [sha256("http://old:3128")] })),
    exitCode: 1,
    result: failed(
      "service-variable HTTPS_PROXY",
      "Casement did not set HTTPS_PROXY in the environment of the service exporter",
      "foreign-variable",
    ),
    after: variables("HTTPS_PROXY=http://theirs:3128"),
    left: { [NOTE]: null },
  },
  {
    name: "leaves a variable that others set at its removal",
    script: "apply",
    folders,
    before: running("HTTPS_PROXY=http://theirs:3128"),
    request: planOf(variable({ value: null, expects: [] })),
    exitCode: 0,
    result: { ok: true, changed: [], unchanged: 1 },
    after: variables("HTTPS_PROXY=http://theirs:3128"),
  },
  {
    name: "replaces an expected variable, whatever the name and the password in its URL",
    script: "apply",
    folders,
    before: running("HTTPS_PROXY=http://someone:canary@old:3128"),
    request: planOf(variable({ expects: [sha256("http://old:3128")] })),
    exitCode: 0,
    result: changed("service-variable HTTPS_PROXY"),
    after: variables("HTTPS_PROXY=http://proxy:3128"),
  },
  {
    name: "fails for a service that does not exist",
    script: "apply",
    folders,
    request: planOf(variable()),
    exitCode: 1,
    result: failed("service-variable HTTPS_PROXY", "there is no such service"),
  },
];

const SECRET = "casement/prod-west/proxy";
const VERSION = "11111111-1111-4111-8111-111111111111";
const withPassword = (field: string) =>
  variable({
    value: { from: "template", base64: base64(`http://<<${field}>>@proxy:3128`), secretId: SECRET, version: VERSION },
    expects: [],
  });
const filled = "HTTPS_PROXY=http://casement:canary-1@proxy:3128";
const reading = {
  script: "apply",
  folders,
  secrets: { [SECRET]: [{ version: VERSION, text: JSON.stringify({ https: "casement:canary-1" }) }] },
} as const;

const passwords: readonly MachineCase[] = [
  {
    ...reading,
    name: "fills a variable's password from the version of the secret that the plan names",
    before: { ...stopped("A=1"), routes: withMetadata },
    request: planOf(withPassword("https")),
    exitCode: 0,
    result: changed("service-variable HTTPS_PROXY"),
    after: variables("A=1", filled),
    settles: true,
  },
  {
    ...reading,
    name: "leaves a variable as it is whose secret lacks the field",
    before: { ...stopped("A=1"), routes: withMetadata },
    request: planOf(withPassword("http")),
    exitCode: 1,
    result: failed("service-variable HTTPS_PROXY", "the secret has no field http", "secret-unusable"),
    after: variables("A=1"),
  },
];

/** Cases in which apply.ps1 sets variables of a service. */
export const applyVariables: readonly MachineCase[] = [...written, ...ofOthers, ...passwords];

const observed = (name: string, reasons: readonly string[], change: Partial<MachineCase>): MachineCase => ({
  name,
  script: "observe",
  folders: ["C:\\Casement"],
  request: () => ({ questions: { reboot: true }, whole: true }),
  exitCode: 0,
  answers: { reboot: { reasons: reasons as never } },
  ...change,
});

/** Cases in which observe.ps1 finds variables that are written and not in force. */
export const pendingVariables: readonly MachineCase[] = [
  observed("finds variables that the process of a service does not have", ["proxy"], {
    files: { [NOTE]: started(PROCESS, "A=1") },
    before: running("A=1", "HTTPS_PROXY=http://proxy:3128"),
  }),
  observed("finds nothing once the variables are again those of the start", [], {
    files: { [NOTE]: started(PROCESS, "A=1") },
    before: running("A=1"),
  }),
  observed("finds nothing once the service has another process", [], {
    files: { [NOTE]: started("4711 639000000000000000", "A=1") },
    before: running("A=1", "HTTPS_PROXY=http://proxy:3128"),
  }),
  observed("finds nothing about a service that does not run", [], {
    files: { [NOTE]: started(PROCESS, "A=1") },
    before: stopped("A=1", "HTTPS_PROXY=http://proxy:3128"),
  }),
  observed("finds nothing about a service that is gone", [], {
    files: { [NOTE]: started(PROCESS, "A=1") },
    before: freshMachine(),
  }),
];
