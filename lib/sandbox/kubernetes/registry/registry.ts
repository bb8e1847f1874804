import type { Simulation } from "../../core/simulation.ts";
import type { Distribution } from "../access/admission.ts";
import {
  ApiFailure,
  type Cause,
  conflict,
  invalid,
  modified,
  namespaceTerminating,
  notFound,
  wrong,
} from "../model/failure.ts";
import { type KubeObject, timestamp } from "../model/object.ts";
import { known, type ResourceType } from "../model/resources.ts";
import type { Draft, Objects } from "../store/objects.ts";
import type { Admission, Target } from "./change.ts";
import { type DeleteOptions, deletion, type Removal } from "./deletion.ts";
import { withRuntimeClass } from "./runtime-classes.ts";
import { withToken } from "./service-account.ts";
import { serviceAddresses } from "./service-addresses.ts";
import { causesOf, changed, mustBeVersioned, prepared, updateCausesOf } from "./strategies.ts";

/** Options of a write. */
export interface WriteOptions {
  /** Stores nothing; the answer is the object that would be stored. */
  readonly dryRun?: boolean;
  /** Called last, with the object to store; throws to refuse (validating admission comes after validation). */
  readonly admit?: Admission;
  /** The simulator's own seeds and controllers: the status is kept, a missing namespace is created. */
  readonly trusted?: boolean;
  /** The object comes from a patch: only its version is a precondition, another uid is an invalid value. */
  readonly patched?: boolean;
}

/** Writes with every rule of the API server except authorisation. */
export interface Registry {
  create(type: ResourceType, object: KubeObject, options?: WriteOptions): KubeObject;
  /** Throws 404, 409 for a stale version, 422 for an invalid object. `change` must not modify its argument. */
  update(target: Target, change: (current: KubeObject) => KubeObject, options?: WriteOptions): KubeObject;
  remove(target: Target, options?: DeleteOptions, admit?: Admission): Removal;
}

const namespaces = known("namespaces");
const services = known("services");
const pods = known("pods");

/** Letters that generated names end with (k8s.io/apimachinery/pkg/util/rand). */
const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
/**
 * Number of these letters, and of the characters of `generateName` before them
 * (k8s.io/apiserver/pkg/storage/names/generate.go).
 */
const SUFFIX_LENGTH = 5;
const LONGEST_BASE = 63 - SUFFIX_LENGTH;

/** Builds the registry on the store of objects. */
export function registry(simulation: Simulation, objects: Objects, distribution: Distribution): Registry {
  const suffix = (): string =>
    Array.from({ length: SUFFIX_LENGTH }, () => ALPHABET[simulation.random.between(0, ALPHABET.length - 1)]).join("");

  const named = (object: KubeObject): KubeObject => {
    const { name, generateName } = object.metadata ?? {};
    const metadata = {
      ...object.metadata,
      name: name || (generateName ? `${generateName.slice(0, LONGEST_BASE)}${suffix()}` : ""),
    };
    return { ...object, metadata };
  };

  const withAddresses = serviceAddresses(simulation, objects);
  const addressed = (type: ResourceType, object: KubeObject): KubeObject => {
    if (type === services) return withAddresses(object);
    return type === pods ? withToken(objects, withRuntimeClass(objects, object), distribution) : object;
  };

  const requireNamespace = (type: ResourceType, object: KubeObject): void => {
    const { namespace = "", name } = object.metadata;
    const found = objects.get(namespaces, undefined, namespace);
    if (!found) throw notFound(namespaces, namespace);
    if (found.metadata.deletionTimestamp) throw namespaceTerminating(type, name, namespace);
  };

  const create = (
    type: ResourceType,
    wanted: KubeObject,
    { dryRun, admit, trusted = false }: WriteOptions = {},
  ): KubeObject => {
    const object = addressed(type, prepared(type, named(wanted), trusted));
    if (object.metadata.resourceVersion)
      throw new ApiFailure(400, "BadRequest", "resourceVersion should not be set on objects to be created");
    if (type.namespaced && !trusted) requireNamespace(type, object);
    const causes = causesOf(type, object);
    if (causes.length > 0) throw invalid(type, object.metadata.name, causes);
    admit?.(undefined, object);
    return dryRun ? unstored(type, object) : objects.create(type, draftOf(object));
  };

  const unstored = (type: ResourceType, object: KubeObject): KubeObject => {
    if (objects.get(type, object.metadata.namespace, object.metadata.name)) return objects.create(type, object);
    const creationTimestamp = timestamp(simulation.clock.now());
    return { ...object, metadata: { ...object.metadata, uid: simulation.random.uuid(), creationTimestamp } };
  };

  const update: Registry["update"] = (
    { type, namespace, name, subresource = "" },
    change,
    { dryRun, admit, patched = false } = {},
  ) => {
    const before = objects.get(type, namespace, name);
    if (!before) throw notFound(type, name);
    const wanted = change(before);
    if (!patched) checkUid(type, before, wanted);
    checkVersion(type, before, wanted);
    const after = changed(type, subresource, before, wanted, timestamp(simulation.clock.now()));
    const causes = [...uidCauses(before, wanted), ...updateCausesOf(type, before, after)];
    if (causes.length > 0) throw invalid(type, name, causes);
    admit?.(before, after);
    if (dryRun) return after;
    const stored = objects.replace(type, after);
    return isReleased(stored) ? objects.remove(type, stored) : stored;
  };

  return { create, update, remove: deletion(simulation, objects) };
}

/** Removes uid, version and creation time: the store sets them. */
function draftOf(object: KubeObject): Draft {
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _created,
    deletionTimestamp: _deleted,
    ...metadata
  } = object.metadata;
  return { ...object, metadata };
}

/** May the object be removed? It is being deleted, has no finalizer left, and its grace is over. */
const isReleased = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined &&
  (metadata.deletionGracePeriodSeconds ?? 0) === 0 &&
  (metadata.finalizers ?? []).length === 0;

/**
 * Throws 409 when a PUT names another uid: in a whole object that is a precondition, in a patch it is not
 * (k8s.io/apiserver/pkg/registry/rest/update.go, defaultUpdatedObjectInfo.Preconditions; the patch handler passes no
 * object).
 */
function checkUid(type: ResourceType, before: KubeObject, { metadata }: KubeObject): void {
  const { uid } = before.metadata;
  if (!metadata.uid || metadata.uid === uid) return;
  const why = `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${uid}`;
  throw conflict(type, metadata.name, why);
}

/** Causes against a patch that would change a uid (k8s.io/apimachinery/pkg/api/validation ValidateObjectMetaUpdate). */
const uidCauses = (before: KubeObject, { metadata }: KubeObject): Cause[] =>
  metadata.uid && metadata.uid !== before.metadata.uid
    ? [wrong("metadata.uid", metadata.uid, "field is immutable")]
    : [];

/** Throws 409 for a write that is based on another version, 422 for a missing version where one is required. */
function checkVersion(type: ResourceType, before: KubeObject, { metadata }: KubeObject): void {
  if (metadata.resourceVersion && metadata.resourceVersion !== before.metadata.resourceVersion)
    throw conflict(type, metadata.name, modified);
  if (!metadata.resourceVersion && mustBeVersioned(type)) {
    throw invalid(type, metadata.name, [wrong("metadata.resourceVersion", 0, "must be specified for an update")]);
  }
}
