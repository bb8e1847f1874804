import { code } from "../slack/text.ts";
import { broken, type FindingText, list } from "./finding-text.ts";

const nameTheKey = "set `aws.volumeKey` to it in the configuration and deploy (docs/runbook.md, stage launch)";

/** Texts of the findings about keys of KMS. */
export const ofKeys = {
  "volume-key": ({ key }: { readonly key: string }): FindingText =>
    broken(
      "AWS",
      `volumes are encrypted with ${code(key)}, which Casement is not allowed to use: new instances terminate at launch`,
      nameTheKey,
    ),
  "key-state": ({ key, state }: { readonly key: string; readonly state: string }): FindingText =>
    broken(
      "AWS",
      `the key ${code(key)} of \`aws.key\` is ${code(state)}: within an hour no function can read ledger, bucket and secrets, and no alarm is delivered`,
      "enable the key in KMS, or cancel its deletion; it must be symmetric (docs/security.md, Keys)",
    ),
  "key-policy": ({ key, services }: { readonly key: string; readonly services: readonly string[] }): FindingText =>
    broken(
      "AWS",
      `the policy of the key ${code(key)} does not let ${list(services)} use the key`,
      "add the statements of docs/security.md, Keys, to the key's policy: CloudWatch publishes alarms, EventBridge keeps undelivered events, and CloudWatch Logs keeps the logs with it",
    ),
};
