import { stagesOf } from "../../lambdas/stages.ts";
import type { measuredWorkflows } from "../../lib/calibration/measures.ts";

/**
 * Minutes in which an operation must have ended: the default deadlines of its stages together, which end it before that where the
 * configuration does not allow more.
 */
export const deadlineMinutes = (workflow: (typeof measuredWorkflows)[number]): number =>
  stagesOf(workflow).reduce((sum, { minutes }) => sum + minutes, 0);
