import { clients } from "../../lambdas/clients/clients.ts";
import type { DrainOrder } from "../../lambdas/steps/drain/order.ts";
import type { DrainState } from "../../lambdas/steps/drain/schedule.ts";
import { type Steps, steps } from "../../lambdas/steps/steps.ts";
import { testSimulator } from "../steps/test-simulator.ts";
import { type DrainCluster, FULL } from "./drain-cluster.ts";
import { DRAINER, type MeasuredDrain, measuredDrain } from "./drain-peer.ts";

const MINUTE = 60_000;

/** Polls as the drain's workflow does, in the host's time, until the drain ends. */
async function polled({ drain }: Pick<Steps, "drain">, order: DrainOrder): Promise<string> {
  for (let state: DrainState | null = null; ; ) {
    const tick: Awaited<ReturnType<Steps["drain"]["tick"]>> = await drain.tick(order, state);
    if (tick.end) return tick.end.kind;
    state = tick.state;
    await new Promise((resolve) => setTimeout(resolve, (tick.againIn ?? 5) * 1_000));
  }
}

/** Drains the full node by Casement's own verbs over HTTPS; leases are kept by a ledger beside it. */
async function drain({ url, api, admin }: DrainCluster): Promise<void> {
  const simulator = await testSimulator();
  try {
    const settings = simulator.settings("drain-node");
    const token = api.issueToken({ name: DRAINER, groups: ["system:masters"] }, null);
    const kubernetes = clients(settings).kubernetesWith({ server: url, ca: api.authorityPem, token });
    const all = { ...clients(settings, simulator.transport), kubernetes };
    const verbs = steps({ clients: all, settings, now: Date.now });
    await admin(`PATCH /api/v1/nodes/${FULL}`, { spec: { unschedulable: true } }, MERGE);
    const node = await verbs.nodes.read(FULL);
    const end = await polled(verbs, {
      node: { name: FULL, uid: node?.metadata?.uid ?? "" },
      held: await verbs.leases.take("i-0bench00000000000", "drain-1:0"),
      options: { force: false, deleteEmptyDir: false, graceSeconds: null, skipAfterSeconds: 0 },
      deadline: Date.now() + 5 * MINUTE,
      notBefore: 0,
      mayGoOn: async () => true,
    });
    if (end !== "drained") throw new Error(`the drain ended as ${end}`);
  } finally {
    await simulator.close();
  }
}

const MERGE = { "content-type": "application/merge-patch+json" };

/** Measures Casement's drain of the full node. @throws Error when it does not empty the node within five minutes */
export const drainByCasement = (): Promise<MeasuredDrain> => measuredDrain(drain);
