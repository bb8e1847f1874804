import { at, timestamp } from "../model/object.ts";
import type { Condition, Container, Pod } from "../model/shapes.ts";

/** A last command that sleeps: `sleep 600`, `Start-Sleep 600`, `Start-Sleep -Seconds 600`. */
const SLEEP = /(?:^|[\s;])(?:sleep|Start-Sleep(?:\s+-Seconds)?)\s+(\d+)$/i;

/** Reads for how many milliseconds a container works before it ends; only a program that sleeps ever ends here. */
function runtimeOf({ command = [], args = [] }: Container): number | undefined {
  const seconds = SLEEP.exec([...command, ...args].join(" ").trim())?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

/**
 * Computes the time at which a running pod succeeds: when its last container has ended. Undefined for a pod whose
 * containers are restarted or never end.
 */
export function endsByItself({ spec, status }: Pod): number | undefined {
  if (spec.restartPolicy !== "Never" && spec.restartPolicy !== "OnFailure") return undefined;
  const runtimes = spec.containers.map(runtimeOf);
  const since = Date.parse(String(at(status?.containerStatuses?.[0]?.state, "running", "startedAt") ?? ""));
  if (Number.isNaN(since) || runtimes.includes(undefined)) return undefined;
  return since + Math.max(...runtimes.map((one) => one ?? 0));
}

/** Builds the pod whose containers have all ended with this code (k8s pkg/kubelet/status generate.go). */
export function completed(pod: Pod, now: number, exitCode = 0): Pod {
  const finishedAt = timestamp(now);
  const isOver = ({ type }: Condition): boolean => type === "Ready" || type === "ContainersReady";
  const conditions = (pod.status?.conditions ?? []).map((one): Condition => {
    if (!isOver(one)) return one;
    return {
      ...one,
      status: "False",
      reason: exitCode === 0 ? "PodCompleted" : "PodFailed",
      lastTransitionTime: finishedAt,
    };
  });
  const containerStatuses = (pod.status?.containerStatuses ?? []).map((one) => ({
    ...one,
    ready: false,
    started: false,
    state: { terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error", finishedAt } },
  }));
  return {
    ...pod,
    status: { ...pod.status, phase: exitCode === 0 ? "Succeeded" : "Failed", conditions, containerStatuses },
  };
}
