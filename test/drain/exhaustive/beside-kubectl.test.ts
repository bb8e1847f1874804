import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { KubeObject } from "../../../lib/sandbox/kubernetes/model/object.ts";
import { type Kubectl, kubectlWith } from "../../contract/kubectl-binary.ts";
import { kubeconfig, type OpenCluster, openCluster } from "../../sandbox/kubernetes/https.ts";
import { drainingSimulator, placeIn } from "../draining.ts";
import { careful } from "../objects.ts";
import { type Case, generatedCases, objectsOf } from "./generated-case.ts";

const CASES = 200;
const SEED = 20_261_123;

/** Runs of kubectl at a time: two cores serve them and the simulated server. */
const AT_ONCE = 4;

/** A budget that allows nothing holds kubectl until its time-out, in seconds. */
const HELD_SECONDS = 3;

/** End of a drain, and how many pods of each app are still on the node. */
interface Drained {
  readonly end: "drained" | "refused" | "late";
  readonly left: Readonly<Record<string, number>>;
}

/** Pods of the case that are on the node, by app. Those of a DaemonSet stay in both drains. */
function leftOf(pods: readonly KubeObject[], namespace: string): Record<string, number> {
  const left: Record<string, number> = {};
  for (const { metadata } of pods) {
    if (metadata.namespace !== namespace || metadata.deletionTimestamp) continue;
    const app = metadata.labels?.app ?? "";
    left[app] = (left[app] ?? 0) + 1;
  }
  return left;
}

let server: OpenCluster;
let kubectl: Kubectl;
const home = mkdtempSync(join(tmpdir(), "casement-drain-"));

beforeAll(async () => {
  server = await openCluster(1);
  const token = server.api.issueToken({ name: "drainer", groups: ["system:masters"] }, null);
  const file = join(home, "kubeconfig");
  writeFileSync(file, kubeconfig(server.url, server.api.authorityPem, { token }));
  kubectl = kubectlWith(file, home);
});

afterAll(async () => {
  await server.close();
  rmSync(home, { recursive: true, force: true });
});

/** Drains the case with kubectl, by the flags that mean what Casement's options do. */
async function byKubectl(node: string, given: Case): Promise<Drained> {
  const flags = [
    "--ignore-daemonsets",
    `--timeout=${HELD_SECONDS}s`,
    ...(given.force ? ["--force"] : []),
    ...(given.deleteEmptyDir ? ["--delete-emptydir-data"] : []),
  ];
  const { code, err } = await kubectl(["drain", node, ...flags], "", 60);
  const left = leftOf(server.api.objects("pods"), node);
  if (code === 0) return { end: "drained", left };
  return { end: /cannot delete/.test(err) ? "refused" : "late", left };
}

async function byCasement(here: Awaited<ReturnType<typeof drainingSimulator>>, node: string, given: Case) {
  const [made, namespace, lease, ...rest] = objectsOf(node, given);
  if (!(made && namespace && lease)) throw new Error("a case has a node, a namespace and a lease");
  const place = await placeIn(here, node);
  // A DaemonSet's pod goes by it.
  const labels = { "kubernetes.io/hostname": node };
  await place.kubectl("PATCH", `/api/v1/nodes/${node}`, { metadata: { labels } });
  for (const object of rest) place.stored(object);
  await here.simulator.pass(5);
  const options = { ...careful, force: given.force, deleteEmptyDir: given.deleteEmptyDir };
  const { end } = await place.drain({ deadline: here.now() + 120_000 }, options);
  const kind = end?.kind;
  if (kind !== "drained" && kind !== "refused" && kind !== "late") throw new Error(`the drain ended as ${kind}`);
  return { end: kind, left: leftOf(here.simulator.kubernetes.objects("pods"), node) };
}

test(`kubectl and Casement leave the same pods on ${CASES} generated nodes, and end alike`, {
  timeout: 900_000,
}, async () => {
  const cases = generatedCases(CASES, SEED).map((given, at) => ({ node: `node-${at}`, given }));
  for (const { node, given } of cases) for (const object of objectsOf(node, given)) server.api.create(object);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  const here = await drainingSimulator();
  const theirs = new Map<string, Drained>();
  const queue = [...cases];
  const work = async (): Promise<void> => {
    for (let one = queue.shift(); one; one = queue.shift()) theirs.set(one.node, await byKubectl(one.node, one.given));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const differing: unknown[] = [];
  for (const { node, given } of cases) {
    const [their, our] = [theirs.get(node), await byCasement(here, node, given)];
    if (JSON.stringify(their) !== JSON.stringify(our)) differing.push({ seed: SEED, node, given, their, our });
  }
  await here.simulator.close();
  expect(differing).toEqual([]);
  // Each end is met often enough for the comparison to mean something.
  const ends = [...theirs.values()].map(({ end }) => end);
  for (const end of ["drained", "refused", "late"] as const)
    expect(ends.filter((one) => one === end).length).toBeGreaterThan(CASES / 20);
});
