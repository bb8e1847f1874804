import { describe, expect, it } from "vitest";
import { callAgain } from "../../../lambdas/capabilities/sweep/fleet-calls.ts";
import type { FleetNode } from "../../../lambdas/health/fleet-trouble.ts";

const failing = (node: string, notReadySince: string): FleetNode => ({
  ...{ node, notReadySince, agentSilentSince: null, isHeld: false, isOwn: true },
  cause: { kind: "kubelet-silent", isAgentSilent: false },
  ...{ pool: "web", zone: null, subnet: null, image: null, update: null, type: null, startedAt: null },
});
const EARLY = "2026-11-01T03:00:00.000Z";
const LATE = "2026-11-26T03:02:00.000Z";
const old = [failing("win-1", EARLY), failing("win-2", EARLY)];
const fresh = Array.from({ length: 40 }, (_, at) => failing(`win-${at + 3}`, LATE));
const open = { pagedAt: EARLY, paged: ["win-1", "win-2"], nodes: ["win-1", "win-2"] };
const rules = { mostNotReady: "30%" };

describe("a call to many nodes that has not ended", () => {
  it("begins anew, in a message of its own, when too many other nodes fail", () => {
    const trouble = { kind: "not-ready", failing: [...old, ...fresh], all: 100 } as const;
    expect(callAgain(trouble, open, rules)).toEqual({ since: LATE, ts: null, shown: "" });
    const paged = trouble.failing.map(({ node }) => node);
    expect(callAgain(trouble, { ...open, paged }, rules)).toBeNull();
  });

  it("goes on when few others fail, and before people were called", () => {
    const few = { kind: "not-ready", failing: [...old, ...fresh.slice(0, 5)], all: 100 } as const;
    expect(callAgain(few, open, rules)).toBeNull();
    const many = { ...few, failing: fresh };
    expect(callAgain(many, { pagedAt: null, nodes: [] }, rules)).toBeNull();
  });
});
