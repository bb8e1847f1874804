import { json, type WireResponse } from "../../core/wire.ts";
import { applied, type Ownership, written } from "../kubectl/apply.ts";
import { rendered, renderedList } from "../kubectl/render.ts";
import { badRequest, invalid, required, success } from "../model/failure.ts";
import { type Fields, fieldsOf, type KubeObject, timestamp } from "../model/object.ts";
import { APPLY, patcherOf } from "../patches/patch.ts";
import type { DeleteOptions } from "../registry/deletion.ts";
import { mediaTypeOf, objectIn, optionsIn, patchIn } from "../request/content.ts";
import { selectionOf } from "../request/lists.ts";
import { asRequested, decisionOf } from "../subresources/signing-requests.ts";
import { typedAs } from "../validation/typed.ts";
import { viewOf } from "./read.ts";
import { type ApiCall, admission, isDryRun, type Server } from "./server.ts";

/** Checks that the body matches the URL, and fills in apiVersion, kind and namespace. */
function addressed({ type, namespace, name }: ApiCall, body: Fields): KubeObject {
  const { apiVersion = type.apiVersion, kind = type.kind } = body;
  if (apiVersion !== type.apiVersion || kind !== type.kind) {
    const [given, wanted] = [`${String(apiVersion)}, Kind=${String(kind)}`, `${type.apiVersion}, Kind=${type.kind}`];
    throw badRequest(`the API version in the data (${given}) does not match the expected API version (${wanted})`);
  }
  const metadata = fieldsOf(body.metadata);
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest(`the namespace of the provided object does not match the namespace sent on the request`);
  }
  if (name && metadata.name !== name) {
    throw badRequest(
      `the name of the object (${String(metadata.name ?? "")}) does not match the name on the URL (${name})`,
    );
  }
  const inNamespace = type.namespaced && namespace ? { namespace } : {};
  return { ...body, apiVersion, kind, metadata: { ...metadata, ...inNamespace } } as KubeObject;
}

/** Decodes an object of the requested type by the API's types. Throws 400, or 422 for the result of a patch. */
const typed = ({ schemas }: Server, call: ApiCall, object: KubeObject): KubeObject =>
  typedAs(schemas, call.type, schemas.nameOf(call.type), call, object);

/** Builds the options of a request's writes: admission first, then stored unless it is a dry run. */
const writeOptions = (server: Server, call: ApiCall) => ({ dryRun: isDryRun(call), admit: admission(server, call) });

/** Kinds that programs write all the time and that are never applied: their owners are not recorded. */
const untracked = new Set(["Lease", "Event"]);

/** Names the writer of a request: fieldManager, else the program's name (its user agent). */
const managerOf = ({ query, request }: ApiCall): string =>
  query.get("fieldManager") ?? (request.headers["user-agent"] ?? "unknown").split("/")[0] ?? "";

/**
 * Adds the writer of a decision to a CertificateSigningRequest. The API server takes `spec` back from its writer
 * (csrStrategy.GetResetFields), so that a request without another field has no owners, and gets none by a decision: a kubelet's
 * has its `generateName` (seen on 1.36.2).
 */
function signed({ simulation }: Server, call: ApiCall, object: KubeObject): KubeObject {
  const { generateName, labels, annotations } = object.metadata;
  if (call.subresource !== "approval" || !(generateName || labels || annotations)) return object;
  const managedFields = [decisionOf(managerOf(call), timestamp(simulation.clock.now()))];
  return { ...object, metadata: { ...object.metadata, managedFields } };
}

/** Records the writer of each field for server-side apply. */
function recordOwner(server: Server, call: ApiCall, before: KubeObject | undefined, after: KubeObject): void {
  const manager = managerOf(call);
  if (isDryRun(call) || call.subresource !== "" || untracked.has(after.kind)) return;
  const owners: Ownership = structuredClone(server.ownerships.get(after.metadata.uid) ?? {});
  written(owners, before, after, manager);
  server.ownerships.set(after.metadata.uid, owners);
}

/** POST of an object. */
export function create(server: Server, call: ApiCall): WireResponse {
  const wanted = asRequested(call, typed(server, call, addressed(call, objectIn(call.request, call.type.kind))));
  const created = server.registry.create(call.type, wanted, writeOptions(server, call));
  recordOwner(server, call, undefined, created);
  return json(rendered(viewOf(server, call), created), 201);
}

/** PUT of an object or of one of its subresources. */
export function update(server: Server, call: ApiCall): WireResponse {
  const wanted = signed(server, call, typed(server, call, addressed(call, objectIn(call.request, call.type.kind))));
  const before = server.objects.get(call.type, call.namespace, call.name);
  const updated = server.registry.update(call, () => wanted, writeOptions(server, call));
  recordOwner(server, call, before, updated);
  return json(rendered(viewOf(server, call), updated));
}

