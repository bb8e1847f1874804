import { localDate } from "../slack/age.ts";
import { code, plain } from "../slack/text.ts";
import type { Finding } from "./finding.ts";
import { broken, type FindingText, warning } from "./finding-text.ts";

/** Remedy of every credential finding. */
const newCredential = "create new ones: `npm run connect -- credential`";

type OfCredentials = Extract<Finding, { kind: `credential-${string}` }>;

/** Texts of the findings about an account's credential. */
export const ofCredentials: {
  readonly [K in OfCredentials["kind"]]: (of: Extract<Finding, { kind: K }>) => FindingText;
} = {
  "credential-expired": ({ account, at }) =>
    broken("Cluster", `the credential of the account ${code(account)} expired ${localDate(at)}`, newCredential),
  "credential-overdue": ({ account, due, at }) =>
    warning(
      "Cluster",
      `the credential of the account ${code(account)} was due for renewal ${localDate(due)} and was not renewed; it expires ${localDate(at)}`,
      `see docs/runbook.md#cluster-credential, or ${newCredential}`,
    ),
  "credential-endless": ({ account }) =>
    warning("Cluster", `the credential of the account ${code(account)} has no expiry date`, newCredential),
  "credential-unusable": ({ account, why }) =>
    broken(
      "Cluster",
      `the credential of the account ${code(account)} in Secrets Manager cannot be used: ${plain(why)}`,
      newCredential,
    ),
  "credential-refused": ({ account }) =>
    broken("Cluster", `the API server rejects the credential of the account ${code(account)}`, newCredential),
};
