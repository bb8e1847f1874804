import { expect } from "vitest";
import { comparisons, refusals } from "./apply-comparisons.ts";
import { folders, guard, LOG, program, registered, runGuard, start, stop, withService } from "./apply-plans.ts";
import { changed, failed, GUARD, GUARD_RECORD, inline, type MachineCase, planOf, taskArguments, text } from "./case.ts";

/** Output that must not reach a person: each secret in it holds the word that no result may hold. */
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
    name: "tells what a task wrote into its record when the task failed",
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
    name: "gives up on a service that does not stop, and says which process it is",
    script: "apply",
    folders,
    files: program,
    before: withService({ state: "Running", does: "hangs" }),
    request: planOf(stop),
    exitCode: 1,
    result: failed("service-state exporter", "exporter is StopPending after 120 seconds (process N)"),
  },
  {
    name: "gives up on a service that does not come up",
    script: "apply",
    folders,
    files: program,
    before: withService({ does: "hangs" }),
    request: planOf(start),
    exitCode: 1,
    result: failed("service-state exporter", "exporter is StartPending after 60 seconds (process N)"),
  },
  {
    name: "tells exit code and log of a service that does not stay, without the secret in it",
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
    name: "says which process holds a program",
    script: "apply",
    folders,
    held: ["C:\\k\\containerd-shim-runhcs-v1.exe"],
    request: planOf(inline("C:\\k\\containerd-shim-runhcs-v1.exe", "new")),
    exitCode: 1,
    result: failed("file C:\\k\\containerd-shim-runhcs-v1.exe", text(/ It runs as process N\.$/)),
  },
  {
    name: "prints the machine's own words whole, in plain ASCII",
    script: "apply",
    folders,
    request: planOf({ do: "service-state", name: "\u00fcber-\u540d", state: "Running" }),
    exitCode: 1,
    result: failed("service-state \u00fcber-\u540d", "there is no such service"),
  },
  {
    name: "says both times when a request has expired: the clock may be wrong",
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
    name: "says that its clock is behind when a request is from the future",
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
    name: "leaves an event and a line in its log",
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
    name: "leaves a trace of what failed, and of what was done before",
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
    name: "prints a line that SSM keeps whole, however much was changed",
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
export const applyCases: readonly MachineCase[] = [...causes, ...traces, ...comparisons, ...refusals];
