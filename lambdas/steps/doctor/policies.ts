import { ApiException, PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import { JOIN_ACCOUNT, JOIN_NAMESPACE } from "../../desired/cluster-access.ts";
import type { Finding } from "../../messages/finding.ts";
import { bodyOf, isAbsent } from "../client-errors.ts";
import { isWindows } from "../node-facts.ts";
import { nodes } from "../nodes.ts";
import type { World } from "../world.ts";
import type { Subject } from "./check.ts";

/** Something that a policy must deny, asked so that nothing comes of it when the policy is not there. */
interface Attempt {
  readonly policy: string;
  /** What was tried, as a noun. */
  readonly what: string;
  readonly attempt: (world: World) => Promise<unknown>;
}

/** An object that nobody has: policies judge a request before it is looked for. */
const NOBODY = "casement-doctor";

async function labelLinuxNode(world: World): Promise<unknown> {
  const linux = (await nodes(world).all()).find((node) => !isWindows(node));
  if (!linux) return NOTHING_TO_TRY_ON;
  const body = { metadata: { labels: { "casement.dev/doctor": "tries" } } };
  const headers = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
  return world.clients.kubernetes.core.patchNode({ name: linux.metadata?.name ?? "", body, dryRun: "All" }, headers);
}

const NOTHING_TO_TRY_ON = Symbol("nothing to try on");

/** pkg/registry/core/pod/storage/eviction.go admits the request first and then reads the pod. */
const evictAtOnce = ({ clients }: World): Promise<unknown> =>
  clients.kubernetes.core.createNamespacedPodEviction({
    name: NOBODY,
    namespace: JOIN_NAMESPACE,
    dryRun: "All",
    body: {
      apiVersion: "policy/v1",
      kind: "Eviction",
      metadata: { name: NOBODY, namespace: JOIN_NAMESPACE },
      deleteOptions: { gracePeriodSeconds: 0 },
    },
  });

/** pkg/registry/core/serviceaccount/storage/token.go admits the request first and then reads what the token is bound to. */
const longToken = ({ clients }: World): Promise<unknown> =>
  clients.kubernetes.core.createNamespacedServiceAccountToken({
    name: JOIN_ACCOUNT,
    namespace: JOIN_NAMESPACE,
    dryRun: "All",
    body: {
      spec: {
        audiences: [],
        expirationSeconds: 7_200,
        boundObjectRef: { apiVersion: "v1", kind: "Secret", name: NOBODY },
      },
    },
  });

/** `casement-signing-requests` cannot be tried without a request that somebody made. */
const attempts: readonly Attempt[] = [
  { policy: "casement-nodes", what: "a label on a Linux node", attempt: labelLinuxNode },
  { policy: "casement-evictions", what: "an eviction without a time to end in", attempt: evictAtOnce },
  { policy: "casement-join-tokens", what: "a join token for two hours", attempt: longToken },
];

/** Said by the API server when a policy denied (its admission plugin's own words). */
const byPolicy = (error: unknown): boolean =>
  error instanceof ApiException && JSON.stringify(bodyOf(error) ?? "").includes("ValidatingAdmissionPolicy");

async function tried(world: World, { policy, what, attempt }: Attempt): Promise<Finding[]> {
  const missing: Finding = { kind: "policy-missing", policy, what };
  try {
    return (await attempt(world)) === NOTHING_TO_TRY_ON ? [] : [missing];
  } catch (error) {
    if (byPolicy(error)) return [];
    // Without the right itself there is nothing to hold: that right is a finding of its own.
    if (error instanceof ApiException && error.code === 403) return [];
    if (isAbsent(error)) return [missing];
    throw error;
  }
}

/** The bot may not read policies, so it tries: what they must deny changes nothing either way. */
export const policies = async ({ world }: Subject): Promise<Finding[]> =>
  (await Promise.all(attempts.map((one) => tried(world, one)))).flat();
