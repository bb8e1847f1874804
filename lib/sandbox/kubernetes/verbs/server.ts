import type { Foundation } from "../../core/foundation.ts";
import type { WireRequest } from "../../core/wire.ts";
import type { Write } from "../access/admission.ts";
import type { Judges } from "../access/reviews.ts";
import type { User } from "../access/users.ts";
import type { ResourceType } from "../model/resources.ts";
import type { Ownerships } from "../patches/apply.ts";
import type { Registry } from "../registry/registry.ts";
import type { Lister } from "../request/lists.ts";
import type { Objects } from "../store/objects.ts";
import type { Schemas } from "../validation/schemas.ts";

/** What the verbs work with. */
export interface Server {
  readonly foundation: Foundation;
  readonly objects: Objects;
  readonly registry: Registry;
  readonly list: Lister;
  readonly judges: Judges;
  readonly ownerships: Ownerships;
  readonly schemas: Schemas;
  /** Admission of a write that authorisation has let through; throws 403. */
  admit(write: Write): void;
}

/** One authenticated and authorised request for a resource. */
export interface Asked {
  readonly request: WireRequest;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly type: ResourceType;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource: string;
}

/** Is the request only to say what it would do (dryRun=All)? */
export const isDryRun = ({ query }: Pick<Asked, "query">): boolean => query.getAll("dryRun").includes("All");
