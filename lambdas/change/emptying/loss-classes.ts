import { digestOf } from "../../audit/canonical.ts";
import { losesSomething, type MovedPod } from "../../messages/plan/moved-pods.ts";
import { lossesByWorkload } from "../../messages/plan/workload-losses.ts";

/** Lists the classes of what an eviction of one pod loses. */
const classesOf = ({ owner, isUncertain, localData }: MovedPod): string[] => [
  ...(owner === null ? ["unmanaged pod"] : []),
  ...(isUncertain ? [`pod of ${owner?.split(" ")[0] ?? "an owner"}`] : []),
  ...localData.map((data) => data.split(" ")[0] ?? data),
];

/** Lists the classes of what an eviction of these pods loses; names and numbers of pods change too often to compare. */
export const lossClasses = (pods: readonly MovedPod[]): string[] => [...new Set(pods.flatMap(classesOf))];

/**
 * A Deployment makes a ReplicaSet for each version of its pods, and a CronJob a Job for each of its times: the hash is of
 * apimachinery's alphabet (util/rand/rand.go), the time in minutes since the epoch (cronjob/utils.go, getJobName).
 */
const made = /^(ReplicaSet .+)-[bcdfghjklmnpqrstvwxz2456789]{1,10}$|^(Job .+)-\d{8}$/;

/** Name of a pod's workload, which stays the same for all versions of a Deployment and all Jobs of a CronJob. */
function workloadOf({ namespace, name, owner }: MovedPod): string {
  const [, replicaSet, job] = made.exec(owner ?? "") ?? [];
  return `${namespace}/${replicaSet ?? job ?? owner ?? name}`;
}

/** Hexadecimal digits of a mark: a record holds up to a thousand. */
const MARK_LENGTH = 16;

const marksOf = (pod: MovedPod): string[] =>
  classesOf(pod).map((loss) => digestOf([workloadOf(pod), loss]).slice(0, MARK_LENGTH));

/** Marks each workload and class of loss among these pods, so that an approval is bound to them in little room. */
export const lossMarks = (pods: readonly MovedPod[]): string[] => [...new Set(pods.flatMap(marksOf))].sort();

/** Names the losses of these pods that the marks do not cover, by workload: "shop/build-7 is not recreated". */
export function unmarkedLosses(pods: readonly MovedPod[], marks: readonly string[]): string[] {
  const known = new Set(marks);
  const unmarked = pods.filter((pod) => losesSomething(pod) && marksOf(pod).some((mark) => !known.has(mark)));
  return lossesByWorkload(unmarked).map(({ workload, what }) => `${workload} ${what}`);
}
