import { stagesOf } from "../../lambdas/stages.ts";
import type { measuredWorkflows } from "../../lib/calibration/measures.ts";

/**
 * Computes the minutes within which an operation must end: the sum of the default deadlines of its stages. The
 * deadlines end it earlier, unless the configuration sets longer ones.
 */
export const deadlineMinutes = (workflow: (typeof measuredWorkflows)[number]): number =>
  stagesOf(workflow).reduce((sum, { minutes }) => sum + minutes, 0);
