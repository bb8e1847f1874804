import { scriptText } from "../../lib/constructs/script-text.ts";
import { payloadContent } from "../../lib/sandbox/machine/payload.ts";
import { GUARD, GUARD_RECORD, taskArguments } from "./case.ts";
import { recovery, service } from "./windows.ts";

/** Folders that most plans need. */
export const folders = ["C:\\Casement", "C:\\k"];
const PROGRAM = "C:\\k\\windows_exporter.exe";
/** The guard's script on the disk. */
export const guard = { [GUARD]: scriptText("guard") };
/** File that its program writes. */
export const LOG = "C:\\k\\exporter.log";
/** A program for a service. */
export const program = { [PROGRAM]: payloadContent("windows_exporter", "0.30.5") };
/** An action that defines a service. */
export const exporter = (change: object = {}) => ({
  do: "service",
  name: "exporter",
  description: "Casement managed exporter",
  commandLine: `${PROGRAM} --log.file ${LOG}`,
  startType: "Automatic",
  dependsOn: ["base", "other"],
  restartAfter: [10, 30],
  ...change,
});
/** The service as Windows stores it after this definition. */
const defined = (change: object = {}) =>
  service({
    state: "Stopped",
    commandLine: `${PROGRAM} --log.file ${LOG}`,
    description: "Casement managed exporter",
    dependsOn: ["base", "other"],
    environment: ["A=1", "B=2"],
    failureActions: recovery([10, 30]),
    failureFlag: 1,
    ...change,
  });
/** An action that sets a variable of its environment. */
export const variable = (change: object = {}) => ({
  do: "service-variable",
  service: "exporter",
  name: "HTTPS_PROXY",
  value: "http://proxy:3128",
  ...change,
});
/** An action that starts it. */
export const start = { do: "service-state", name: "exporter", state: "Running", log: LOG };
/** An action that stops it. */
export const stop = { do: "service-state", name: "exporter", state: "Stopped" };
/** An action that defines a firewall rule. */
export const rule = (change: object = {}) => ({
  do: "firewall-rule",
  name: "kubelet",
  protocol: "TCP",
  port: 10250,
  remoteAddresses: ["10.0.0.0/16", "10.9.0.5/32"],
  ...change,
});
/** The rule as Windows stores it. */
export const open = {
  enabled: "True",
  action: "Allow",
  direction: "Inbound",
  profile: "Any",
  protocol: "TCP",
  port: 10250,
  remoteAddresses: ["10.0.0.0/16", "10.9.0.5/32"],
};
/** An action that registers the guard's task. */
export const guardTask = { do: "task", name: "Casement guard", script: GUARD, arguments: [], everyMinutes: 1 };
/** An action that runs it. */
export const runGuard = { do: "run-task", name: "Casement guard", withinSeconds: 60, record: GUARD_RECORD };
/** The task as Windows stores it. */
export const registered = {
  state: "Ready",
  lastResult: 0,
  nextResult: 0,
  action: { execute: "powershell.exe", arguments: taskArguments(GUARD) },
  triggers: [{ interval: "" }, { interval: "PT1M" }],
  principal: { user: "SYSTEM" },
};
/** A machine that has the service. */
export const withService = (change: object = {}) => ({
  services: { base: service(), other: service(), exporter: defined(change) },
});
