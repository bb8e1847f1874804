import { describe, expect, it } from "vitest";
import { typeThis } from "../../../lambdas/messages/command/syntax.ts";
import { withoutCovered } from "../../../lambdas/messages/doctor/covered-findings.ts";
import type { Finding } from "../../../lambdas/messages/doctor/finding.ts";
import { wordsOfFinding } from "../../../lambdas/messages/doctor/findings.ts";
import { wordsOfFindings } from "../../../lambdas/messages/doctor/grouped-findings.ts";

const AT = "2026-11-21T14:00:00.000Z";
type NoAnswer = Extract<Finding, { kind: "no-answer" }>;
const noAnswer = (what: string, change: Partial<NoAnswer> = {}): NoAnswer => ({
  ...{ kind: "no-answer", area: "AWS", what, why: "timeout", service: "EC2" },
  ...change,
});
const says = (...findings: readonly Finding[]): string[] => wordsOfFindings(findings).map((one) => one.says);

describe("Findings with one cause", () => {
  it("of a service that does not answer are one, which lists each check once", () => {
    const all = [noAnswer("the subnets"), noAnswer("the images"), noAnswer("the subnets")];
    expect(wordsOfFindings(all)).toEqual([
      {
        ...{ area: "AWS", level: "unclear" },
        says: "EC2 did not answer 3 checks: the subnets, the images (timeout)",
        remedy: `try again in a minute: ${typeThis("doctor")}`,
      },
    ]);
  });

  it("of a service that throttles are one, whatever its words are", () => {
    const all = ["a", "b"].map((why) => noAnswer(`the ${why}`, { why, throttled: true }));
    expect(says(...all)).toEqual(["EC2 throttled 2 checks: the a, the b (a)"]);
  });

  it.each<[string, Partial<NoAnswer>]>([
    ["another service", { service: "SSM" }],
    ["other words", { why: "refused" }],
    ["a throttled check", { throttled: true }],
  ])("are not those of %s", (_what, change) => {
    expect(says(noAnswer("the subnets"), noAnswer("the images", change))).toHaveLength(2);
  });

  it.each<[NoAnswer["area"], string]>([
    ["AWS", "AWS"],
    ["Nodes", "AWS"],
    ["Cluster", "the cluster"],
    ["Slack", "Slack"],
  ])("in the area %s, of a service without a name, are of %s", (area, service) => {
    const all = ["x", "y"].map((what): Finding => ({ kind: "no-answer", area, what, why: "timeout" }));
    expect(says(...all)).toEqual([`${service} did not answer 2 checks: x, y (timeout)`]);
  });

  it("of several pools are one, which names the pools", () => {
    const pools = (kind: "launch-refused" | "image-missing", why = "no") =>
      ["web", "batch"].map((pool): Finding => ({ kind, pool, why }));
    expect(wordsOfFindings(pools("launch-refused"))).toMatchObject([
      { area: "AWS", level: "broken", says: "EC2 would refuse to launch a node of `web`, `batch`: no" },
    ]);
    expect(wordsOfFindings(pools("image-missing"))).toMatchObject([
      { area: "AWS", level: "broken", says: "no Windows image was found for pool `web`, `batch`: no" },
    ]);
    const [web, batch] = [...pools("launch-refused", "a"), ...pools("launch-refused", "b")].filter(
      (_, at) => at % 3 === 0,
    );
    expect(web && batch && says(web, batch)).toHaveLength(2);
  });

  it("are said as they are where each is the only one, and once where all are the same", () => {
    const one = noAnswer("the subnets");
    const same: Finding = { kind: "volume-key", key: "k" };
    expect(wordsOfFindings([one, same, same])).toEqual([wordsOfFinding(one), wordsOfFinding(same)]);
    expect(wordsOfFindings([])).toEqual([]);
    const other: Finding = { kind: "volume-key", key: "another" };
    expect(wordsOfFindings([same, other])).toEqual([wordsOfFinding(same), wordsOfFinding(other)]);
  });
});

describe("A finding that another one explains", () => {
  const agent = (node: string, change: object = {}) => ({ node, instanceId: `i-${node}`, ...change });
  const silent = (...agents: readonly object[]) => ({ kind: "agents-silent", agents, at: AT }) as unknown as Finding;
  const unready = (...nodes: readonly object[]) => ({ kind: "nodes-not-ready", nodes, at: AT }) as unknown as Finding;
  const node = (name: string, change: object = {}) => ({ node: name, pool: "web", since: AT, ...change });
  const input = (kind: "input-late" | "input-unconfirmed", ...nodes: readonly string[]) =>
    ({ kind, input: {}, nodes }) as unknown as Finding;

  it("names a silent agent with its NotReady node, and there alone", () => {
    const both = [
      unready(node("a"), node("b"), node("d")),
      silent(agent("a"), agent("c"), agent("d", { lacksProfile: true })),
    ];
    expect(withoutCovered(both)).toEqual([
      unready(node("a", { isAgentSilent: true }), node("b"), node("d", { isAgentSilent: true, lacksProfile: true })),
      silent(agent("c")),
    ]);
    expect(withoutCovered([unready(node("a")), silent(agent("a"))])).toEqual([
      unready(node("a", { isAgentSilent: true })),
    ]);
  });

  it.each(["input-late", "input-unconfirmed"] as const)("leaves a silent machine out of %s", (kind) => {
    expect(withoutCovered([silent(agent("a")), input(kind, "a", "b")])).toEqual([silent(agent("a")), input(kind, "b")]);
    expect(withoutCovered([silent(agent("a")), input(kind, "a")])).toEqual([silent(agent("a"))]);
    expect(withoutCovered([unready(node("a")), input(kind, "a")])).toEqual([unready(node("a")), input(kind, "a")]);
  });

  it("changes no other finding", () => {
    const blocked = { ...input("input-late", "a"), kind: "input-blocked" } as unknown as Finding;
    expect(withoutCovered([silent(agent("a")), blocked])).toEqual([silent(agent("a")), blocked]);
  });
});
