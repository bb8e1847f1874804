import type { KubeletAnswer } from "../../core/ports.ts";
import type { Simulation } from "../../core/simulation.ts";
import type { WireRequest } from "../../core/wire.ts";
import type { Attempt } from "../access/admission.ts";
import type { Authorizers } from "../access/reviews.ts";
import type { User } from "../access/users.ts";
import type { Ownerships } from "../kubectl/apply.ts";
import type { KubeObject } from "../model/object.ts";
import type { ResourceType } from "../model/resources.ts";
import type { Registry } from "../registry/registry.ts";
import type { Lister } from "../request/lists.ts";
import type { Objects } from "../store/objects.ts";
import type { Schemas } from "../validation/schemas.ts";

/** Dependencies of the verbs. */
export interface Server {
  readonly simulation: Simulation;
  /** "1.34.2" */
  readonly version: string;
  readonly objects: Objects;
  readonly registry: Registry;
  readonly list: Lister;
  readonly authorizers: Authorizers;
  readonly ownerships: Ownerships;
  readonly schemas: Schemas;
  /** Calls a kubelet at its node's address; undefined where the sandbox simulates no machine. */
  callKubelet(address: string): KubeletAnswer | undefined;
  /** Admits a change that was authorised; throws 403, 422 or a policy's error. */
  admit(attempt: Attempt): void;
}

/** One authenticated and authorised request for a resource. */
export interface ApiCall {
  readonly request: WireRequest;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string;
  /** Adds a warning for the client to the response. */
  warn(sentence: string): void;
}

const operationOf = (before: KubeObject | undefined, after: KubeObject | undefined): Attempt["operation"] => {
  if (!after) return "DELETE";
  return before ? "UPDATE" : "CREATE";
};

/** Builds the check that the registry makes before it stores a change. */
export const admission =
  (server: Server, { user, type, subresource, namespace, name }: ApiCall) =>
  (before: KubeObject | undefined, after: KubeObject | undefined): void =>
    server.admit({
      operation: operationOf(before, after),
      user,
      type,
      subresource,
      namespace: type.plural === "namespaces" ? undefined : namespace,
      name: name || (after?.metadata.name ?? ""),
      before,
      after,
    });

/** Is the request a dry run (dryRun=All)? */
export const isDryRun = ({ query }: Pick<ApiCall, "query">): boolean => query.getAll("dryRun").includes("All");
