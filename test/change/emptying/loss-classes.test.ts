import { describe, expect, test } from "vitest";
import { lossMarks, unmarkedLosses } from "../../../lambdas/change/emptying/loss-classes.ts";
import type { MovedPod } from "../../../lambdas/messages/plan/moved-pods.ts";

const pod = (owner: string | null, fields: Partial<MovedPod> = {}): MovedPod => ({
  ...{ namespace: "shop", name: "pod-1", owner, localData: ["emptyDir scratch"] },
  ...fields,
});

describe("Marks of losses", () => {
  test.each<readonly [string, MovedPod, MovedPod]>([
    ["another pod of its workload", pod("StatefulSet db", { name: "db-0" }), pod("StatefulSet db", { name: "db-1" })],
    ["a new version of its Deployment", pod("ReplicaSet web-5d9f7c6b48"), pod("ReplicaSet web-7c4b9d8f6")],
    ["a later Job of its CronJob", pod("Job report-29012345"), pod("Job report-29012346")],
    ["another volume of the same kind", pod("DaemonSet a"), pod("DaemonSet a", { localData: ["emptyDir more"] })],
  ])("cover %s", (_case, listed, later) => {
    expect(unmarkedLosses([later], lossMarks([listed]))).toEqual([]);
  });

  test.each<readonly [string, MovedPod, MovedPod, string]>([
    ["another workload", pod("StatefulSet db"), pod("StatefulSet log"), "shop/StatefulSet log loses emptyDir scratch"],
    [
      "the workload of that name elsewhere",
      pod("StatefulSet db"),
      pod("StatefulSet db", { namespace: "test" }),
      "test/StatefulSet db loses emptyDir scratch",
    ],
    [
      "a ReplicaSet whose name ends in a word",
      pod("ReplicaSet web-blue"),
      pod("ReplicaSet web-green"),
      "shop/ReplicaSet web-green loses emptyDir scratch",
    ],
    [
      "a loss of another kind",
      pod("StatefulSet db"),
      pod("StatefulSet db", { localData: ["hostPath C:\\data"] }),
      "shop/StatefulSet db loses hostPath C:\\data",
    ],
    [
      "another pod that nothing recreates",
      pod(null, { localData: [] }),
      pod(null, { name: "pod-2", localData: [] }),
      "shop/pod-2 is not recreated",
    ],
  ])("do not cover %s", (_case, listed, later, words) => {
    expect(unmarkedLosses([listed, later], lossMarks([listed]))).toEqual([words]);
  });
});
