import type { IKey } from "aws-cdk-lib/aws-kms";
import { CfnSecret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { accounts, secretOf } from "../../lambdas/cluster/accounts.ts";
import { proxySecret } from "../../lambdas/cluster/proxy-secret.ts";
import { registriesSecret } from "../../lambdas/cluster/registries-secret.ts";
import { acknowledge } from "./acknowledge.ts";

const RENEWED =
  "The functions renew the cluster's credentials themselves, within a day; Slack and registries give theirs out by hand. Secrets Manager could make none.";

/** The secrets of one cluster. */
export interface ClusterSecrets {
  readonly slackSecret: string;
  readonly secrets: readonly CfnSecret[];
}

/**
 * Creates the secrets of one cluster without values, so that no template, parameter or state file ever holds them: one
 * for Slack, one for registries, one for the proxy, and one for each account that the bot has in the cluster.
 * @param key the customer's, if one is configured: Secrets Manager encrypts values that exist already with it anew
 * @returns the name of Slack's secret, and the secrets
 */
export function clusterSecrets(scope: Construct, cluster: string, key: IKey | undefined): ClusterSecrets {
  const secrets: CfnSecret[] = [];
  const make = (id: string, name: string, description?: string): void => {
    const secret = new CfnSecret(scope, `Secret ${id}`, {
      name,
      ...(description ? { description } : {}),
      ...(key ? { kmsKeyId: key.keyArn } : {}),
    });
    acknowledge(secret, { "AwsSolutions-SMG4": RENEWED });
    secrets.push(secret);
  };
  const slackSecret = `casement/${cluster}/slack`;
  make("slack", slackSecret, "Casement's Slack app: JSON { signingSecret, botToken }");
  // Its description lists the hosts, so that a deployment must never set one.
  make("registries", registriesSecret(cluster));
  // Its description has the hash of its value, which the schedule writes.
  make("proxy", proxySecret(cluster));
  for (const account of accounts)
    make(
      `kubernetes ${account}`,
      secretOf(cluster, account),
      `Casement's cluster credential of the account ${account}: JSON { server, ca, token }`,
    );
  return { slackSecret, secrets };
}
