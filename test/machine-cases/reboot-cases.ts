import type { FailureCode } from "../../lambdas/records/failures.ts";
import { scriptText } from "../../lib/constructs/script-text.ts";
import { GUARD, GUARD_RECORD, MARKER, type MachineCase, taskArguments, text } from "./case.ts";
import { GATEWAY, type Machine, route } from "./windows.ts";

const routes = [route("0.0.0.0/0", GATEWAY, 6), route("169.254.169.254/32", GATEWAY, 6)];
const task = {
  state: "Ready",
  lastResult: 0,
  nextResult: 0,
  action: { execute: "powershell.exe", arguments: taskArguments(GUARD) },
  triggers: [],
  principal: { user: "SYSTEM" },
};
const guarded: Partial<Machine> = { routes, tasks: { "Casement guard": task } };
const files = { [GUARD]: scriptText("guard") };
const asked =
  (change: object = {}) =>
  (now: number) => ({ operation: "add-1", bootId: "7", notAfter: now + 600, ...change });
const marker = '{"operation":"add-1","bootId":"7"}';
const refused = (code: FailureCode, error: unknown): object => ({
  script: "reboot",
  ok: false,
  bootIdBefore: "7",
  bootIdAfter: "7",
  error,
  code,
});
const asks = { script: "reboot", files, before: guarded, request: asked(), exitCode: 3010 } as const;

/** A boot id of the machine that counts no boots: the time of its boot, an hour ago, as seen some seconds later. */
const bootTime = (now: number, seconds: number): string => new Date((now - 3_600 + seconds) * 1_000).toISOString();
/** Seconds between a boot and the machine's, which look the same. */
const APART = 250;

/** Files with the marker of a boot close to the machine's: its text is made when the case runs, minutes after this is loaded. */
const marked = (upSeconds: number): NonNullable<MachineCase["files"]> => ({
  ...files,
  get [MARKER]() {
    const bootId = bootTime(Math.floor(Date.now() / 1_000), APART);
    return JSON.stringify({ operation: "add-1", bootId, upSeconds });
  },
});
const uncounted: Partial<Machine> = { ...guarded, registry: {} };

const damaged: Readonly<Record<string, string>> = {
  "zero bytes": "\0".repeat(34),
  nothing: "",
  half: marker.slice(0, 12),
  "other JSON": "{}",
};

/** All cases of reboot.ps1. */
export const rebootCases: readonly MachineCase[] = [
  { ...asks, name: "asks for a reboot, and keeps that it did", left: { [MARKER]: marker } },
  {
    ...asks,
    name: "asks for one reboot only in the same boot",
    files: { ...files, [MARKER]: marker },
    exitCode: 1,
    result: refused("reboot-not-happened", "the reboot was asked for before and did not happen"),
  },
  {
    ...asks,
    name: "asks again for another operation",
    files: { ...files, [MARKER]: '{"operation":"add-0","bootId":"7"}' },
    left: { [MARKER]: marker },
  },
  ...Object.entries(damaged).map(([what, text]) => ({
    ...asks,
    name: `asks for a reboot although its marker holds ${what}`,
    files: { ...files, [MARKER]: text },
    left: { [MARKER]: marker },
  })),
  {
    ...asks,
    name: "returns the evidence after the boot, however late",
    request: asked({ bootId: "6", notAfter: 1 }),
    exitCode: 0,
    result: { script: "reboot", ok: true, bootIdBefore: "6", bootIdAfter: "7", error: null },
  },
  {
    ...asks,
    name: "asks for a reboot although the time of the boot has moved by seconds, where Windows counts no boots",
    before: uncounted,
    request: (now) => asked({ bootId: bootTime(now, -21) })(now),
    left: { [MARKER]: /^\{"operation":"add-1","bootId":"\d{4}-\d\d-\d\dT[\d:.]+Z","upSeconds":3\d{3}\}$/ },
  },
  {
    ...asks,
    name: "returns the evidence after a second boot within five minutes, because the machine is up for less time",
    before: uncounted,
    files: marked(4_000),
    request: (now) => asked({ bootId: bootTime(now, APART), notAfter: 1 })(now),
    exitCode: 0,
    result: { script: "reboot", ok: true, error: null },
  },
  {
    ...asks,
    name: "asks for one reboot only where Windows counts no boots and the machine is up for longer",
    before: uncounted,
    files: marked(3_000),
    request: (now) => asked({ bootId: bootTime(now, APART) })(now),
    exitCode: 1,
    result: { script: "reboot", ok: false, code: "reboot-not-happened" },
  },
  {
    ...asks,
    name: "returns the evidence after a boot that is known by its time",
    before: uncounted,
    request: (now) => asked({ bootId: bootTime(now, -86_400) })(now),
    exitCode: 0,
    result: {
      script: "reboot",
      ok: true,
      bootIdBefore: text(/^\d{4}-\d\d-\d\dT/),
      bootIdAfter: text(/^\d{4}-\d\d-\d\dT/),
    },
  },
  {
    ...asks,
    name: "takes a time and a number for the same boot, because they cannot be compared",
    request: (now) => asked({ bootId: bootTime(now, 0) })(now),
  },
  {
    ...asks,
    name: "refuses without the guard's script",
    files: {},
    exitCode: 1,
    result: refused(
      "guard-not-in-order",
      text(/^no reboot without the guard of the metadata route: its script is missing/),
    ),
    left: { [MARKER]: null },
  },
  {
    ...asks,
    name: "refuses while the guard's task is disabled",
    before: { ...guarded, tasks: { "Casement guard": { ...task, state: "Disabled" } } },
    exitCode: 1,
    result: refused("guard-not-in-order", text(/its task is missing or disabled$/)),
  },
  {
    ...asks,
    name: "refuses while the guard fails, and names its error",
    files: { ...files, [GUARD_RECORD]: '{"ok":false,"error":"2 interfaces are equally likely: nothing was written"}' },
    before: { ...guarded, tasks: { "Casement guard": { ...task, lastResult: 1 } } },
    exitCode: 1,
    result: refused(
      "guard-not-in-order",
      text(/its last result is 1 2 interfaces are equally likely: nothing was written$/),
    ),
  },
  {
    ...asks,
    name: "refuses without a path to the metadata service",
    before: { ...guarded, routes: [] },
    exitCode: 1,
    result: refused("guard-not-in-order", text(/it sees 0 paths, the metadata service does not answer$/)),
  },
  {
    ...asks,
    name: "refuses a request that has expired",
    request: asked({ notAfter: 1 }),
    exitCode: 1,
    result: refused(
      "clock-wrong",
      text(/^this request expired at 1970-01-01 00:00:01 UTC, and the clock of this machine says /),
    ),
  },
];
