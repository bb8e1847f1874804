import type { WireResponse } from "../../core/wire.ts";
import { json } from "../../core/wire.ts";
import { ApiFailure, badRequest, type Cause, forbidden, namespaceTerminating, success } from "../model/failure.ts";
import { at, fieldsOf, type KubeObject, timestamp } from "../model/object.ts";
import { known } from "../model/resources.ts";
import { type Budget, isFinished, isTrue, type Pod } from "../model/shapes.ts";
import type { DeleteOptions } from "../registry/deletion.ts";
import { objectIn } from "../request/content.ts";
import { matchesSelector } from "../request/selectors.ts";
import { named } from "../verbs/read.ts";
import { type Asked, admission, isDryRun, type Server } from "../verbs/server.ts";

// The decisions and sentences of k8s pkg/registry/core/pod/storage/eviction.go.

/** Unconfirmed evictions that a budget may hold (MaxDisruptedPodSize). */
const UNCONFIRMED = 2_000;

/** Seconds to wait for the budget's controller (the literal in EvictionREST). */
const STALE_RETRY = 10;

const blocked = (cause: Cause, retryAfterSeconds?: number): ApiFailure =>
  new ApiFailure(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [cause],
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  });

const budgetCause = (message: string): Cause => ({ reason: "DisruptionBudget", message });

/** A pod that has not started, has ended or is going disturbs nobody. */
const isUnguarded = (pod: Pod): boolean =>
  isFinished(pod) || pod.status?.phase === "Pending" || pod.metadata.deletionTimestamp !== undefined;

/** A pod that is not ready may go without spending the budget when enough others are, or when the budget says always. */
function isFree(pod: Pod, { spec, status }: Budget): boolean {
  if (isTrue(pod.status?.conditions, "Ready")) return false;
  if (spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  return status !== undefined && status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0;
}

const budgets = known("poddisruptionbudgets", "policy");
const namespaces = known("namespaces");

/** Takes one disruption from the budget; throws 429 when there is none, 403 when it makes no sense. */
function spend({ objects, foundation }: Server, budget: Budget, pod: Pod, dryRun: boolean): void {
  const { metadata, status } = budget;
  if (!status || (status.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    throw blocked(
      budgetCause(`The disruption budget ${metadata.name} is still being processed by the server.`),
      STALE_RETRY,
    );
  }
  if (status.disruptionsAllowed < 0) throw forbidden(budgets, metadata.name, "pdb disruptions allowed is negative");
  const disrupted = status.disruptedPods ?? {};
  if (Object.keys(disrupted).length > UNCONFIRMED) {
    throw forbidden(
      budgets,
      metadata.name,
      "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
    );
  }
  if (status.disruptionsAllowed === 0) {
    const message = `The disruption budget ${metadata.name} needs ${status.desiredHealthy} healthy pods and has ${status.currentHealthy} currently`;
    throw blocked(budgetCause(message));
  }
  if (dryRun) return;
  const unconfirmed = { ...disrupted, [pod.metadata.name]: timestamp(foundation.clock.now()) };
  const spent = { ...status, disruptionsAllowed: status.disruptionsAllowed - 1, disruptedPods: unconfirmed };
  objects.replace(budgets, { ...budget, status: spent });
}

function guard(server: Server, pod: Pod, dryRun: boolean): void {
  const matching = server.objects
    .list<Budget>(budgets, pod.metadata.namespace)
    .filter(({ spec }) => matchesSelector(spec.selector, pod.metadata.labels));
  if (matching.length > 1) {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw new ApiFailure(500, "", message);
  }
  const [budget] = matching;
  if (budget && !isFree(pod, budget)) spend(server, budget, pod, dryRun);
}

/** Throws 403: an eviction is something new, and nothing new is made in a namespace that goes. */
function checkNamespace({ objects }: Server, { type, name, namespace = "" }: Asked): void {
  if (objects.get(namespaces, undefined, namespace)?.metadata.deletionTimestamp)
    throw namespaceTerminating(type, name, namespace);
}

/**
 * POST pods/<name>/eviction: deletes the pod if its disruption budget allows.
 * Answers 201; 403 in a namespace that goes, 404, 409 for preconditions, 429 with cause DisruptionBudget, 500 for two budgets.
 */
export function evict(server: Server, asked: Asked): WireResponse {
  const body = objectIn(asked.request);
  const name = at(body, "metadata", "name");
  if (name !== undefined && name !== asked.name) throw badRequest("name in URL does not match name in Eviction object");
  checkNamespace(server, asked);
  const given = fieldsOf(body.deleteOptions) as DeleteOptions;
  // EvictionREST.Create: who may not ask is told so before anybody looks for the pod.
  admission(server, asked)(undefined, body as KubeObject);
  const pod = named<Pod>(server, asked);
  const dryRun = isDryRun(asked) || (given.dryRun?.includes("All") ?? false);
  const options: DeleteOptions = { ...given, ...(dryRun ? { dryRun: ["All"] } : {}) };
  server.registry.remove(asked, { ...options, dryRun: ["All"] });
  if (!isUnguarded(pod)) guard(server, pod, dryRun);
  server.registry.remove(asked, options);
  return json(success(201), 201);
}
