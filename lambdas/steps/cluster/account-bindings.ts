import type { RbacV1Subject, V1ClusterRoleBinding } from "@kubernetes/client-node";
import { ACCOUNT_NAMESPACE, accounts, userOf } from "../../cluster/accounts.ts";

/** Does a subject name the bot's accounts, or the group of their namespace? */
const isOurs = ({ kind, namespace, name }: RbacV1Subject): boolean =>
  (kind === "ServiceAccount" && namespace === ACCOUNT_NAMESPACE && accounts.some((account) => account === name)) ||
  (kind === "User" && accounts.some((account) => userOf(account) === name)) ||
  (kind === "Group" && name === `system:serviceaccounts:${ACCOUNT_NAMESPACE}`);

/** Is a ClusterRoleBinding of the manifest that `npm run connect -- manifest` prints? */
const isOfManifest = ({ metadata, roleRef }: V1ClusterRoleBinding): boolean =>
  accounts.some((account) => metadata?.name === `casement-${account}` && roleRef.name === `casement-${account}`);

const subjectOf = ({ kind, namespace, name }: RbacV1Subject): string =>
  `${kind} ${namespace ? `${namespace}/` : ""}${name}`;

/** Describes a binding and some of its subjects: "all: ClusterRole cluster-admin for User olivia". */
export const bindingLine = (
  { metadata, roleRef }: Pick<V1ClusterRoleBinding, "metadata" | "roleRef">,
  subjects: readonly RbacV1Subject[],
): string => `${metadata?.name}: ${roleRef.kind} ${roleRef.name} for ${subjects.map(subjectOf).join(", ")}`;

/**
 * Finds ClusterRoleBindings that give the bot's accounts more rights than the manifest.
 * @returns a line for each, with the accounts that it names
 */
export const bindingsBeyond = (bindings: readonly V1ClusterRoleBinding[]): string[] =>
  bindings
    .filter((one) => !isOfManifest(one))
    .flatMap((one) => {
      const ours = (one.subjects ?? []).filter(isOurs);
      return ours.length > 0 ? [bindingLine(one, ours)] : [];
    });
