import { ApiException, PatchStrategy, setHeaderOptions, type V1Pod } from "@kubernetes/client-node";
import { ACCOUNT_NAMESPACE, type Account, type ServiceAccount } from "../../cluster/accounts.ts";
import { type TokenJoin, tokenJoinOf } from "../../cluster/joining.ts";
import { OUT_OF_BALANCERS } from "../../cluster/node-keys.ts";
import { linuxProbe, PROBE_LABEL } from "../../health/probe-pods.ts";
import type { Finding } from "../../messages/doctor/finding.ts";
import type { Profile } from "../../profiles/profile.ts";
import { accountOf } from "../../settings.ts";
import { bodyOf, isAbsent, lacksRight } from "../client-errors.ts";
import { isWindows, labelsOf } from "../cluster/node-facts.ts";
import { nodes } from "../cluster/nodes.ts";
import type { StepContext } from "../context.ts";
import type { DoctorSubject } from "./check.ts";

/** A request that an admission policy must deny. It changes nothing even if the policy is missing. */
export interface Attempt {
  readonly policy: string;
  /** The forbidden request, as a noun phrase. */
  readonly what: string;
  /** Rights that an older manifest's policy still allows, if this attempt distinguishes it from today's policy. */
  readonly older?: string;
  readonly attempt: (context: StepContext) => Promise<unknown>;
}

/** Name of an object that does not exist: policies judge a request before the API server reads the object. */
const PROBE_NAME = "casement-doctor";

async function labelLinuxNode(context: StepContext): Promise<unknown> {
  const linux = (await nodes(context).all()).find((node) => !isWindows(node));
  if (!linux) return NOTHING_TO_TRY_ON;
  const body = { metadata: { labels: { "casement.dev/doctor": "tries" } } };
  const headers = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
  return context.clients.kubernetes.core.patchNode({ name: linux.metadata?.name ?? "", body, dryRun: "All" }, headers);
}

const NOTHING_TO_TRY_ON = Symbol("nothing to try on");

/**
 * Tries an eviction without grace: pkg/registry/core/pod/storage/eviction.go admits the request before it reads the
 * pod.
 */
const evictAtOnce =
  (namespace: string) =>
  ({ clients }: StepContext): Promise<unknown> =>
    clients.kubernetes.core.createNamespacedPodEviction({
      name: PROBE_NAME,
      namespace,
      dryRun: "All",
      body: {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: PROBE_NAME, namespace },
        deleteOptions: { gracePeriodSeconds: 0 },
      },
    });

/**
 * Tries a token for an object that does not exist: pkg/registry/core/serviceaccount/storage/token.go admits the request
 * before it reads that object.
 */
const tokenBoundToNothing =
  (account: ServiceAccount, expirationSeconds: number) =>
  ({ clients }: StepContext): Promise<unknown> =>
    clients.kubernetes.core.createNamespacedServiceAccountToken({
      ...account,
      dryRun: "All",
      body: {
        spec: {
          audiences: [],
          expirationSeconds,
          boundObjectRef: { apiVersion: "v1", kind: "Secret", name: PROBE_NAME },
        },
      },
    });

const probeOfHost = ({ clients }: StepContext): Promise<unknown> =>
  clients.kubernetes.core.createNamespacedPod({
    namespace: ACCOUNT_NAMESPACE,
    dryRun: "All",
    body: {
      metadata: { name: PROBE_NAME, namespace: ACCOUNT_NAMESPACE },
      spec: { hostNetwork: true, containers: [{ name: "main", image: "registry.invalid/none:0" }] },
    },
  });

/**
 * Tries a probe that today's policy denies and the last release's policy allowed. A deletion cannot be tried: the API
 * server reads the pod first, and the namespace may hold no pod of another owner.
 */
const probeOfTwoSystems = ({ clients }: StepContext): Promise<unknown> => {
  const { metadata, spec } = linuxProbe(
    { id: PROBE_NAME, node: PROBE_NAME, image: "registry.invalid/none:0" },
    "192.0.2.1",
    null,
  );
  const labels = { [PROBE_LABEL]: "windows" };
  const body = { metadata: { ...metadata, labels }, spec } as unknown as V1Pod;
  return clients.kubernetes.core.createNamespacedPod({ namespace: ACCOUNT_NAMESPACE, dryRun: "All", body });
};

