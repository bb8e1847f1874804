import { CfnSecret } from "aws-cdk-lib/aws-secretsmanager";
import type { Construct } from "constructs";
import { acknowledge } from "./acknowledge.ts";

/** What each secret is for; both are empty until somebody connects Slack and the cluster. */
const purposes = {
  slack: "Casement's Slack app: JSON { signingSecret, botToken }",
  kubernetes: "Casement's cluster credential: JSON { server, ca, token }",
};

/**
 * The two secrets, made empty: no template, parameter or state file ever holds their values.
 * @returns their names
 */
export function clusterSecrets(scope: Construct, cluster: string): Record<keyof typeof purposes, string> {
  const names = Object.entries(purposes).map(([purpose, description]) => {
    const name = `casement/${cluster}/${purpose}`;
    const secret = new CfnSecret(scope, `Secret ${purpose}`, { name, description });
    acknowledge(secret, {
      "AwsSolutions-SMG4": "Slack and the cluster give these credentials out; Secrets Manager could not make new ones.",
    });
    return [purpose, name];
  });
  return Object.fromEntries(names);
}
