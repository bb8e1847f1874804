import type { V1ClusterRoleBindingList } from "@kubernetes/client-node";
import { userOf } from "../../cluster/accounts.ts";
import { type Access, accessOf } from "../../cluster/cluster-access.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import { accountOf } from "../../settings.ts";
import { lacksRight } from "../client-errors.ts";
import { bindingsBeyond } from "../cluster/account-bindings.ts";
import { isReady, isWindows } from "../cluster/node-facts.ts";
import { nodes } from "../cluster/nodes.ts";
import type { StepContext } from "../context.ts";
import type { DoctorCheck, DoctorSubject } from "./check.ts";
import { skewFinding } from "./clock.ts";
import { credentialRefusal, expiry, unusable } from "./credential.ts";
import { policies } from "./policies.ts";

/** Checks that the API server accepts the credential, and that it belongs to the expected account. */
async function credentialCounts({ context, by, profile }: DoctorSubject): Promise<Finding[]> {
  const fault = await unusable(context);
  if (fault) return [fault];
  const account = accountOf(context.settings);
  try {
    const { headers, data } = await context.clients.kubernetes.authentication.createSelfSubjectReviewWithHttpInfo({
      body: {},
    });
    const user = data.status?.userInfo?.username ?? "";
    if (user !== userOf(account))
      return [{ kind: "credential-unusable", account, why: `it belongs to ${user}, not to ${userOf(account)}` }];
    return skewFinding("the cluster", headers.date, context.now());
  } catch (error) {
    const why = credentialRefusal(error);
    if (why === null) throw error;
    // If the token is known to have expired, report that instead.
    const [ended] = await expiry({ context, by, profile });
    return [ended?.kind === "credential-expired" ? ended : { kind: "credential-unusable", account, why }];
  }
}

/**
 * Formats a right in the order of kubectl auth can-i: "create serviceaccounts/token node-bootstrapper in
 * openshift-machine-config-operator".
 */
const rightOf = ({ verb, group, resource, subresource, name, namespace }: Access): string => {
  const full = [resource, ...(group ? [group] : [])].join(".");
  return [
    verb,
    subresource ? `${full}/${subresource}` : full,
    ...(name ? [name] : []),
    ...(namespace ? ["in", namespace] : []),
  ].join(" ");
};

async function mayI({ clients }: StepContext, { does: _does, ...wanted }: Access): Promise<boolean> {
  const { status } = await clients.kubernetes.authorization.createSelfSubjectAccessReview({
    body: { spec: { resourceAttributes: wanted } },
  });
  return status?.allowed === true;
}

/**
 * Asks the API server for each right with a SelfSubjectAccessReview.
 * @returns one finding per missing right
 */
async function rights({ context, profile }: DoctorSubject): Promise<Finding[]> {
  const account = accountOf(context.settings);
  const asked = accessOf(profile)[account].map(
    async (access): Promise<Finding[]> =>
      (await mayI(context, access))
        ? []
        : [{ kind: "right-missing", account, does: access.does, right: rightOf(access) }],
  );
  return (await Promise.all(asked)).flat();
}

/** Lists who else binds the accounts; without that right, the check of rights reports it. */
async function accountBindings({ context }: DoctorSubject): Promise<Finding[]> {
  const place = { group: "rbac.authorization.k8s.io", version: "v1", plural: "clusterrolebindings" };
  try {
    const found = await context.clients.kubernetes.custom.listClusterCustomObject(place);
    const bindings = bindingsBeyond((found as V1ClusterRoleBindingList).items);
    return bindings.length > 0 ? [{ kind: "accounts-bound", bindings }] : [];
  } catch (error) {
    if (lacksRight(error)) return [];
    throw error;
  }
}

async function linuxNode({ context }: DoctorSubject): Promise<Finding[]> {
  const ready = (await nodes(context).all()).some((node) => !isWindows(node) && isReady(node));
  return ready ? [] : [{ kind: "no-linux-node" }];
}

/** First check of the cluster: if the API server rejects the credential, the other checks are skipped. */
export const clusterCredential: DoctorCheck<DoctorSubject> = {
  area: "Cluster",
  what: "whether the API server accepts the credential",
  observe: credentialCounts,
};

/**
 * Checks of what `npm run connect` sets up for one account: its credential and every right of the reviewed manifest.
 */
export const accessChecks: readonly DoctorCheck<DoctorSubject>[] = [
  { area: "Cluster", what: "the credential's end", observe: expiry },
  { area: "Cluster", what: "the account's rights", observe: rights },
  { area: "Cluster", what: "the admission policies", observe: (subject) => policies(subject) },
];

export const clusterChecks: readonly DoctorCheck<DoctorSubject>[] = [
  ...accessChecks,
  { area: "Cluster", what: "who gives the accounts more rights", observe: accountBindings },
  { area: "Cluster", what: "the Linux nodes", observe: linuxNode },
];
