import type { FailedRenewal } from "../../inputs/mirrors/failed-renewals.ts";
import { registriesTask } from "../../machine/machine-paths.ts";
import type { RenewalFault } from "../../machine/renewal.ts";
import { between } from "../slack/age.ts";
import { sign } from "../slack/signs.ts";
import { code, prose } from "../slack/text.ts";

/** Sentence on a machine whose passwords of ECR are not renewed, without the last full stop. */
export function renewalFaultText({ kind, why }: RenewalFault): string {
  const expires = "pulls through ECR fail twelve hours after the last renewal";
  if (kind === "disabled") return `The task ${code(registriesTask.name)} is disabled: ${expires}`;
  if (kind === "missing") return `The task ${code(registriesTask.name)} does not exist any more: ${expires}`;
  const cause = why === "" ? "" : `: ${prose(why, 300).replace(/\.$/, "")}`;
  return `The password of ECR could not be renewed, and ${expires}${cause}`;
}

/** Remedy of a fault, without the last full stop. */
export const renewalRemedy = ({ kind }: RenewalFault): string =>
  ({
    failed:
      "give the nodes' role `ecr:GetAuthorizationToken` and the machine a way to ECR (docs/mirrors.md#amazon-ecr); the machine tries again every ten minutes",
    disabled: "enable the task on the machine, which then renews the password within ten minutes",
    missing: "remove the node and add another, which has the task",
  })[kind];

/** Line about one node. @param now ISO 8601 */
export const failedRenewalLine = (failed: FailedRenewal, now: string): string =>
  `${sign.warning} ${code(failed.node)}, for ${between(failed.since, now)}: ${renewalFaultText(failed)}. *Next:* ${renewalRemedy(failed)}.`;
