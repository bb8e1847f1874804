import type { Account } from "../cluster/accounts.ts";
import { standardOutput } from "../logging.ts";
import { METRICS, metricLine } from "../metrics.ts";
import type { StepContext } from "./context.ts";

/** Writes Casement's CloudWatch metrics, which alarms watch. */
export const metrics = ({ settings, now, log = standardOutput }: Pick<StepContext, "settings" | "now" | "log">) => ({
  /** Writes for how many more hours the cluster credential of an account is valid. */
  credentialHours: (account: Account, hours: number): void =>
    log(
      metricLine(
        { [METRICS.cluster]: settings.cluster, [METRICS.account]: account },
        METRICS.credentialHours,
        hours,
        now(),
      ),
    ),

  /** Writes whether the front door answered. */
  frontDoorAnswers: (answered: boolean): void =>
    log(metricLine({ [METRICS.cluster]: settings.cluster }, METRICS.frontDoorAnswers, answered ? 1 : 0, now())),
});
