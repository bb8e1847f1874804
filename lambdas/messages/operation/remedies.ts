import type { Failure } from "../../records.ts";
import type { StageName } from "../../stages.ts";
import { cordonRemedies, rebootRemedies } from "../node/remedies.ts";
import { provisionRemedies } from "../provision/remedies.ts";
import { removalRemedies } from "../remove/remedies.ts";
import type { Remedy } from "./remedy.ts";

/** Known failures of a single stage. */
export const stageRemedies: Partial<Readonly<Record<StageName, readonly Remedy[]>>> = {
  ...provisionRemedies,
  ...cordonRemedies,
  ...rebootRemedies,
  ...removalRemedies,
};

/** Known failures of every stage that changes a machine. */
export const commonRemedies: readonly Remedy[] = [
  {
    says: ["Delivery Timed Out", "Undeliverable"],
    cause: "the SSM agent did not take the command within two minutes",
    remedy: "check the instance in EC2, and its agent with `aws ssm describe-instance-information`",
  },
  {
    says: ["PowerShell runs in", "is not digitally signed"],
    cause: "AppLocker, App Control or a group policy restricts PowerShell",
    remedy: "remove that policy from the image or the domain, then try again",
    isHopeless: true,
  },
  {
    says: ["S3 answered:", "Secrets Manager answered:"],
    cause: "the service refused the machine's own role",
    remedy:
      "for (403 …) check the node's role and the policies of bucket, endpoint and organisation; for (404 …) deploy again",
  },
  {
    says: ["S3 does not answer", "Secrets Manager does not answer"],
    cause: "the machine's subnet has no route to the service",
    remedy: "check the subnet's routes, endpoints and DNS",
  },
  {
    says: ["the metadata service does not answer", "gave no credentials"],
    cause: "the machine cannot reach the metadata service, or has no role",
    remedy: "check the instance's metadata options and its instance profile",
  },
  {
    says: ["the clock of"],
    cause: "the machine's clock is wrong, or the command came late",
    remedy: "find out why it cannot reach 169.254.169.123 (Amazon Time Sync), then try again",
  },
  {
    says: ["There is not enough space on the disk"],
    cause: "the disk is full",
    remedy: "enlarge the pool's volume, or find out what filled it",
  },
  {
    says: ["is StopPending", "is StartPending"],
    cause: "the service hangs; Casement left it as it is",
    remedy: "read its log under `C:\\var\\log`, then try again",
  },
  {
    says: ["is shutting-down:", "is stopping:", "is stopped:", "is terminated:"],
    cause: "the instance was stopped or terminated outside Casement",
    remedy: "search CloudTrail for the instance id to see who did it",
  },
  {
    says: ["was called off: the operation was cancelled"],
    cause: "the operation was cancelled while the machine had its command",
    remedy: "run `{win} guard` on the node once more, so that its guard is whole",
  },
  {
    says: ["the execution ended as"],
    cause: "the function that worked on the node ended with an error",
    remedy: 'see "Failed executions" in the runbook',
  },
  {
    says: ["which SSM calls InProgress"],
    cause: "the script is slower than the stage's deadline",
    remedy: "raise the deadline, or check on the machine what the script is doing",
  },
  {
    says: ["was interrupted"],
    cause: "the function crashed three times in the middle of a call",
    remedy: "check the AWS Health Dashboard, then try again",
  },
  {
    says: ["RequestLimitExceeded", "ThrottlingException"],
    cause: "AWS throttles the account",
    remedy: "start no other operations until the throttling ends, then try again",
  },
];

const explains =
  (why: string) =>
  ({ says }: Remedy): boolean =>
    says.some((piece) => why.includes(piece));

/**
 * Finds the likely cause of a failure: among those of its stage, else among those of any, else the stage's own.
 * @returns undefined for a failure that the runbook does not explain
 */
export function remedyOf({
  stage,
  why,
  isNotRebooted,
}: Pick<Failure, "stage" | "why" | "isNotRebooted">): Remedy | undefined {
  const rows = stageRemedies[stage] ?? [];
  const ofStage = rows.filter(
    ({ beforeReboot }) => beforeReboot === undefined || beforeReboot === (isNotRebooted === true),
  );
  const known = explains(why);
  return ofStage.find(known) ?? commonRemedies.find(known) ?? ofStage.find(({ says }) => says.length === 0);
}
