import { json, textOf, type WireResponse } from "../../core/wire.ts";
import {
  ApiFailure,
  badRequest,
  forbidden,
  invalid,
  namespaceTerminating,
  slowly,
  success,
  unsupported,
} from "../model/failure.ts";
import { at, type Fields, fieldsOf, type KubeObject, timestamp } from "../model/object.ts";
import { known } from "../model/resources.ts";
import { type Budget, type Condition, isFinished, isTrue, type Pod } from "../model/shapes.ts";
import type { DeleteOptions } from "../registry/deletion.ts";
import { objectIn } from "../request/content.ts";
import { matchesSelector } from "../request/selectors.ts";
import { typedAs } from "../validation/typed.ts";
import { storedObject } from "../verbs/read.ts";
import { type ApiCall, admission, isDryRun, type Server } from "../verbs/server.ts";
import { exhaustedWords } from "./exhausted-budget.ts";

// Decisions and messages follow k8s pkg/registry/core/pod/storage/eviction.go, as a 1.34.4 server answered.

/** Unconfirmed evictions that a budget may hold (MaxDisruptedPodSize). */
const UNCONFIRMED = 2_000;

/** Seconds to wait for the budget's controller (the literal in EvictionREST). */
const STALE_RETRY = 10;

/** Seconds for which a conflict is retried: twenty steps of half a second (EvictionsRetry). */
const CONFLICTS = 10;

const budgets = known("poddisruptionbudgets", "policy");
const namespaces = known("namespaces");

const blocked = (message: string, retryAfterSeconds?: number): ApiFailure =>
  new ApiFailure(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.", {
    causes: [{ reason: "DisruptionBudget", message }],
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  });

const stillProcessed = (budget: Budget): ApiFailure =>
  blocked(`The disruption budget ${budget.metadata.name} is still being processed by the server.`, STALE_RETRY);

const isConflict = (error: unknown): error is ApiFailure => error instanceof ApiFailure && error.code === 409;

/** Throws 400 for a body that is not an Eviction. */
function checkKind({ apiVersion = "policy/v1", kind = "Eviction" }: Fields): void {
  const [group, version = ""] = String(apiVersion).includes("/")
    ? String(apiVersion).split("/")
    : ["", String(apiVersion)];
  const cannot = (why: string): ApiFailure =>
    badRequest(`${String(kind)} in version "${version}" cannot be handled as a Eviction: ${why}`);
  if (kind !== "Eviction")
    throw cannot(`converting (${version}.${String(kind)}) to (policy.Eviction): unknown conversion`);
  if (group !== "policy" || !["v1", "v1beta1"].includes(version))
    throw cannot(
      `no kind "Eviction" is registered for version "${String(apiVersion)}" in scheme "pkg/runtime/scheme.go:110"`,
    );
}

