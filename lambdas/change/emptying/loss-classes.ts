import type { MovedPod } from "../../messages/remove/dialog.ts";

/** Classes of what an eviction of these pods loses: their names and their number come and go. */
export const lossClasses = (pods: readonly MovedPod[]): string[] => [
  ...new Set(
    pods.flatMap(({ owner, localData }) => [
      ...(owner === null ? ["unmanaged pod"] : []),
      ...localData.map((data) => data.split(" ")[0] ?? data),
    ]),
  ),
];
