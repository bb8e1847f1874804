import type { OperationRecord } from "../../lambdas/records/records.ts";
import type { MaintenanceWindow } from "../../lambdas/time/maintenance.ts";
import { demoConfiguration } from "../../lib/sandbox/demo-configuration.ts";
import type { Journey } from "./journey.ts";

/** A window of the pool web: on Saturdays from 05:00 to 07:00 UTC, unless said otherwise. Journeys begin on a Saturday at 03:00. */
export const saturday = (change: Partial<MaintenanceWindow> = {}): MaintenanceWindow => ({
  ...{ days: ["Sat"], from: "05:00", until: "07:00", timeZone: "UTC" },
  ...change,
});

/** The pools of the demo, with these times for the pool web. */
export function poolsWith(times: { readonly maintenance?: readonly MaintenanceWindow[]; readonly freezes?: object[] }) {
  const { pools } = demoConfiguration({ apiServer: "https://kubernetes.sandbox.invalid", authority: "" });
  return { ...pools, web: { ...pools.web, ...times } };
}

/** The operation of a command, the newest first. */
export async function operationOf(here: Journey, command: string): Promise<OperationRecord> {
  const found = (await here.operations()).find(({ request }) => request.command === command);
  if (!found) throw new Error(`there is no operation ${command}`);
  return found;
}

const MINUTE = 60_000;

/** Lets time pass until a moment, given as ISO 8601 in UTC. */
export const passTo = (here: Journey, moment: string): Promise<void> =>
  here.pass(Math.max(0, (Date.parse(`${moment}:00Z`) - Date.now()) / MINUTE));
