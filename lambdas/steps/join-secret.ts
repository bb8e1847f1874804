import {
  CreateSecretCommand,
  DeleteSecretCommand,
  InvalidRequestException,
  ResourceExistsException,
  ResourceNotFoundException,
} from "@aws-sdk/client-secrets-manager";
import type { Configuration } from "../configuration.ts";
import { JOIN_ACCOUNT, JOIN_NAMESPACE } from "../desired/cluster-access.ts";
import { bootstrapKubeconfig } from "../desired/okd.ts";
import { Retryable } from "../errors.ts";
import type { World } from "./world.ts";

/** Long enough for two client CSR attempts, short enough to be worthless soon. */
const TOKEN_SECONDS = 30 * 60;

/** What a machine joins with: one secret per instance, readable by that instance alone, gone once its Node is Ready. */
export const joinSecret = (world: World) => {
  const { secrets, kubernetes } = world.clients;
  const nameOf = (instanceId: string): string => `casement/${world.settings.cluster}/join/${instanceId}`;

  const remove = async (instanceId: string): Promise<void> => {
    try {
      await secrets.send(new DeleteSecretCommand({ SecretId: nameOf(instanceId), ForceDeleteWithoutRecovery: true }));
    } catch (error) {
      if (!(error instanceof ResourceNotFoundException)) throw error;
    }
  };

  return {
    nameOf,

    /**
     * Makes a short-lived bootstrap token and keeps it, as a kubeconfig, where only this instance can read it.
     * The token is never returned: a step's result is stored.
     * @throws Retryable when an older one was in the way: its deletion takes a moment (API Reference, DeleteSecret)
     */
    create: async (configuration: Configuration, instanceId: string): Promise<string> => {
      const { status } = await kubernetes.core.createNamespacedServiceAccountToken({
        name: JOIN_ACCOUNT,
        namespace: JOIN_NAMESPACE,
        body: { spec: { audiences: [], expirationSeconds: TOKEN_SECONDS } },
      });
      if (!status?.token) throw new Error("the API server granted a bootstrap token without saying it");
      const secret = {
        Name: nameOf(instanceId),
        SecretString: JSON.stringify({ kubeconfig: bootstrapKubeconfig(configuration, status.token) }),
        Tags: [
          { Key: "casement:cluster", Value: world.settings.cluster },
          { Key: "casement:instance-arn", Value: instanceArn(world, configuration, instanceId) },
        ],
      };
      try {
        await secrets.send(new CreateSecretCommand(secret));
      } catch (error) {
        if (!(error instanceof ResourceExistsException || error instanceof InvalidRequestException)) throw error;
        await remove(instanceId);
        throw new Retryable(`an older secret ${secret.Name} is being deleted`, { cause: error });
      }
      return secret.Name;
    },

    /** Deletes it at once and for good; deleting what is gone is fine. */
    remove,
  };
};

/** As the instance's credentials present themselves in ec2:SourceInstanceARN. */
const instanceArn = (world: World, configuration: Configuration, instanceId: string): string => {
  const account = configuration.instanceProfileArn.split(":")[4] ?? "";
  return `arn:aws:ec2:${world.settings.region}:${account}:instance/${instanceId}`;
};