/** Adds the stored version where a patch leaves it out, as it may for custom resources too. */
const versioned = (before: KubeObject, after: KubeObject): KubeObject => {
  const resourceVersion = after.metadata.resourceVersion || before.metadata.resourceVersion;
  return { ...after, metadata: { ...after.metadata, resourceVersion } };
};

/** Throws 400 for a patch that changes the object's name. */
function unmoved(before: KubeObject, after: KubeObject): KubeObject {
  if (after.metadata.name === before.metadata.name) return after;
  throw badRequest(
    `the name of the object (${after.metadata.name}) does not match the name on the URL (${before.metadata.name})`,
  );
}

/** PATCH of an object or of one of its subresources. */
export function patch(server: Server, call: ApiCall): WireResponse {
  const mediaType = mediaTypeOf(call.request);
  if (mediaType === APPLY) return apply(server, call);
  const carryOut = patcherOf(call.type, mediaType);
  const body = patchIn(call.request);
  const change = (before: KubeObject): KubeObject =>
    signed(server, call, versioned(before, unmoved(before, typed(server, call, carryOut(before, body)))));
  const before = server.objects.get(call.type, call.namespace, call.name);
  const patched = server.registry.update(call, change, { ...writeOptions(server, call), patched: true });
  recordOwner(server, call, before, patched);
  return json(rendered(viewOf(server, call), patched));
}

/** Server-side apply: creates a missing object, otherwise merges the applier's fields. */
function apply(server: Server, call: ApiCall): WireResponse {
  const { query, type, namespace, name } = call;
  const manager = query.get("fieldManager");
  if (!manager) {
    const options = { kind: "PatchOptions", group: "meta.k8s.io" };
    throw invalid(options, "", [required("fieldManager", "is required for apply patch")]);
  }
  const wanted = typed(server, call, addressed(call, fieldsOf(patchIn(call.request))));
  const before = server.objects.get(type, namespace, name);
  const owners: Ownership = structuredClone((before && server.ownerships.get(before.metadata.uid)) ?? {});
  const base = before ?? ({ ...wanted, metadata: { name, ...(namespace ? { namespace } : {}) } } as KubeObject);
  const after = applied(owners, base, wanted, { manager, force: query.get("force") === "true" });
  const options = { ...writeOptions(server, call), patched: true };
  const change = (current: KubeObject): KubeObject => versioned(current, after);
  const stored = before ? server.registry.update(call, change, options) : server.registry.create(type, after, options);
  if (!options.dryRun) server.ownerships.set(stored.metadata.uid, owners);
  return json(rendered(viewOf(server, call), stored), before ? 200 : 201);
}

/** Reads the options of a DELETE, from its body or its parameters. */
function deleteOptions(call: ApiCall): DeleteOptions {
  const given = optionsIn(call.request);
  const grace = call.query.get("gracePeriodSeconds");
  const policy = call.query.get("propagationPolicy");
  const orphan = given.orphanDependents === true ? { propagationPolicy: "Orphan" } : {};
  return {
    ...orphan,
    ...given,
    ...(grace ? { gracePeriodSeconds: Number(grace) } : {}),
    ...(policy ? { propagationPolicy: policy } : {}),
    ...(isDryRun(call) ? { dryRun: ["All"] } : {}),
  } as DeleteOptions;
}

/** DELETE of one object: its last state, or a Status once it is gone. */
export function remove(server: Server, call: ApiCall): WireResponse {
  const { type, name } = call;
  const { object, gone } = server.registry.remove(call, deleteOptions(call), admission(server, call));
  if (!gone || type.plural === "pods") return json(rendered(viewOf(server, call), object));
  const about = { name, ...(type.group ? { group: type.group } : {}), kind: type.plural, uid: object.metadata.uid };
  return json(success(200, about));
}

/** DELETE of many: returns the list of deleted objects. */
export function removeMany(server: Server, call: ApiCall): WireResponse {
  const selection = selectionOf(call.type, call.namespace, call.query);
  const page = server.list(selection, new URLSearchParams());
  const options = deleteOptions(call);
  const items = page.items.map(
    ({ metadata }) =>
      server.registry.remove(
        { type: call.type, namespace: metadata.namespace, name: metadata.name },
        options,
        admission(server, { ...call, namespace: metadata.namespace, name: metadata.name }),
      ).object,
  );
  return json(renderedList(viewOf(server, call), { items, metadata: page.metadata }));
}
