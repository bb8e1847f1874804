import { expect } from "vitest";
import { certificates } from "./apply-certificates.ts";
import { comparisons, refusals } from "./apply-comparisons.ts";
import { ownership } from "./apply-ownership.ts";
import { folders, guard, LOG, program, registered, runGuard, start, stop, withService } from "./apply-plans.ts";
import { templates } from "./apply-templates.ts";
import { applyVariables } from "./apply-variables.ts";
import { changed, failed, GUARD, GUARD_RECORD, inline, type MachineCase, planOf, taskArguments, text } from "./case.ts";

/** Output that must not reach a person: each secret in it contains a word that no result may contain. */
const CARELESS = [
  "token: canary-1",
  'password="canary-2"',
  "https://proxy-user:canary-3@proxy:3128",
  '{"client-key-data":"canary-4"}',
  "",
].join("\n");

const LAST_WORDS = "panic: cannot go on (request failed, Authorization: Bearer canary-b3e1f0d7a9c24c55)\n";

const causes: readonly MachineCase[] = [
  {
    name: "reports the error in a task's record when the task fails",
    script: "apply",
    folders,
    files: guard,
    before: {
      routes: [],
      tasks: {
        "Casement guard": {
          ...registered,
          action: { execute: "powershell.exe", arguments: taskArguments(GUARD, "-WindowSeconds 1") },
          nextResult: 1,
          writes: {
            [GUARD_RECORD]: '{"ok":false,"error":"no default route leads to the network of this instance yet"}',
          },
        },
      },
    },
    request: planOf(runGuard),
    exitCode: 1,
    result: failed(
      "run-task Casement guard",
      "its last result is 1: no default route leads to the network of this instance yet",
    ),
  },
  {
    name: "does not start a task that is disabled",
    script: "apply",
    folders,
    files: guard,
    before: { tasks: { "Casement guard": { ...registered, state: "Disabled" } } },
    request: planOf(runGuard),
    exitCode: 1,
    result: failed("run-task Casement guard", "The task is disabled."),
  },
  {
    name: "removes a task, and none that is not there",
    script: "apply",
    folders,
    files: guard,
    before: { tasks: { "Casement guard": registered, "Casement network": registered } },
    request: planOf({ do: "remove-task", name: "Casement guard" }, { do: "remove-task", name: "Casement other" }),
    exitCode: 0,
    result: changed("remove-task Casement guard"),
    check: ({ tasks }) => expect(Object.keys(tasks)).toEqual(["Casement network"]),
    settles: true,
  },
  {
    name: "gives up on a service that does not stop, and names its process",
    script: "apply",
    folders,
    files: program,
    before: withService({ state: "Running", does: "hangs" }),
    request: planOf(stop),
    exitCode: 1,
    result: failed("service-state exporter", "exporter is StopPending after 120 seconds (process N)", "service-hangs"),
  },
  {
    name: "gives up on a service that does not start",
    script: "apply",
    folders,
    files: program,
    before: withService({ does: "hangs" }),
    request: planOf(start),
    exitCode: 1,
    result: failed("service-state exporter", "exporter is StartPending after 60 seconds (process N)", "service-hangs"),
  },
  {
    name: "reports the exit code and the log of a service that stops at once, without the secret in it",
    script: "apply",
    folders,
    files: { ...program, [LOG]: CARELESS },
    before: withService({ does: "breaks", exitCode: 255, writes: { [LOG]: LAST_WORDS } }),
    request: planOf(start),
    exitCode: 1,
    result: failed(
      "service-state exporter",
      text(
        /^exporter is Stopped 3 seconds after its start; its exit code is 255; its log ends: .*panic: cannot go on \(request failed, Authorization: \[hidden\] \[hidden\]\)$/,
      ),
    ),
  },
  {
    name: "names the process that holds a program",
    script: "apply",
    folders,
    held: ["C:\\k\\containerd-shim-runhcs-v1.exe"],
    request: planOf(inline("C:\\k\\containerd-shim-runhcs-v1.exe", "new")),
    exitCode: 1,
    result: failed("file C:\\k\\containerd-shim-runhcs-v1.exe", text(/ It runs as process N\.$/)),
  },
  {
    name: "counts changes that a list of many machines would not show",
    script: "apply",
    folders: ["C:\\k"],
    request: planOf(
      ...Array.from({ length: 200 }, (_, at) => inline(`C:\\k\\registry-${at}.toml`, `server = "https://${at}"\n`)),
    ),
    exitCode: 0,
    result: { ok: true, changed: expect.arrayContaining([expect.stringMatching(/^and \d+ more$/)]) },
  },
  {
    name: "cuts the end of words that a list of many machines would not show",
    script: "apply",
    request: planOf({ do: "service-state", name: "\u540d".repeat(600), state: "Running" }),
    exitCode: 1,
    result: {
      ok: false,
      failed: { action: expect.stringMatching(/\u540d\.\.\.$/), error: "there is no such service" },
    },
  },
  {
    name: "prints the machine's error messages unshortened, in plain ASCII",
    script: "apply",
    folders,
    request: planOf({ do: "service-state", name: "\u00fcber-\u540d", state: "Running" }),
    exitCode: 1,
    result: failed("service-state \u00fcber-\u540d", "there is no such service"),
  },
  {
    name: "names both times when a request has expired, because the clock may be wrong",
    script: "apply",
    folders,
    request: (now) => ({ plan: { format: 2, operation: "add-1", notAfter: now - 86_403, actions: [] } }),
    exitCode: 1,
    result: failed(
      "request",
      text(/^this request expired at \d{4}-.* UTC, and the clock of this machine says \d{4}-.* UTC$/),
    ),
  },
  {
    name: "reports that its clock is behind when a request is from the future",
    script: "apply",
    folders,
    request: (now) => ({
      plan: { format: 2, operation: "add-1", notAfter: now + 90_000, madeAt: now + 86_400, actions: [] },
    }),
    exitCode: 1,
    result: failed(
      "request",
      text(/^this request was made at \d{4}-.* UTC, but the clock of this machine says \d{4}-.* UTC$/),
    ),
  },
];

