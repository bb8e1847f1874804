import { createHash } from "node:crypto";
import type { Action, ApplyResult } from "../../lambdas/machine/plan.ts";
import type { Ended, ScriptHost } from "./run.ts";

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
export const base64 = (text: string): string => Buffer.from(text).toString("base64");

/** Unix seconds after the end of every test. */
export const LATER = 4_000_000_000;

/** A file with its content in the plan. */
export const inline = (path: string, text: string, wanted = sha256(text)): Action => ({
  do: "file",
  path,
  source: { from: "inline", base64: base64(text) },
  sha256: wanted,
  access: "inherited",
});

/** Sends a plan of these actions and returns the script's result. */
export async function applyOn(here: ScriptHost, ...actions: Action[]): Promise<Ended & { result: ApplyResult }> {
  const plan = { format: 2, operation: "add-1", notAfter: LATER, actions };
  const ended = await here.send("apply", { plan });
  return { ...ended, result: ended.result as ApplyResult };
}

/** A service as a plan defines it. */
export const kubelet = (change: object = {}): Action => ({
  do: "service",
  name: "kubelet",
  description: "Casement managed kubelet",
  commandLine: "C:\\k\\kubelet.exe --config=C:\\k\\kubelet.conf",
  startType: "Automatic",
  dependsOn: ["containerd"],
  restartAfter: [10, 30, 60],
  ...change,
});

/** A variable of its environment as a plan sets it; null removes it. */
export const proxyVariable = (value: string | null): Action => ({
  do: "service-variable",
  service: "kubelet",
  name: "HTTPS_PROXY",
  value,
});

/** A task whose script is in a folder with a blank in its name. */
export const guardTask = {
  do: "task",
  name: "Casement guard",
  script: "C:\\My Files\\guard.ps1",
  arguments: ["-A", "b c"],
  everyMinutes: 1,
} as const satisfies Action;

/** A firewall rule as a plan defines it. */
export const rule: Action = {
  do: "firewall-rule",
  name: "kubelet",
  protocol: "TCP",
  port: 10250,
  remoteAddresses: ["10.0.0.0/16"],
};
