import { timestamp } from "../model/object.ts";
import { known } from "../model/resources.ts";
import { type Condition, isTrue, type Pod, type Workload } from "../model/shapes.ts";
import type { Cluster, Controller } from "./controller.ts";
import { pods } from "./nodes.ts";
import { activeWorkload, isActive, isReady, ownedOf, ownerKey, podOf, report } from "./workloads.ts";

const jobs = known("jobs", "batch");

interface Job extends Workload {
  spec: Workload["spec"] & { completions?: number; parallelism?: number };
  status?: { startTime?: string; succeeded?: number; conditions?: Condition[] };
}

/** Builds a job's pod; its name and labels are those of k8s pkg/controller/job. */
function podFor(job: Job): ReturnType<typeof podOf> {
  const { name, uid } = job.metadata;
  const labels = { "batch.kubernetes.io/job-name": name, "batch.kubernetes.io/controller-uid": uid, "job-name": name };
  const pod = podOf(job, { generateName: `${name}-` });
  return { ...pod, metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...labels } } };
}

/**
 * Runs a Job's pods until enough have succeeded. A pod that is deleted is replaced at once, and its work begins anew; a
 * failed one too: backoffLimit, indexes and deadlines are not modelled.
 */
export function jobKeeper(cluster: Cluster): Controller {
  const { registry, simulation } = cluster;
  const conditionsOf = (isDone: boolean): Condition[] => {
    const since = { lastTransitionTime: timestamp(simulation.clock.now()) };
    return isDone
      ? ["SuccessCriteriaMet", "Complete"].map((type) => ({
          type,
          status: "True",
          reason: "CompletionsReached",
          ...since,
        }))
      : [];
  };
  return {
    name: "jobs",
    type: jobs,
    concerns: ownerKey("Job", pods),
    reconcile: (key) => {
      const job = activeWorkload(cluster, jobs, key) as Job | undefined;
      if (!job || isTrue(job.status?.conditions, "Complete")) return undefined;
      const own = (): Pod[] => ownedOf<Pod>(cluster, pods, job);
      const succeeded = own().filter(({ status }) => status?.phase === "Succeeded").length;
      const { completions = 1, parallelism = 1 } = job.spec;
      const wanted = Math.min(parallelism, completions - succeeded);
      for (let active = own().filter(isActive).length; active < wanted; active += 1) registry.create(pods, podFor(job));
      report(cluster, jobs, job, {
        startTime: job.status?.startTime ?? timestamp(simulation.clock.now()),
        active: own().filter(isActive).length,
        ready: own().filter(isReady).length,
        succeeded,
        failed: own().filter(({ status }) => status?.phase === "Failed").length,
        conditions: conditionsOf(succeeded >= completions),
      });
      return undefined;
    },
  };
}