const traces: readonly MachineCase[] = [
  {
    name: "writes an event and a line in its log",
    script: "apply",
    folders,
    request: planOf(inline("C:\\k\\a.conf", "one")),
    exitCode: 0,
    result: changed("file C:\\k\\a.conf"),
    events: [{ id: 4000, text: "add-1 done; changed 1, unchanged 0: file C:\\k\\a.conf" }],
    left: {
      "C:\\Casement\\apply.log":
        /^\d{4}-\d\d-\d\dT[\d:.]+Z add-1 done; changed 1, unchanged 0: file C:\\k\\a\.conf\r\n$/,
    },
  },
  {
    name: "logs the failed action, and those done before it",
    script: "apply",
    folders,
    request: planOf(inline("C:\\k\\a.conf", "one"), { do: "service-state", name: "kubelet", state: "Running" }),
    exitCode: 1,
    result: failed("service-state kubelet", "there is no such service"),
    events: [
      {
        id: 4000,
        text: "add-1 failed at service-state kubelet: there is no such service; changed 1, unchanged 0: file C:\\k\\a.conf",
      },
    ],
  },
  {
    name: "prints a line that SSM does not cut, however much changed",
    script: "apply",
    folders,
    request: planOf(
      ...Array.from({ length: 75 }, (_, at) => ({
        do: "directory",
        path: `C:\\k\\${"long-".repeat(45)}${at}`,
        access: "inherited",
      })),
    ),
    exitCode: 0,
    result: { ok: true, unchanged: 0, changed: expect.arrayContaining([text(/^and \d+ more$/)]) },
  },
];

/** All cases of apply.ps1. */
export const applyCases: readonly MachineCase[] = [
  ...causes,
  ...traces,
  ...comparisons,
  ...ownership,
  ...certificates,
  ...templates,
  ...applyVariables,
  ...refusals,
];
