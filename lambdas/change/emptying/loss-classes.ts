import type { MovedPod } from "../../messages/plan/moved-pods.ts";

/** Lists the classes of what an eviction of these pods loses; names and numbers of pods change too often to compare. */
export const lossClasses = (pods: readonly MovedPod[]): string[] => [
  ...new Set(
    pods.flatMap(({ owner, isUncertain, localData }) => [
      ...(owner === null ? ["unmanaged pod"] : []),
      ...(isUncertain ? [`pod of ${owner?.split(" ")[0] ?? "an owner"}`] : []),
      ...localData.map((data) => data.split(" ")[0] ?? data),
    ]),
  ),
];
