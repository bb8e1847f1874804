import { updateAuthority } from "../../../lambdas/capabilities/authority/update-authority.ts";
import { guardNode } from "../../../lambdas/capabilities/guard/guard-node.ts";
import type { Start } from "../../../lambdas/commands/request.ts";
import { originated } from "../../../lambdas/records/origin.ts";
import type { OperationRecord } from "../../../lambdas/records/records.ts";
import { run, runStarted } from "../../engine/durable-engine.ts";
import { Fleet, type Troubles } from "./fleet.ts";

/** The rows of `changeFleet`. */
export const rows = ["guard", "authority"] as const;

const requester = { userId: "U0OPERATOR", userName: "olivia", channel: "C0" };
const origin = originated({ by: "person", requester });
const guardStart: Start = {
  operation: "guard-0a1b2c3d",
  request: { command: "guard", targets: { kind: "pool", pool: "web" }, dryRun: false },
  ...origin,
  notAfter: Number.MAX_SAFE_INTEGER,
};

/** Changes a fleet of so many machines by one row. */
export async function change(row: (typeof rows)[number], count: number, troubles: Troubles = {}) {
  const fleet = new Fleet(count, troubles);
  const steps = fleet.steps();
  if (row === "guard")
    fleet.operation = {
      id: guardStart.operation,
      request: guardStart.request,
      ...origin,
      channel: "C0",
      status: "requested",
      requestedAt: steps.timestamp(),
      endedAt: null,
      cancelledBy: null,
      messageTs: null,
      callbacks: {},
    } satisfies Partial<OperationRecord>;
  const ended =
    row === "guard"
      ? await runStarted(guardStart, (ctx) => guardNode(steps)(guardStart, ctx))
      : await run((ctx) => updateAuthority(steps)({ tick: "tick-1" }, ctx));
  return { fleet, ended, operation: fleet.operation };
}