/** Reads the Eviction of a request. Throws 400 for anything else, or for an Eviction of another pod. */
function evictionIn({ schemas }: Server, call: ApiCall): Fields {
  if (textOf(call.request) === "")
    throw badRequest(
      "the object provided is unrecognized (must be of type Eviction): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
    );
  const given = objectIn(call.request, "Eviction");
  checkKind(given);
  const body = typedAs(schemas, { kind: "Eviction", group: "policy", version: "v1" }, "V1Eviction", call, given);
  const namespace = at(body, "metadata", "namespace") ?? call.namespace;
  if (namespace !== call.namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  if (at(body, "metadata", "name") !== call.name)
    throw badRequest("name in URL does not match name in Eviction object");
  return body;
}

/**
 * Reads the options of the deletion; a dry run may be requested in the query or in the body. Throws 422 for a misspelt
 * one.
 */
function optionsOf(call: ApiCall, body: Fields): DeleteOptions {
  const given = fieldsOf(body.deleteOptions) as DeleteOptions;
  const wrongly = (given.dryRun ?? []).filter((one) => one !== "All");
  if (wrongly.length > 0) {
    const options = { kind: "DeleteOptions", group: "meta.k8s.io" };
    throw invalid(options, "", [unsupported("dryRun", given.dryRun, ["All"])]);
  }
  const dryRun = isDryRun(call) || given.dryRun !== undefined;
  return { ...given, ...(dryRun ? { dryRun: ["All"] } : {}) };
}

/** Throws 403 in a namespace that is being deleted: an eviction is a creation, and none is allowed there. */
function checkNamespace({ objects }: Server, { type, name, namespace = "" }: ApiCall): void {
  if (objects.get(namespaces, undefined, namespace)?.metadata.deletionTimestamp)
    throw namespaceTerminating(type, name, namespace);
}

/** May the budget be ignored? The pod has not started, has ended or is terminating (canIgnorePDB). */
const isBudgetIgnored = (pod: Pod): boolean =>
  isFinished(pod) || pod.status?.phase === "Pending" || pod.metadata.deletionTimestamp !== undefined;

/**
 * May an unready pod be evicted without a disruption? Enough others must be healthy, or the budget must say
 * AlwaysAllow.
 */
function needsNoDisruption(pod: Pod, { spec, status }: Budget): boolean {
  if (isTrue(pod.status?.conditions, "Ready")) return false;
  if (spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  return status !== undefined && status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0;
}

/** Takes one disruption from the budget; throws 429 when none is left, 403 for an inconsistent budget. */
function takeDisruption({ objects, simulation, version }: Server, budget: Budget, pod: Pod, dryRun: boolean): void {
  const { metadata, status } = budget;
  const senseless = (why: string): ApiFailure =>
    forbidden({ ...budgets, plural: budgets.singular }, metadata.name, why);
  if (!status || (status.observedGeneration ?? 0) < (metadata.generation ?? 0)) throw stillProcessed(budget);
  if (status.disruptionsAllowed < 0) throw senseless("pdb disruptions allowed is negative");
  const disrupted = status.disruptedPods ?? {};
  if (Object.keys(disrupted).length > UNCONFIRMED)
    throw senseless("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  if (status.disruptionsAllowed === 0) throw blocked(exhaustedWords(budget, version));
  if (dryRun) return;
  const unconfirmed = { ...disrupted, [pod.metadata.name]: timestamp(simulation.clock.now()) };
  const spent = { ...status, disruptionsAllowed: status.disruptionsAllowed - 1, disruptedPods: unconfirmed };
  objects.replace(budgets, { ...budget, status: spent });
}

/** Finds the budget of a pod. Throws 500 for two. */
function budgetOf({ objects }: Server, pod: Pod): Budget | undefined {
  const matching = objects
    .list<Budget>(budgets, pod.metadata.namespace)
    .filter(({ spec }) => matchesSelector(spec.selector, pod.metadata.labels));
  if (matching.length > 1) {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw new ApiFailure(500, "", message);
  }
  return matching[0];
}

const target: Omit<Condition, "lastTransitionTime"> = {
  type: "DisruptionTarget",
  status: "True",
  reason: "EvictionByEvictionAPI",
  message: "Eviction API: evicting",
};

/**
 * Deletes the pod and records the reason in a condition (addConditionAndDeletePod). Throws 409 for a precondition that
 * is not met.
 */
function deletePod({ registry, objects, simulation }: Server, call: ApiCall, pod: Pod, options: DeleteOptions): void {
  registry.remove(call, { ...options, dryRun: ["All"] });
  if (options.dryRun) return;
  const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== target.type);
  const since = { lastTransitionTime: timestamp(simulation.clock.now()) };
  const conditions = [...others, { ...target, ...since }];
  objects.replace<Pod>(call.type, { ...pod, status: { ...pod.status, conditions } });
  const { resourceVersion: _met, ...preconditions } = options.preconditions ?? {};
  registry.remove(call, { ...options, preconditions });
}

/** Evicts a pod without a budget; a failed precondition is retried for some seconds. */
function evictWithoutBudget(server: Server, call: ApiCall, pod: Pod, options: DeleteOptions): void {
  try {
    deletePod(server, call, pod, options);
  } catch (error) {
    throw isConflict(error) ? slowly(error, CONFLICTS) : error;
  }
}

/**
 * Evicts an unready pod that its budget allows: the server replaces the caller's version with the one that it judged,
 * and answers 429 for another uid.
 */
function evictUnready(server: Server, call: ApiCall, pod: Pod, budget: Budget, options: DeleteOptions): void {
  const { resourceVersion, ...preconditions } = options.preconditions ?? {};
  try {
    deletePod(server, call, pod, { ...options, preconditions });
  } catch (error) {
    throw isConflict(error) && resourceVersion === undefined ? stillProcessed(budget) : error;
  }
}

/**
 * Evicts a pod with a budget. The disruption is taken before the preconditions are checked: a failed one costs a
 * disruption.
 */
function evictWithBudget(server: Server, call: ApiCall, pod: Pod, budget: Budget, options: DeleteOptions): void {
  takeDisruption(server, budget, pod, options.dryRun !== undefined);
  deletePod(server, call, pod, options);
}

function endRunning(server: Server, call: ApiCall, pod: Pod, options: DeleteOptions): void {
  const budget = budgetOf(server, pod);
  if (!budget) deletePod(server, call, pod, options);
  else if (needsNoDisruption(pod, budget)) evictUnready(server, call, pod, budget, options);
  else evictWithBudget(server, call, pod, budget, options);
}

/**
 * POST pods/<name>/eviction: deletes the pod if its disruption budget allows. Answers 201; 400 for anything but an
 * Eviction of this pod, 403 in a namespace that is being deleted, 404, 409 for preconditions (after ten seconds without
 * a budget), 429 with cause DisruptionBudget, 500 for two budgets.
 */
export function evict(server: Server, call: ApiCall): WireResponse {
  const body = evictionIn(server, call);
  checkNamespace(server, call);
  const options = optionsOf(call, body);
  // EvictionREST.Create: admission comes before the pod is looked up.
  admission(server, call)(undefined, body as unknown as KubeObject);
  const pod = storedObject<Pod>(server, call);
  if (isBudgetIgnored(pod)) evictWithoutBudget(server, call, pod, options);
  else endRunning(server, call, pod, options);
  return json(success(201), 201);
}