const label: Attempt = { policy: "casement-nodes", what: "a label on a Linux node", attempt: labelLinuxNode };

const ownToken = (account: Account): Attempt => ({
  policy: "casement-tokens",
  what: "a token of its own that is not bound to its Secret",
  attempt: tokenBoundToNothing({ namespace: ACCOUNT_NAMESPACE, name: account }, 3_600),
});

/** A namespace that every cluster has and that is not Casement's own, so Casement's eviction policy applies there. */
const ELSEWHERE = "kube-system";

/** Tries a join token with too long a lifetime; nothing to try if machines join without tokens. */
const joinTokens = (join: TokenJoin | null): readonly Attempt[] =>
  join
    ? [
        {
          policy: "casement-tokens",
          what: "a join token for two hours",
          attempt: tokenBoundToNothing(join.account, 7_200),
        },
      ]
    : [];

/**
 * `casement-signing-requests` cannot be tried here, because it needs an existing request: `npm run connect --
 * credential` creates one.
 */
const attemptsOf = ({ join }: Profile): Readonly<Record<Account, readonly Attempt[]>> => ({
  look: [ownToken("look")],
  act: [
    label,
    ownToken("act"),
    {
      policy: "casement-evictions",
      what: "an eviction without a grace period",
      attempt: evictAtOnce(ELSEWHERE),
    },
    { policy: "casement-probes", what: "a pod in its host's network", attempt: probeOfHost },
    {
      policy: "casement-probes",
      what: "a probe labelled for another system",
      older: "to delete pods of others in the namespace casement",
      attempt: probeOfTwoSystems,
    },
  ],
  join: [label, ownToken("join"), ...joinTokens(tokenJoinOf(join))],
});

/**
 * Checks the label with which a drain takes a node out of load balancers: only manifests since that release allow it.
 */
async function mayTakeOut(context: StepContext): Promise<Finding[]> {
  const all = await nodes(context).all();
  const node = all.find((one) => isWindows(one) && labelsOf(one)[OUT_OF_BALANCERS] === undefined);
  if (!node) return [];
  const body = { metadata: { labels: { [OUT_OF_BALANCERS]: "true" } } };
  const headers = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
  try {
    await context.clients.kubernetes.core.patchNode({ name: node.metadata?.name ?? "", body, dryRun: "All" }, headers);
  } catch (error) {
    const account = accountOf(context.settings);
    if (byPolicy(error))
      return [{ kind: "policy-old", account, policy: "casement-nodes", what: `the label ${OUT_OF_BALANCERS}` }];
    // Another check reports a missing right, and a Node may disappear at any time.
    if (!isAbsent(error) && !lacksRight(error)) throw error;
  }
  return [];
}

/** Did an admission policy deny the request? (Words of the API server's admission plugin.) */
const byPolicy = (error: unknown): boolean =>
  error instanceof ApiException && JSON.stringify(bodyOf(error) ?? "").includes("ValidatingAdmissionPolicy");

async function tried(context: StepContext, { policy, what, older, attempt }: Attempt): Promise<Finding[]> {
  const account = accountOf(context.settings);
  const missing: Finding = older
    ? { kind: "policy-lax", account, policy, what: older }
    : { kind: "policy-missing", account, policy, what };
  try {
    return (await attempt(context)) === NOTHING_TO_TRY_ON ? [] : [missing];
  } catch (error) {
    if (byPolicy(error)) return [];
    // A missing right is a separate finding; without it there is nothing that a policy must deny.
    if (lacksRight(error)) return [];
    if (isAbsent(error)) return [missing];
    throw error;
  }
}

/**
 * Checks the admission policies by trying requests that they must deny, because an account may not read policies. No
 * request changes anything.
 * @param more further requests to try
 * @returns one finding for each request that no policy, or only a later one, denies, and one if an older policy denies
 * what a drain needs
 */
export const policies = async (
  { context, profile }: DoctorSubject,
  more: readonly Attempt[] = [],
): Promise<Finding[]> => {
  const all = [...attemptsOf(profile)[accountOf(context.settings)], ...more];
  const allowed = accountOf(context.settings) === "act" ? [mayTakeOut(context)] : [];
  return (await Promise.all([...all.map((one) => tried(context, one)), ...allowed])).flat();
};
