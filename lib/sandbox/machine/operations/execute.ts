import type { Operation } from "../../../../lambdas/desired/plan.ts";
import type { Applying, Doer } from "./applying.ts";
import { directory, file, removeFile } from "./files.ts";
import { service, serviceRecovery, serviceState } from "./services.ts";
import { defenderExclusion, environment, feature, firewallRule } from "./system.ts";
import { runTaskNow, task } from "./tasks.ts";

const doers: { readonly [Kind in Operation["do"]]: Doer<Kind> } = {
  directory,
  file,
  "remove-file": removeFile,
  feature,
  "firewall-rule": firewallRule,
  environment,
  service,
  "service-recovery": serviceRecovery,
  "service-state": serviceState,
  task,
  "run-task": runTaskNow,
  "defender-exclusion": defenderExclusion,
};

/** An operation in words, as apply.ps1 names it: "service kubelet", "file C:\\k\\kubelet.exe". */
export function inWords(operation: unknown): string {
  const fields: Readonly<Record<string, unknown>> = typeof operation === "object" ? { ...operation } : {};
  const subject = fields.path ?? fields.name ?? fields.process;
  return subject === undefined ? String(fields.do) : `${String(fields.do)} ${String(subject)}`;
}

/** Executes one operation. @returns whether anything changed @throws Error in the machine's own words */
export function execute(run: Applying, operation: Operation): Promise<boolean> {
  const doer = doers[operation.do] as Doer<typeof operation.do>;
  return doer(run, operation);
}
