import { machineApprover } from "./machine-approver.ts";
import type { Neighbour } from "./neighbour.ts";
import { nlb } from "./nlb.ts";
import { approvesAll, deniesAll } from "./people.ts";
import { wmco } from "./wmco.ts";

/** Neighbours that can be switched on; each has its own file. */
export const neighbours: readonly Neighbour[] = [approvesAll, deniesAll, machineApprover, nlb, wmco];
