import { machineApprover } from "./machine-approver.ts";
import type { Neighbour } from "./neighbour.ts";
import { nlb } from "./nlb.ts";
import { approvesAll, deniesAll } from "./people.ts";
import { wmco } from "./wmco.ts";

/** Everybody who can be switched on; each has a file of its own. */
export const neighbours: readonly Neighbour[] = [approvesAll, deniesAll, machineApprover, nlb, wmco];
