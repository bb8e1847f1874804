import { afterEach, expect, test } from "vitest";
import type { KubeObject } from "../../../../lib/sandbox/kubernetes/model/object.ts";
import { newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { kubectl } from "../../others.ts";
import { poolOfFour } from "../../pool-of-four.ts";

let here: Journey;
afterEach(() => here.close());

const NODES = 4;
const REPLICAS = 40;
const PINNED = 30;

interface Pod extends KubeObject {
  readonly spec: { readonly nodeName?: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const podsOf = (app: string): Pod[] =>
  (here.simulator.kubernetes.objects("pods") as Pod[]).filter(({ metadata }) => metadata.labels?.app === app);
const pods = (): Pod[] => podsOf("shop");
const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some((one) => one.type === "Ready" && one.status === "True") === true;

/** Pods of each node, fewest first. */
const spread = (): number[] =>
  [...Map.groupBy(pods(), ({ spec }) => spec.nodeName).values()]
    .map((all) => all.length)
    .sort((one, other) => one - other);

/** A Deployment of small pods for Windows nodes with these labels. */
const deployment = (name: string, replicas: number, nodeSelector: object) => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: "default" },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        nodeSelector,
        tolerations: [{ key: "os", operator: "Exists" }],
        terminationGracePeriodSeconds: 1,
        containers: [{ name: "main", image: "docker.io/library/shop:1" }],
      },
    },
  },
});

const deploy = (...of: Parameters<typeof deployment>): Promise<void> =>
  kubectl(here, "POST", "/apis/apps/v1/namespaces/default/deployments", deployment(...of));

/**
 * Follows each replica through the pods that take its place: a controller makes the next pod when one begins to end.
 * @returns how often each of the replicas that exist now has moved
 */
function movesOfReplicas(): () => number[] {
  const moves = new Map(pods().map(({ metadata }) => [metadata.uid, 0]));
  const ended = new Set<string>();
  const left: number[] = [];
  here.simulator.kubernetes.cluster.objects.listen(({ object: { kind, metadata } }) => {
    if (kind !== "Pod" || metadata.labels?.app !== "shop") return;
    if (!moves.has(metadata.uid)) moves.set(metadata.uid, left.shift() ?? 0);
    if (!metadata.deletionTimestamp || ended.has(metadata.uid)) return;
    ended.add(metadata.uid);
    left.push((moves.get(metadata.uid) ?? 0) + 1);
  });
  return () => [...moves].filter(([uid]) => !ended.has(uid)).map(([, count]) => count);
}

test("A rollout moves the replicas of its first node twice, and all others once", async () => {
  const four = await poolOfFour(1);
  here = four.here;
  await deploy("shop", REPLICAS, { "casement.dev/pool": "web" });
  await here.until(async () => pods().filter(isReady).length === REPLICAS, 10, "the replicas");
  expect(spread()).toEqual(Array.from({ length: NODES }, () => REPLICAS / NODES));
  // They make the first node the fullest when it is back: by load alone the scheduler would prefer nodes that wait for their turn.
  await deploy("pinned", PINNED, { "kubernetes.io/hostname": four.names[0] });
  await here.until(async () => podsOf("pinned").filter(isReady).length === PINNED, 10, "the pinned pods");

  const moves = movesOfReplicas();
  await here.type("operator", "/win reboot web");
  await settled(here, 360);
  expect((await newest(here)).operation.summary).toBe("4 of 4 nodes are rebooted and proven.");
  const counts = moves();
  expect(counts).toHaveLength(REPLICAS);
  expect(counts.filter((count) => count === 2)).toHaveLength(REPLICAS / NODES);
  expect(counts.filter((count) => count > 2)).toEqual([]);
});
