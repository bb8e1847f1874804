import { ApiException, type V1Node } from "@kubernetes/client-node";
import { ACCOUNT_NAMESPACE } from "../desired/accounts.ts";
import { FREEZE, HOLD } from "../desired/node-keys.ts";
import { type Stop, type StoppedPlace, stopFor } from "../desired/stops.ts";
import type { StepContext } from "./context.ts";
import { stopRecords } from "./ledger/stop-records.ts";

/** Stop that a person with kubectl has set on a node. */
export function holdOn(node: Pick<V1Node, "metadata"> | null | undefined): Stop[] {
  const { name = "", uid = "", annotations } = node?.metadata ?? {};
  const reason = annotations?.[HOLD];
  if (reason === undefined) return [];
  const target = { kind: "node", uid, name } as const;
  return [{ kind: "hold", target, reason, by: `the annotation ${HOLD} on Node ${name}`, at: null, until: null }];
}

/** Everything that keeps Casement from disturbing nodes: freezes and holds of the ledger, and the annotations of people with kubectl. */
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

    /** The freeze of the Namespace's annotation, if there is one. */
    ofNamespace,

    /** The stop of the ledger over a node, which is quickly read; null when there is none. */
    recordedFor: async (place: StoppedPlace): Promise<Stop | null> => stopFor(await records.all(), place),

    /**
     * Finds what keeps Casement from disturbing a node now; null when nothing does.
     * @param node as it was just read, with its annotations; null for a machine that is no node
     * @throws the client's error when it cannot be read: then nothing may be changed
     */
    over: async (node: Pick<V1Node, "metadata"> | null, pool: string | null): Promise<Stop | null> => {
      const [recorded, frozen] = await Promise.all([records.all(), ofNamespace()]);
      return stopFor([...holdOn(node), ...recorded, ...frozen], { uid: node?.metadata?.uid ?? null, pool });
    },
  };
};
