import { code, plain } from "../slack/text.ts";
import type { Finding } from "./finding.ts";
import { broken, type Words, warning } from "./finding-words.ts";

/** The one command that helps. */
const newCredential = "make new ones: `npm run connect -- credential`";

type OfCredentials = Extract<Finding, { kind: `credential-${string}` }>;

/** Words of what is wrong with an account's credential. */
export const ofCredentials: { readonly [K in OfCredentials["kind"]]: (of: Extract<Finding, { kind: K }>) => Words } = {
  "credential-expired": ({ account, at }) =>
    broken("Cluster", `the credential of the account ${code(account)} expired at ${code(at)}`, newCredential),
  "credential-overdue": ({ account, due, at }) =>
    warning(
      "Cluster",
      `the credential of the account ${code(account)} was to be renewed at ${code(due)} and was not; it ends at ${code(at)}`,
      `look at docs/runbook.md#cluster-credential, or ${newCredential}`,
    ),
  "credential-endless": ({ account }) =>
    warning("Cluster", `the credential of the account ${code(account)} does not say when it ends`, newCredential),
  "credential-unusable": ({ account, why }) =>
    broken(
      "Cluster",
      `the credential of the account ${code(account)} in Secrets Manager cannot be used: ${plain(why)}`,
      newCredential,
    ),
  "credential-refused": ({ account }) =>
    broken("Cluster", `the API server does not accept the credential of the account ${code(account)}`, newCredential),
};
