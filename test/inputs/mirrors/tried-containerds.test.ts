import { expect, test } from "vitest";
import { untriedRuntime } from "../../../lambdas/inputs/mirrors/tried-containerds.ts";
import { releases } from "../../containerd/releases.ts";

test.for(["1.7.26", "v1.7.27", "1.7.27-8+wmco", "2.1.9"])("containerd %s was tried", (version) => {
  expect(untriedRuntime(`containerd://${version}`)).toBeNull();
});

test.for(["1.6.20", "1.7.23", "1.7.28", "1.10.0", "2.0.0", "2.1.10"])("containerd %s was not tried", (version) => {
  expect(untriedRuntime(`containerd://${version}`)).toBe(version);
});

test("another runtime was not tried, and a node that reports none is not judged", () => {
  expect(untriedRuntime("cri-o://1.34.1")).toBe("cri-o://1.34.1");
  expect(untriedRuntime("")).toBeNull();
});

test("the containerd that the lane must run counts as tried", () => {
  for (const { version } of releases.filter(({ isRequired }) => isRequired))
    expect(untriedRuntime(`containerd://${version}`)).toBeNull();
});
