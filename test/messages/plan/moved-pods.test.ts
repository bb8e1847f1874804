import { describe, expect, it } from "vitest";
import {
  byLoss,
  isRecreated,
  losesSomething,
  lossesOf,
  type MovedPod,
  podLine,
} from "../../../lambdas/messages/plan/moved-pods.ts";

const pod = (name: string, change: Partial<MovedPod> = {}): MovedPod => ({
  ...{ namespace: "shop", name, owner: "ReplicaSet web", localData: [] },
  ...change,
});
const kept = pod("kept");
const bare = pod("bare", { owner: null });
const step = pod("step", { owner: "Workflow build", isUncertain: true });
const cache = pod("cache", { localData: ["emptyDir cache", "hostPath C:\\data"] });

describe("The line of a pod that is evicted", () => {
  it.each([
    [kept, "• `shop/kept` (ReplicaSet web)"],
    [bare, "• `shop/bare` (⚠️ not recreated)"],
    [step, "• `shop/step` (Workflow build, ⚠️ may not be recreated)"],
    [cache, "• `shop/cache` (ReplicaSet web) · ⚠️ loses emptyDir cache, hostPath C:\\data"],
  ])("names its owner and what is lost: %#", (one, line) => {
    expect(podLine(one)).toBe(line);
  });

  it("says nothing of an uncertain owner where there is none", () => {
    expect(podLine({ ...bare, isUncertain: true })).toBe("• `shop/bare` (⚠️ not recreated)");
  });
});

describe("The losses of an eviction", () => {
  it("are pods that may not come back, and data", () => {
    expect([kept, bare, step, cache].map(isRecreated)).toEqual([true, false, false, true]);
    expect([kept, bare, step, cache].map(losesSomething)).toEqual([false, true, true, true]);
  });

  it("come first in a list, which is otherwise in its order and not changed", () => {
    const other = pod("other");
    const pods = [kept, cache, other, bare];
    expect(byLoss(pods)).toEqual([cache, bare, kept, other]);
    expect(pods).toEqual([kept, cache, other, bare]);
  });

  it.each<[readonly MovedPod[], string]>([
    [[], ""],
    [[kept], ""],
    [[cache], "1 pod loses local data"],
    [[cache, cache, kept], "2 pods lose local data"],
    [[bare], "1 pod is not recreated"],
    [[bare, bare], "2 pods are not recreated"],
    [[step], "1 pod may not be recreated"],
    [[step, bare, cache], "1 pod loses local data, 1 pod is not recreated, 1 pod may not be recreated"],
  ])("are counted by their kinds: %#", (pods, words) => {
    expect(lossesOf(pods)).toBe(words);
  });
});
