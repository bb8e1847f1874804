import { describe, expect, test } from "vitest";
import type { ProbeEvent, ProbeState } from "../../lambdas/health/probe.ts";
import { judgePull, type PullObservation, proofImages, registryOf } from "../../lambdas/health/pull.ts";

const waiting: ProbeState = { exitCode: null, address: null, waiting: "", ended: "" };
const event = (reason: string, message: string, at = "03:00:00"): ProbeEvent => ({
  reason,
  message,
  at: `2026-11-26T${at}Z`,
});

describe("A pull on a node", () => {
  const judge = (events: readonly ProbeEvent[] | null, more: Partial<PullObservation> = {}) =>
    judgePull({ pod: waiting, isLate: false, ...more, events });

  test("worked once the kubelet says that it pulled the image", () => {
    expect(judge([event("Pulled", 'Successfully pulled image "a.io/x:1" in 1.2s')])).toEqual({ state: "pulled" });
  });

  test("is not proven by an image that was there before", () => {
    expect(judge([event("Pulled", 'Container image "a.io/x:1" already present on machine')])).toBeNull();
  });

  test("failed at the end of its time with the registry's last error, not before", () => {
    const pull = 'Failed to pull image "a.io/x:1": ';
    const failed = [
      event("Failed", `${pull}dial tcp: connection refused`, "03:05:00"),
      event("Failed", "Error: ErrImagePull", "03:05:00"),
      event("Failed", `${pull}first`),
      event("Failed", "Error: ImagePullBackOff", "03:06:00"),
    ];
    expect(judge(failed)).toBeNull();
    expect(judge(failed, { isLate: true })).toEqual({ state: "failed", why: "dial tcp: connection refused" });
  });

  test.each([
    "401 Unauthorized",
    "pull access denied, repository does not exist",
    "failed to authorize: failed to fetch anonymous token: unexpected status: 403 Forbidden",
  ])("proves nothing where the registry answers %s, unless the node signs in", (why) => {
    const answers = [event("Failed", `Failed to pull image "a.io/x:1": ${why}`)];
    expect(judge(answers)).toMatchObject({ state: "unknown" });
    expect(judge(answers, { signsIn: true })).toEqual({ state: "unauthorized", why });
  });

  test("failed where the registry refuses everybody, or never answers", () => {
    const denied = event("Failed", 'Failed to pull image "a.io/x:1": unexpected status from HEAD: 403 Forbidden');
    expect(judge([denied], { isLate: true })).toMatchObject({ state: "failed" });
    const hanging = judge([event("Pulling", 'Pulling image "a.io/x:1"')], { isLate: true });
    expect(hanging).toMatchObject({ state: "failed", why: expect.stringContaining("did not end in time") });
  });

  test("proves nothing without a pod, a kubelet that runs it, or Events", () => {
    expect(judge([], { pod: null })).toMatchObject({ state: "unknown", why: "its pod was deleted by others" });
    expect(judge([], { pod: { ...waiting, ended: "OutOfpods: no room" } })).toMatchObject({ state: "unknown" });
    expect(judge(null, { isLate: true })).toMatchObject({ state: "unknown", why: "its Events cannot be read" });
    expect(judge([], { isLate: true })).toMatchObject({ why: "the kubelet did not begin the pull in time" });
  });
});

test.each([
  ["quay.io/team/app:1", "quay.io"],
  ["Reg.example.com:5000/app@sha256:00", "reg.example.com:5000"],
  ["localhost/app", "localhost"],
  ["library/nginx", "docker.io"],
  ["nginx", "docker.io"],
  ["index.docker.io/library/nginx", "docker.io"],
])("the registry of %s is %s", (image, registry) => {
  expect(registryOf(image)).toBe(registry);
});

test("the first image of each registry proves it, and a registry without one is named", () => {
  expect(proofImages(["quay.io", "a.io"], ["b.io/x", "quay.io/one", "quay.io/two"])).toEqual({
    images: [{ registry: "quay.io", image: "quay.io/one" }],
    without: ["a.io"],
  });
});
