import {
  ApiException,
  PatchStrategy,
  setHeaderOptions,
  type V1Node,
  type V1Pod,
  type V1Taint,
} from "@kubernetes/client-node";
import { SOON_REBOOTED } from "../../cluster/node-keys.ts";
import { Retryable } from "../../errors.ts";
import { fillText } from "../../messages/slack/command-word.ts";
import { causesOf, ifPresent, isAbsent, wordsOf } from "../client-errors.ts";
import { commandWord } from "../command-word.ts";
import { type StepContext, timestamp } from "../context.ts";
import { everyPage } from "../every-page.ts";
import { asWritten } from "./cordon-rules.ts";
import { isReady, isStarting } from "./node-facts.ts";

/** A Node of the cluster, as workflows pass it between verbs. */
export type Node = V1Node;

/**
 * Does the API server say that the object of this name has another uid than the request? It answers 422 to a patch
 * (`metadata.uid … field is immutable`), and 409 to a DELETE with a precondition.
 */
const isAnother = (error: unknown): boolean =>
  error instanceof ApiException &&
  (error.code === 409 || (error.code === 422 && causesOf(error).some(({ field }) => field === "metadata.uid")));

const mergePatch = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);

/** Reads nodes and pods. */
const reading = ({ clients, together }: StepContext) => {
  const { core } = clients.kubernetes;
  const pods = (): Promise<V1Pod[]> => everyPage((page) => core.listPodForAllNamespaces({ ...page }));
  return {
    /** Reads one node; undefined if there is none of that name. */
    read: (name: string): Promise<V1Node | undefined> => ifPresent(core.readNode({ name })),

    all: (): Promise<V1Node[]> => everyPage((page) => core.listNode({ ...page })),

    /** Lists the pods of a node: of many nodes at one time, by the one list of all pods. */
    podsOn: async (name: string): Promise<V1Pod[]> =>
      together
        ? (await pods()).filter(({ spec }) => spec?.nodeName === name)
        : everyPage((page) => core.listPodForAllNamespaces({ fieldSelector: `spec.nodeName=${name}`, ...page })),

    /**
     * Reads one byte of a pod's log, which works only if the kubelet trusts the API server.
     * @returns null on success; otherwise the answer, in words
     */
    logRefusal: async ({ metadata }: V1Pod): Promise<string | null> => {
      try {
        await core.readNamespacedPodLog({
          name: metadata?.name ?? "",
          namespace: metadata?.namespace ?? "",
          limitBytes: 1,
        });
        return null;
      } catch (error) {
        if (!(error instanceof ApiException)) throw error;
        // The pod was just read with the same credential, so a 401 comes from the kubelet.
        return error.code === 401 ? "the kubelet does not accept the API server's certificate (401)" : wordsOf(error);
      }
    },

    pods,
  };
};

/** Changes and deletes nodes. */
const changing = (context: StepContext) => {
  const { core } = context.clients.kubernetes;

  /**
   * Changes a node only if it is unchanged since it was read, because a patch replaces the whole taint list.
   * @param patch a merge patch
   * @throws Retryable if the node was changed or deleted since it was read
   */
  const change = async (node: V1Node, patch: { readonly metadata?: object; readonly spec?: object }): Promise<void> => {
    const metadata = { resourceVersion: node.metadata?.resourceVersion, ...patch.metadata };
    try {
      await core.patchNode({ name: node.metadata?.name ?? "", body: { ...patch, metadata } }, mergePatch);
    } catch (error) {
      if (error instanceof ApiException && (error.code === 409 || error.code === 404))
        throw new Retryable("the Node was changed by another writer at the same time", { cause: error });
      throw error;
    }
  };

  return {
    change,

    /** Sets labels; a label that has the value already stays. */
    label: async (node: V1Node, labels: Readonly<Record<string, string>>): Promise<void> => {
      const missing = Object.entries(labels).filter(([key, value]) => node.metadata?.labels?.[key] !== value);
      if (missing.length === 0) return;
      const body = { metadata: { labels: Object.fromEntries(missing) } };
      await core.patchNode({ name: node.metadata?.name ?? "", body }, mergePatch);
    },

    /** Sets annotations below casement.dev/. They inform people with kubectl and prove nothing. */
    annotate: async (node: V1Node, annotations: Readonly<Record<string, string>>): Promise<void> => {
      await core.patchNode({ name: node.metadata?.name ?? "", body: { metadata: { annotations } } }, mergePatch);
    },

    /**
     * Makes the scheduler prefer other nodes for an operation, or ends that.
     * @param operation null to take the taint off
     * @throws Retryable if the node was changed since it was read
     */
    prefersNoPods: async (node: V1Node, operation: string | null): Promise<void> => {
      const others = (node.spec?.taints ?? []).filter(({ key }) => key !== SOON_REBOOTED).map(asWritten);
      const own = operation === null ? [] : [{ key: SOON_REBOOTED, value: operation, effect: "PreferNoSchedule" }];
      await change(node, { spec: { taints: [...others, ...own] } });
    },

    /**
     * Removes one taint by key.
     * @throws Retryable if the node was changed since it was read
     */
    untaint: async (node: V1Node, key: string): Promise<void> => {
      const taints: V1Taint[] = node.spec?.taints ?? [];
      if (!taints.some((taint) => taint.key === key)) return;
      await change(node, { spec: { taints: taints.filter((taint) => taint.key !== key).map(asWritten) } });
    },

    /**
     * Deletes the Node that was judged, never a new one of the same name. Cordons it first, because a person may have
     * uncordoned it meanwhile.
     * @returns false while it is Ready and in service: the admission policy lets Casement delete no such Node. That of a
     * terminated machine is NotReady within a minute.
     */
    remove: async (name: string, uid: string): Promise<boolean> => {
      try {
        const body = { metadata: { uid }, spec: { unschedulable: true } };
        const node = await core.patchNode({ name, body }, mergePatch);
        if (isReady(node) && !isStarting(node)) return false;
        await core.deleteNode({ name, body: { preconditions: { uid } } });
        return true;
      } catch (error) {
        if (isAbsent(error) || isAnother(error)) return true;
        throw error;
      }
    },
  };
};

/** Reads and changes nodes with their labels, taints and annotations. */
export const nodes = (context: StepContext) => {
  const { core } = context.clients.kubernetes;
  const word = commandWord(context);
  return {
    ...reading(context),
    ...changing(context),

    /** Creates an Event on the Node, so that people with kubectl see what people in Slack see. */
    announce: async (
      node: { name: string; uid: string },
      type: "Normal" | "Warning",
      reason: string,
      message: string,
    ): Promise<void> => {
      const at = new Date(timestamp(context));
      await core.createNamespacedEvent({
        namespace: "default",
        body: {
          metadata: { generateName: `${node.name}.`, namespace: "default" },
          involvedObject: { apiVersion: "v1", kind: "Node", name: node.name, uid: node.uid },
          type,
          reason,
          message: (await fillText(message, word)).slice(0, 1024),
          source: { component: "casement" },
          reportingComponent: "casement.dev/bot",
          firstTimestamp: at,
          lastTimestamp: at,
          count: 1,
        },
      });
    },
  };
};
