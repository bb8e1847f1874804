import {
  CreateSecretCommand,
  DeleteSecretCommand,
  InvalidRequestException,
  ResourceExistsException,
  ResourceNotFoundException,
} from "@aws-sdk/client-secrets-manager";
import { z } from "zod";
import type { TokenJoin } from "../../cluster/joining.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { Refused, Retryable } from "../../errors.ts";
import { TAG } from "../../tags.ts";
import type { StepContext } from "../context.ts";

/**
 * The shortest lifetime that an API server grants (k8s pkg/apis/authentication/validation). The token is created when
 * the kubelet starts.
 */
const TOKEN_SECONDS = 10 * 60;

/** The public facts of a join token. */
export interface JoinToken {
  /** The token's `jti`, which the API server records in every request that is made with the token. */
  readonly id: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

const claims = z.object({ jti: z.string().min(1), exp: z.number() });

/** Reads a token's claims; only the API server can check its signature. */
function readToken(token: string): JoinToken {
  const [, payload = ""] = token.split(".");
  const found = claims.safeParse(jsonIn(Buffer.from(payload, "base64url").toString("utf8"))).data;
  if (found) return { id: found.jti, expiresAt: new Date(found.exp * 1000).toISOString() };
  throw new Refused(
    "the API server issues join tokens without an id (jti), so certificate requests of different machines cannot be told apart: Kubernetes 1.30 or newer is required",
    { code: "kubernetes-too-old" },
  );
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Manages the secrets with which machines join: one per instance, readable only by that instance, and deleted once its
 * Node is Ready.
 */
export const joinSecret = (context: StepContext) => {
  const { secrets, kubernetes } = context.clients;
  const nameOf = (instanceId: string): string => `casement/${context.settings.cluster}/join/${instanceId}`;

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
     * Creates a short-lived bootstrap token and stores it as a kubeconfig that only this instance can read. Never
     * returns the token, because a step's result is stored.
     * @throws Retryable if an older secret is being deleted, which takes a moment (API Reference, DeleteSecret)
     * @throws Refused if the API server issues tokens without an id
     */
    create: async (join: TokenJoin, configuration: Configuration, instanceId: string): Promise<JoinToken> => {
      const { status } = await kubernetes.core.createNamespacedServiceAccountToken({
        ...join.account,
        body: { spec: { audiences: [], expirationSeconds: TOKEN_SECONDS } },
      });
      if (!status?.token) throw new Error("the API server granted a bootstrap token but did not return it");
      const token = readToken(status.token);
      const secret = {
        Name: nameOf(instanceId),
        SecretString: JSON.stringify({ kubeconfig: join.kubeconfig(configuration, status.token) }),
        Tags: [
          { Key: TAG.cluster, Value: context.settings.cluster },
          { Key: TAG.instanceArn, Value: instanceArn(context, configuration, instanceId) },
        ],
        ...(configuration.key ? { KmsKeyId: configuration.key } : {}),
      };
      try {
        await secrets.send(new CreateSecretCommand(secret));
      } catch (error) {
        if (!(error instanceof ResourceExistsException || error instanceof InvalidRequestException)) throw error;
        await remove(instanceId);
        throw new Retryable(`an older secret ${secret.Name} is being deleted`, { cause: error });
      }
      return token;
    },

    /** Deletes the secret immediately, without a recovery window; does nothing if it does not exist. */
    remove,
  };
};

/** The instance's ARN, as ec2:SourceInstanceARN shows it for the instance's own credentials. */
const instanceArn = (context: StepContext, configuration: Configuration, instanceId: string): string => {
  const account = configuration.instanceProfileArn.split(":")[4] ?? "";
  return `arn:aws:ec2:${context.settings.region}:${account}:instance/${instanceId}`;
};
