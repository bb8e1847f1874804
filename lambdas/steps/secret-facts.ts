import { DescribeSecretCommand, ResourceNotFoundException } from "@aws-sdk/client-secrets-manager";
import { NO_NODE_CHANGED, Refused } from "../errors.ts";
import type { SecretFacts } from "../inputs/input.ts";
import type { StepContext } from "./context.ts";

/** Reads what is known of secrets without their values. */
export const secretFacts = ({ clients }: StepContext) => ({
  /**
   * Reads the description and the current version of a secret; undefined while it has no value.
   * @throws Refused if the secret is missing or deleted
   */
  read: async (secretId: string): Promise<SecretFacts | undefined> => {
    const answer = await clients.secrets.send(new DescribeSecretCommand({ SecretId: secretId })).catch((error) => {
      if (error instanceof ResourceNotFoundException) return null;
      throw error;
    });
    if (!answer || answer.DeletedDate)
      throw new Refused(`the secret ${secretId} is missing, ${NO_NODE_CHANGED}; a deployment creates it`);
    const versions = Object.entries(answer.VersionIdsToStages ?? {});
    const [version] = versions.find(([, stages]) => stages.includes("AWSCURRENT")) ?? [];
    return version === undefined ? undefined : { secretId, version, description: answer.Description ?? "" };
  },
});
