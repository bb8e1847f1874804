import { userOf } from "../../desired/accounts.ts";
import { type Access, accessOf } from "../../desired/cluster-access.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import { accountOf } from "../../settings.ts";
import { isReady, isWindows } from "../cluster/node-facts.ts";
import { nodes } from "../cluster/nodes.ts";
import type { StepContext } from "../context.ts";
import type { Check, Subject } from "./check.ts";
import { skewFinding } from "./clock.ts";
import { expiry, refusalOf, unusable } from "./credential.ts";
import { policies } from "./policies.ts";

/** Does the API server take the credential, and for the account that it is meant for? */
async function credentialCounts({ context, by, profile }: Subject): Promise<Finding[]> {
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
    const why = refusalOf(error);
    if (why === null) throw error;
    // A token that is known to have ended is said to have ended.
    const [ended] = await expiry({ context, by, profile });
    return [ended?.kind === "credential-expired" ? ended : { kind: "credential-unusable", account, why }];
  }
}

/** "create serviceaccounts/token node-bootstrapper in openshift-machine-config-operator": kubectl auth can-i's own order. */
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
 * Asks the API server for each right by SelfSubjectAccessReview.
 * @returns one finding per right that is missing
 */
async function rights({ context, profile }: Subject): Promise<Finding[]> {
  const account = accountOf(context.settings);
  const asked = accessOf(profile)[account].map(
    async (access): Promise<Finding[]> =>
      (await mayI(context, access))
        ? []
        : [{ kind: "right-missing", account, does: access.does, right: rightOf(access) }],
  );
  return (await Promise.all(asked)).flat();
}

async function linuxNode({ context }: Subject): Promise<Finding[]> {
  const ready = (await nodes(context).all()).some((node) => !isWindows(node) && isReady(node));
  return ready ? [] : [{ kind: "no-linux-node" }];
}

/** While the API server does not take the credential, nothing else is asked of it. */
export const clusterCredential: Check<Subject> = {
  area: "Cluster",
  what: "whether the API server accepts the credential",
  observe: credentialCounts,
};

/** Checks of one account that `npm run connect` promises: its credential and every right of the reviewed manifest. */
export const accessChecks: readonly Check<Subject>[] = [
  { area: "Cluster", what: "the credential's end", observe: expiry },
  { area: "Cluster", what: "the account's rights", observe: rights },
  { area: "Cluster", what: "the admission policies", observe: (subject) => policies(subject) },
];

export const clusterChecks: readonly Check<Subject>[] = [
  ...accessChecks,
  { area: "Cluster", what: "the Linux nodes", observe: linuxNode },
];
