import type { Action } from "../../../../lambdas/machine/plan.ts";
import type { ActionHandler, Applying } from "./applying.ts";
import { certificate, removeCertificate } from "./certificates.ts";
import { directory, file, removeDirectory, removeFile } from "./files.ts";
import { service, serviceRecovery, serviceState } from "./services.ts";
import { defenderExclusion, feature, firewallRule } from "./system.ts";
import { removeTaskNow, runTaskNow, task } from "./tasks.ts";
import { serviceVariable } from "./variables.ts";

const handlers: { readonly [Kind in Action["do"]]: ActionHandler<Kind> } = {
  directory,
  file,
  "remove-file": removeFile,
  "remove-directory": removeDirectory,
  certificate,
  "remove-certificate": removeCertificate,
  feature,
  "firewall-rule": firewallRule,
  "service-variable": serviceVariable,
  service,
  "service-recovery": serviceRecovery,
  "service-state": serviceState,
  task,
  "remove-task": removeTaskNow,
  "run-task": runTaskNow,
  "defender-exclusion": defenderExclusion,
};

/** Names an action as apply.ps1 does: "service kubelet", "file C:\\k\\kubelet.exe". */
export function actionName(action: unknown): string {
  const fields: Readonly<Record<string, unknown>> = typeof action === "object" ? { ...action } : {};
  const subject = fields.path ?? fields.name ?? fields.process ?? fields.thumbprint;
  return subject === undefined ? String(fields.do) : `${String(fields.do)} ${String(subject)}`;
}

/** Executes one action. @returns whether anything changed @throws Error with the machine's error message */
export function execute(run: Applying, action: Action): Promise<boolean> {
  const handler = handlers[action.do] as ActionHandler<typeof action.do>;
  return handler(run, action);
}
