import { describe, expect, it } from "vitest";
import { checked, firstWrong } from "../../lambdas/health/checks.ts";
import type { HealthFacts, MachineFacts } from "../../lambdas/health/facts.ts";
import { hnsRestart, podsWithoutEndpoint } from "../../lambdas/health/host-network.ts";
import { ago, answers, clusterWith, healthy, machineWith, NOW } from "./health-facts.ts";

/** Facts of a machine on which services began so many minutes ago, whose clock may be ahead. */
function started(minutes: Readonly<Record<string, number | null>>, aheadMinutes = 0): HealthFacts {
  const services = (answers.services ?? []).map((one) => {
    const began = minutes[one.name];
    return began === undefined ? one : { ...one, startedAt: began === null ? null : ago(began - aheadMinutes) };
  });
  const clock = Date.parse(NOW) / 1_000 + aheadMinutes * 60;
  const verdict: MachineFacts["verdict"] = { bootId: "8", clock, failed: {} };
  return { ...healthy, machine: machineWith({ services }, { verdict }) };
}

const pod = (name: string, ip: string, minutes: number) => ({ name: `shop/${name}`, ip, since: ago(minutes) });

describe("A restart of HNS", () => {
  it("is found where HNS is younger than kube-proxy, at its time by our clock", () => {
    expect(hnsRestart(started({ proxy: 50, hns: 20 }))).toBe(Date.parse(ago(20)));
    expect(hnsRestart(started({ proxy: 50, hns: 20 }, 120))).toBe(Date.parse(ago(20)));
  });

  it("is none where kube-proxy's first call may have started HNS, nor where kube-proxy is younger", () => {
    expect(hnsRestart(started({ proxy: 50, hns: 49.5 }))).toBeNull();
    expect(hnsRestart(started({ proxy: 10, hns: 50 }))).toBeNull();
  });

  it("is not known where a start is not", () => {
    expect(hnsRestart(started({ proxy: 50, hns: null }))).toBeNull();
    expect(hnsRestart({ ...healthy, machine: { known: false, why: "" } })).toBeNull();
    const { networkServices: _, ...expected } = healthy.expected;
    expect(hnsRestart({ ...started({ proxy: 50, hns: 20 }), expected })).toBeNull();
  });

  it("is the trouble of the network, with the pods that have lost their endpoints", () => {
    const kubernetes = clusterWith({ pods: [pod("old", "10.132.1.9", 40)] });
    expect(firstWrong(checked({ ...started({ proxy: 50, hns: 20 }), kubernetes }))?.trouble).toEqual({
      kind: "hns-restarted",
      at: ago(20),
      pods: ["shop/old"],
    });
  });
});

describe("A pod without an endpoint", () => {
  const hns = {
    networks: ["pods"],
    endpoints: [
      { name: "source", ip: "10.132.1.2", attached: true },
      { name: "a", ip: "10.132.1.5", attached: false },
    ],
  };
  const lost = (pods: readonly ReturnType<typeof pod>[]) =>
    podsWithoutEndpoint({ ...healthy, machine: machineWith({ hns }), kubernetes: clusterWith({ pods }) });

  it("is one whose address no endpoint of HNS has", () => {
    expect(lost([pod("good", "10.132.1.5", 30), pod("bad", "10.132.1.6", 30)])).toEqual([pod("bad", "10.132.1.6", 30)]);
  });

  it("is none that has just started, or whose containers are those of an earlier boot", () => {
    expect(lost([pod("new", "10.132.1.6", 2), pod("before", "10.132.1.7", 70)])).toEqual([]);
  });

  it("is not known where pods or endpoints are not", () => {
    const away = { known: false, why: "it does not answer" } as const;
    expect(podsWithoutEndpoint({ ...healthy, kubernetes: away })).toEqual([]);
    expect(podsWithoutEndpoint({ ...healthy, machine: away })).toEqual([]);
  });

  it("is the trouble of the network where HNS has not restarted", () => {
    const kubernetes = clusterWith({ pods: [pod("bad", "10.132.1.6", 30)] });
    expect(firstWrong(checked({ ...healthy, kubernetes, machine: machineWith({ hns }) }))?.trouble).toEqual({
      kind: "pods-without-endpoint",
      pods: ["shop/bad"],
    });
  });
});
