import { describe, expect, test } from "vitest";
import { brokenPrograms, endedPrograms, supportText } from "../../lambdas/machine/payload-support.ts";

const broken = (name: string, version: string, cluster = "1.34.2") =>
  brokenPrograms([{ name, version }], cluster).map(supportText);
const ended = (name: string, version: string, today = "2026-11-26") =>
  endedPrograms([{ name, version }], today).map(supportText);

describe("a program of the payload", () => {
  test("that does not work on Windows is named with its report", () => {
    expect(broken("kubelet.exe", "1.31.1", "1.31.14")).toEqual([
      "kubelet.exe 1.31.1 is known to be broken on Windows: it does not start (kubernetes/kubernetes issue 129957)",
    ]);
    expect(broken("kubelet.exe", "1.31.14", "1.31.14")).toEqual([]);
  });

  test.each(["1.35.0", "1.30.4"])("that is a kubelet %s does not fit Kubernetes 1.34", (version) => {
    expect(broken("kubelet.exe", version)).toEqual([
      `kubelet.exe ${version} does not fit Kubernetes 1.34.2: a kubelet is not newer, and at most three minors older`,
    ]);
  });

  test.each([
    ["kubelet.exe", "1.34.10"],
    ["kubelet.exe", "1.31.9"],
    ["kubelet.exe", "3f9c2a71d0b4"],
    ["containerd.exe", "1.35.0"],
  ])("%s %s is no fault", (name, version) => {
    expect(broken(name, version)).toEqual([]);
  });

  test("gets fixes until the last day that its publisher names", () => {
    expect(ended("kubelet.exe", "1.34.10", "2026-10-27")).toEqual([]);
    expect(ended("kubelet.exe", "1.34.10", "2026-10-28")).toEqual([
      "kubelet.exe 1.34.10 has had no fixes from its publisher since 2026-10-27",
    ]);
    expect(ended("containerd.exe", "2.3.4")).toEqual([]);
    expect(ended("csi-proxy.exe", "1.2.1")).toEqual([]);
  });
});
