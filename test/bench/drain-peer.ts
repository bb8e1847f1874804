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

/** Name by which the requests of a drain are told from the controllers'. */
export const DRAINER = "drainer";

function callsOf({ simulation }: DrainCluster): Call[] {
  const all: Call[] = [];
  for (let page = simulation.calls.after(0); page.length > 0; page = simulation.calls.after(page.at(-1)?.seq ?? 0))
    all.push(...page.filter(({ principal, action }) => principal === DRAINER && !action.startsWith("get /")));
  return all;
}

/**
 * Measures a drain of the full node, on a cluster of its own.
 * @throws Error when pods are left on the node
 */
export async function measuredDrain(drain: (cluster: DrainCluster) => Promise<void>): Promise<MeasuredDrain> {
  const cluster = await drainCluster();
  try {
    const begun = Date.now();
    await drain(cluster);
    const seconds = (Date.now() - begun) / 1_000;
    if (cluster.podsOn(FULL) > 0) throw new Error(`${cluster.podsOn(FULL)} pods are left on the node`);
    const calls = callsOf(cluster);
    const byAnswer: Record<string, number> = {};
    for (const { action, status } of calls)
      byAnswer[`${action} ${status}`] = (byAnswer[`${action} ${status}`] ?? 0) + 1;
    return { seconds, requests: calls.length, byAnswer };
  } finally {
    await cluster.close();
  }
}

async function kubectlDrain({ url, api }: DrainCluster): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "casement-bench-"));
  try {
    const token = api.issueToken({ name: DRAINER, groups: ["system:masters"] }, null);
    const file = join(home, "kubeconfig");
    writeFileSync(file, kubeconfig(url, api.authorityPem, { token }));
    const { code, err } = await kubectlWith(file, home)(["drain", FULL], "", 300);
    if (code !== 0) throw new Error(`kubectl drain ended with ${code}: ${err.slice(-500)}`);
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Measures `kubectl drain` of the full node. @throws Error when it does not empty the node within five minutes */
export const drainByKubectl = (): Promise<MeasuredDrain> => measuredDrain(kubectlDrain);
