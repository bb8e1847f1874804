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
    cause: "the agent did not take the command in two minutes",
    remedy: "look at the instance in EC2, and at the agent with `aws ssm describe-instance-information`",
  },
  {
    says: ["PowerShell runs in", "is not digitally signed"],
    cause: "AppLocker, App Control or a group policy restricts PowerShell",
    remedy: "take that policy off the image or the domain, then add another node",
    isHopeless: true,
  },
  {
    says: ["S3 answered:", "Secrets Manager answered:"],
    cause: "the service refused the machine's own role",
    remedy:
      "for (403 …) look at the node's role and at policies of bucket, endpoint and organisation; for (404 …) deploy again",
  },
  {
    says: ["S3 does not answer", "Secrets Manager does not answer"],
    cause: "no way from the machine's subnet to the service",
    remedy: "look at route, endpoint and DNS of the subnet",
  },
  {
    says: ["the metadata service does not answer", "gave no credentials"],
    cause: "the machine has no way to the metadata service, or no role",
    remedy: "look at the instance's metadata options and its instance profile",
  },
  {
    says: ["the clock of"],
    cause: "the machine's clock is wrong, or the command came late",
    remedy: "look why it does not reach 169.254.169.123 (Amazon Time Sync), then add another node",
  },
  {
    says: ["There is not enough space on the disk"],
    cause: "the disk is full",
    remedy: "make the pool's volume larger, or look what filled it",
  },
  {
    says: ["is StopPending", "is StartPending"],
    cause: "the service hangs, and was left as it is",
    remedy: "look at its log under `C:\\var\\log`, then add another node",
  },
  {
    says: ["is shutting-down:", "is stopping:", "is stopped:", "is terminated:"],
    cause: "the instance was stopped or terminated outside Casement",
    remedy: "ask CloudTrail who, by the instance id",
  },
  {
    says: ["the execution ended as"],
    cause: "the function that worked on the node ended with an error",
    remedy: "see failed executions",
  },
  {
    says: ["which SSM calls InProgress"],
    cause: "the script is slower than the stage's deadline",
    remedy: "raise the deadline, or look what it does on the machine",
  },
  {
    says: ["was interrupted"],
    cause: "the function ended three times in the middle of a call",
    remedy: "look at the AWS Health Dashboard, then try again",
  },
  {
    says: ["RequestLimitExceeded", "ThrottlingException"],
    cause: "AWS throttles the account",
    remedy: "start no more operations until it is over, then try again",
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
export function remedyOf({ stage, why }: Pick<Failure, "stage" | "why">): Remedy | undefined {
  const ofStage = stageRemedies[stage] ?? [];
  const known = explains(why);
  return ofStage.find(known) ?? commonRemedies.find(known) ?? ofStage.find(({ says }) => says.length === 0);
}
