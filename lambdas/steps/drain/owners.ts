import type { V1Pod } from "@kubernetes/client-node";
import { isAbsent, isBusy, wordsOf } from "../client-errors.ts";
import type { StepContext } from "../context.ts";
import { type DaemonSetState, daemonSetKey } from "./filters.ts";
import { isAtWork, type Job, type JobState, jobKey } from "./jobs.ts";
import { isFinished } from "./pods.ts";

/** Milliseconds after which a Job is read again: its pods elsewhere may have used up its retries. */
const JOB_MS = 60_000;

/** An owner as the API server answers. */
type Owner = { readonly found: object } | "absent" | { readonly unreadable: string };

/** Reads the owners of pods that decide on their own whether an evicted pod comes back. */
export const podOwners = (context: StepContext) => {
  const { custom } = context.clients.kubernetes;

  /** @throws a busy server's error, which proves neither that the owner exists nor that it does not */
  const read = async (group: string, plural: string, key: string): Promise<Owner> => {
    const [namespace = "", name = ""] = key.split("/");
    try {
      return { found: await custom.getNamespacedCustomObject({ group, version: "v1", plural, namespace, name }) };
    } catch (error) {
      if (isAbsent(error)) return "absent";
      if (isBusy(error)) throw error;
      return { unreadable: wordsOf(error) };
    }
  };

  const daemonSet = async (key: string): Promise<DaemonSetState> => {
    const owner = await read("apps", "daemonsets", key);
    return typeof owner === "object" && "found" in owner ? "exists" : owner;
  };

  const job = async (key: string): Promise<JobState> => {
    const owner = await read("batch", "jobs", key);
    return typeof owner === "object" && "found" in owner ? (owner.found as Job) : owner;
  };

  return {
    /**
     * Reads the DaemonSets of pods, each once per drain; one that exists is assumed to keep existing.
     * @throws a busy server's error
     */
    daemonSets: async (pods: readonly V1Pod[], known: readonly string[]) => {
      const wanted = new Set(pods.flatMap((pod) => (isFinished(pod) ? [] : (daemonSetKey(pod) ?? []))));
      const states = new Map<string, DaemonSetState>(known.map((key) => [key, "exists"]));
      for (const key of wanted) if (!states.has(key)) states.set(key, await daemonSet(key));
      return states;
    },

    /**
     * Reads the Jobs of pods that still work, each once a minute.
     * @param known milliseconds since the epoch at which each was read
     * @returns their states, and the times at which they were read
     * @throws a busy server's error
     */
    jobs: async (pods: readonly V1Pod[], known: Readonly<Record<string, number>>) => {
      const wanted = new Set(pods.filter(isAtWork).flatMap((pod) => jobKey(pod) ?? []));
      const readAt = { ...known };
      const states = new Map<string, JobState>();
      for (const key of wanted) {
        const isFresh = context.now() - (known[key] ?? Number.NEGATIVE_INFINITY) < JOB_MS;
        states.set(key, isFresh ? "recreates" : await job(key));
        if (!isFresh) readAt[key] = context.now();
      }
      return { states, readAt };
    },
  };
};
