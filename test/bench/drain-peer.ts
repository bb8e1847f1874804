import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Call } from "../../lib/sandbox/core/calls.ts";
import { kubectlWith } from "../contract/kubectl-binary.ts";
import { kubeconfig } from "../sandbox/kubernetes/https.ts";
import { type DrainCluster, drainCluster, FULL } from "./drain-cluster.ts";

/** A drain as it was measured. */
export interface MeasuredDrain {
  readonly seconds: number;
  /** Without those that ask which APIs there are: a server that answers them in one (aggregated discovery) is asked once. */
  readonly requests: number;
  /** Requests by what they asked and how they were answered: "create pods/eviction 201". */
  readonly byAnswer: Readonly<Record<string, number>>;
}

const DRAINER = "drainer";

function callsOf({ simulation }: DrainCluster): Call[] {
  const all: Call[] = [];
  for (let page = simulation.calls.after(0); page.length > 0; page = simulation.calls.after(page.at(-1)?.seq ?? 0))
    all.push(...page.filter(({ principal, action }) => principal === DRAINER && !action.startsWith("get /")));
  return all;
}

/** Measures `kubectl drain` of the full node. @throws Error when it does not empty the node within five minutes */
export async function drainByKubectl(): Promise<MeasuredDrain> {
  const cluster = await drainCluster();
  const home = mkdtempSync(join(tmpdir(), "casement-bench-"));
  try {
    const token = cluster.api.issueToken({ name: DRAINER, groups: ["system:masters"] }, null);
    const file = join(home, "kubeconfig");
    writeFileSync(file, kubeconfig(cluster.url, cluster.api.authorityPem, { token }));
    const begun = Date.now();
    const { code, err } = await kubectlWith(file, home)(["drain", FULL], "", 300);
    const seconds = (Date.now() - begun) / 1_000;
    if (code !== 0 || cluster.podsOn(FULL) > 0) throw new Error(`kubectl drain ended with ${code}: ${err.slice(-500)}`);
    const calls = callsOf(cluster);
    const byAnswer: Record<string, number> = {};
    for (const { action, status } of calls)
      byAnswer[`${action} ${status}`] = (byAnswer[`${action} ${status}`] ?? 0) + 1;
    return { seconds, requests: calls.length, byAnswer };
  } finally {
    await cluster.close();
    rmSync(home, { recursive: true, force: true });
  }
}
