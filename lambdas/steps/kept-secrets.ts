import { createHmac } from "node:crypto";
import { UpdateSecretCommand } from "@aws-sdk/client-secrets-manager";
import type { StepContext } from "./context.ts";
import { secretFacts } from "./secret-facts.ts";

/** Keeps secret parts of inputs where only the machines can read them. */
export const keptSecrets = (context: StepContext) => ({
  /**
   * Makes a new version of a secret if its fields changed. The description has their keyed hash, so that no function
   * reads the value.
   * @param key of the hash
   * @throws Refused if the secret is missing or deleted
   */
  keep: async (secretId: string, fields: Readonly<Record<string, string>>, key: string): Promise<void> => {
    const known = await secretFacts(context).read(secretId);
    if (known === undefined && Object.keys(fields).length === 0) return;
    const text = JSON.stringify(fields);
    const description = `Hash ${createHmac("sha256", key).update(text).digest("hex")}`;
    if (known?.description === description) return;
    await context.clients.secrets.send(
      new UpdateSecretCommand({ SecretId: secretId, SecretString: text, Description: description }),
    );
  },
});
