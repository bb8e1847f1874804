import { code, plain } from "../slack/text.ts";
import type { Finding } from "./finding.ts";
import { broken, type FindingText } from "./finding-text.ts";

type Of<K extends Finding["kind"]> = Extract<Finding, { readonly kind: K }>;

const applyManifest = "apply the manifest: `npm run --silent connect -- manifest | kubectl apply -f -`";

type AccessKind = "accounts-bound" | "right-missing" | "policy-missing" | "policy-old" | "policy-lax";

/** Texts of findings about rights and policies in the cluster: the reviewed manifest is the remedy of each. */
export const ofAccess: { readonly [K in AccessKind]: (of: Of<K>) => FindingText } = {
  "right-missing": ({ account, does, right }) =>
    broken("Cluster", `the account ${code(account)} cannot ${plain(does)} (${code(right)})`, applyManifest),
  "accounts-bound": ({ bindings }) =>
    broken(
      "Cluster",
      `ClusterRoleBindings give the bot's accounts more rights than the manifest: ${bindings.map((one) => plain(one, 200)).join("; ")}`,
      `delete them, or take the accounts out (${code("kubectl edit clusterrolebinding NAME")}), then make new credentials: \`npm run connect -- credential\``,
    ),
  "policy-missing": ({ account, policy, what }) =>
    broken(
      "Cluster",
      `the admission policy ${code(policy)} is not enforced for the account ${code(account)}: it would have allowed ${plain(what)}`,
      applyManifest,
    ),
  "policy-old": ({ account, policy, what }) =>
    broken(
      "Cluster",
      `the admission policy ${code(policy)} is that of an older manifest: it denies the account ${code(account)} ${plain(what)}, so every drain and removal fails at its cordon`,
      applyManifest,
    ),
  "policy-lax": ({ account, policy, what }) =>
    broken(
      "Cluster",
      `the admission policy ${code(policy)} is missing or that of an older manifest: it allows the account ${code(account)} ${plain(what)}`,
      applyManifest,
    ),
};
