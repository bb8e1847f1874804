import { ApiException, type V1Node } from "@kubernetes/client-node";
import { ACCOUNT_NAMESPACE } from "../cluster/accounts.ts";
import { FREEZE, HOLD } from "../cluster/node-keys.ts";
import { type Stop, type StoppedPlace, stopFor } from "../time/stops.ts";
import type { StepContext } from "./context.ts";
import { stopRecords } from "./ledger/stop-records.ts";

/** The stop that a person has set on a node with kubectl. */
export function holdOn(node: Pick<V1Node, "metadata"> | null | undefined): Stop[] {
  const { name = "", uid = "", annotations } = node?.metadata ?? {};
  const reason = annotations?.[HOLD];
  if (reason === undefined) return [];
  const target = { kind: "node", uid, name } as const;
  return [{ kind: "hold", target, reason, by: `the annotation ${HOLD} on Node ${name}`, at: null, until: null }];
}

/**
 * Reads everything that keeps Casement from disturbing nodes: freezes and holds in the ledger, and annotations set with
 * kubectl.
 */
export const stops = (context: StepContext) => {
  const records = stopRecords(context);

  const ofNamespace = async (): Promise<Stop[]> => {
    try {
      const { metadata } = await context.clients.kubernetes.core.readNamespace({ name: ACCOUNT_NAMESPACE });
      const reason = metadata?.annotations?.[FREEZE];
      if (reason === undefined) return [];
      const by = `the annotation ${FREEZE} on Namespace ${ACCOUNT_NAMESPACE}`;
      return [{ kind: "freeze", target: { kind: "cluster" }, reason, by, at: null, until: null }];
    } catch (error) {
      if (error instanceof ApiException && error.code === 404) return [];
      throw error;
    }
  };

  return {
    ...records,

    /** The freeze in the Namespace's annotation, if there is one. */
    ofNamespace,

    /** The stop that the ledger records for a node, without a call to the cluster; null if there is none. */
    recordedFor: async (place: StoppedPlace): Promise<Stop | null> => stopFor(await records.all(), place),

    /**
     * Finds the stop that forbids Casement to disturb a node now; null if there is none.
     * @param node the Node as just read, with its annotations; null for a machine that is no node
     * @throws the client's error if the stops cannot be read: the caller must then change nothing
     */
    over: async (node: Pick<V1Node, "metadata"> | null, pool: string | null): Promise<Stop | null> => {
      const [recorded, frozen] = await Promise.all([records.all(), ofNamespace()]);
      return stopFor([...holdOn(node), ...recorded, ...frozen], { uid: node?.metadata?.uid ?? null, pool });
    },
  };
};
