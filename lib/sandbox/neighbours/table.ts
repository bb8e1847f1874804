import { borrowedIdentity } from "./borrowed-identity.ts";
import { karpenterConsolidation } from "./karpenter-consolidation.ts";
import { kured } from "./kured.ts";
import { machineApprover } from "./machine-approver.ts";
import { machineHealthCheck } from "./machine-health-check.ts";
import { mirrorSet } from "./mirror-set.ts";
import type { Neighbour } from "./neighbour.ts";
import { networkOperator } from "./network-operator.ts";
import { nlb } from "./nlb.ts";
import { clusterAutoscaler, karpenter } from "./node-autoscalers.ts";
import { approvesAll, deniesAll } from "./people.ts";
import { nodeGroup, scalingGroup } from "./scaling-group.ts";
import { uncordons } from "./uncordons.ts";
import { wmco } from "./wmco.ts";

/** Neighbours that can be switched on; each has its own file. */
export const neighbours: readonly Neighbour[] = [
  approvesAll,
  borrowedIdentity,
  clusterAutoscaler,
  deniesAll,
  karpenter,
  karpenterConsolidation,
  kured,
  machineApprover,
  machineHealthCheck,
  mirrorSet,
  networkOperator,
  nlb,
  nodeGroup,
  scalingGroup,
  uncordons,
  wmco,
];
