import { describe, expect, it } from "vitest";
import { machineTroubles } from "../../lambdas/health/machine-troubles.ts";
import { observedTroubles, postedTroubles } from "../../lambdas/machine/seen-troubles.ts";

const stopped = { kind: "service-stopped", service: "kube-proxy" } as const;
const disk = { kind: "disk-low" } as const;
const CLOCK = 1_795_000_000;
const at = (mark: string, found: Parameters<typeof observedTroubles>[1]["found"]) => ({
  found,
  mark,
  now: `at ${mark}`,
});

describe("a trouble of a machine", () => {
  const first = observedTroubles([], at("one", [stopped]));
  const posted = postedTroubles(first, "service-stopped kube-proxy", "1.0");

  it("keeps its first look as long as it goes on, and while the machine does not say", () => {
    expect(first).toEqual([{ ...stopped, since: "at one", mark: "one" }]);
    expect(observedTroubles(first, at("two", [stopped, disk]))).toEqual([
      ...first,
      { ...disk, since: "at two", mark: "two" },
    ]);
    expect(observedTroubles(first, at("two", undefined))).toEqual(first);
  });

  it("that ends is forgotten at once if nobody was told, and otherwise when its end is posted", () => {
    expect(observedTroubles(first, at("two", []))).toEqual([]);
    const ended = observedTroubles(posted, at("two", []));
    expect(ended).toEqual([{ ...stopped, since: "at one", mark: "one", isPosted: true, ts: "1.0", endedBy: "two" }]);
    expect(observedTroubles(ended, at("three", []))).toEqual(ended);
    expect(postedTroubles(ended, "service-stopped kube-proxy", "2.0")).toEqual([]);
    expect(postedTroubles(ended, "disk-low", "2.0")).toEqual(ended);
  });

  it("that comes back before its end was posted goes on", () => {
    expect(observedTroubles(observedTroubles(posted, at("two", [])), at("three", [stopped]))).toEqual(posted);
  });
});

describe("another trouble of the same service", () => {
  const exits = { kind: "service-exits", service: "kube-proxy", times: 4 } as const;
  const posted = postedTroubles(observedTroubles([], at("one", [stopped, disk])), "service-stopped kube-proxy", "1.0");

  it("takes the place of the one before, whose end is not posted", () => {
    const found = observedTroubles(posted, at("two", [exits, disk]));
    expect(found.map(({ kind, endedBy }) => [kind, endedBy])).toEqual([
      ["service-exits", undefined],
      ["disk-low", undefined],
    ]);
  });

  it("leaves the troubles of others: the end of one is posted though the drive is full", () => {
    expect(observedTroubles(posted, at("two", [disk])).map(({ kind, endedBy }) => [kind, endedBy])).toEqual([
      ["disk-low", undefined],
      ["service-stopped", "two"],
    ]);
  });
});

describe("the answers of a machine", () => {
  const service = (name: string, state: string | null) => ({
    ...{ name, state, startType: null },
    exitCode: 0,
    process: 0,
    log: "",
  });
  const space = { freeBytes: 50 * 1024 ** 3, sizeBytes: 100 * 1024 ** 3 };
  const expected = { optionalServices: ["csi-proxy"], networkServices: ["kube-proxy"] };

  it("name services that do not run, and a drive that is almost full", () => {
    const services = [
      ...[service("containerd", "Running"), service("kubelet", "StartPending"), service("kube-proxy", "Stopped")],
      ...[service("csi-proxy", null), service("windows_exporter", null)],
    ];
    expect(machineTroubles({ services, disk: { ...space, freeBytes: 9 * 1024 ** 3 } }, expected, CLOCK)).toEqual([
      stopped,
      { kind: "service-absent", service: "windows_exporter" },
      disk,
    ]);
  });

  const exited = (name: string, times: number, minutes: number) => ({
    ...{ name, times, log: "" },
    last: new Date(CLOCK * 1_000 - minutes * 60_000).toISOString(),
  });

  it.for(["Running", "Stopped"])("name a service that keeps exiting though it is %s at this moment", (state) => {
    const services = [service("kube-proxy", state), service("kubelet", "Running"), service("containerd", "Running")];
    const exits = [exited("kube-proxy", 3, 29), exited("kubelet", 2, 1), exited("containerd", 9, 31)];
    expect(machineTroubles({ services, exits, disk: space }, expected, CLOCK)).toEqual([
      { kind: "service-exits", service: "kube-proxy", times: 3 },
    ]);
  });

  const since = (name: string, minutes: number) => ({
    ...service(name, "Running"),
    startedAt: new Date((CLOCK - minutes * 60) * 1_000).toISOString(),
  });

  it.for([
    ["HNS that is younger than kube-proxy", [since("kube-proxy", 50), since("hns", 20)], [{ kind: "hns-restarted" }]],
    ["nothing of HNS that is older than kube-proxy", [since("kube-proxy", 20), since("hns", 50)], []],
    ["nothing of HNS that does not run: its networks are another check's", [service("hns", null)], []],
  ] as const)("name %s", ([, services, found]) => {
    expect(machineTroubles({ services, disk: space }, expected, CLOCK)).toEqual(found);
  });

  it("say nothing where a group failed", () => {
    expect(machineTroubles({ disk: space }, expected, CLOCK)).toBeUndefined();
    expect(machineTroubles({ services: [] }, expected, CLOCK)).toBeUndefined();
  });
});
