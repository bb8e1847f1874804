import type { Act, Actor, AuditedNode } from "../../audit/entry.ts";
import { beginsWith } from "../../commands/node-matches.ts";
import { isOperationId } from "../../commands/operation-id.ts";

/** Subject of an audit: everything, an operation, a person or a node. */
export type AuditSubject =
  | { readonly kind: "everything" }
  | { readonly kind: "operation"; readonly id: string }
  /** Slack's id or a name, in lower case. */
  | { readonly kind: "person"; readonly who: string }
  /** A node's name or instance id, or the beginning of one, in lower case. */
  | { readonly kind: "node"; readonly named: string };

/** A mention as Slack sends it (`<@U0OPERATOR|omar>`), a name after an @, or only the id of a person. */
const PERSON = /^(?:<@(?<id>[uw][a-z0-9]+)(?:\|[^>]*)?>|@(?<name>\S+)|(?<bare>[uw][0-9][a-z0-9]{6,20}))$/;

/**
 * Parses the subject of an audit.
 * @param typed in lower case; null for the last days of all operations
 */
export function subjectOf(typed: string | null): AuditSubject {
  if (typed === null) return { kind: "everything" };
  if (isOperationId(typed)) return { kind: "operation", id: typed };
  const { id, name, bare } = PERSON.exec(typed)?.groups ?? {};
  const who = id ?? name ?? bare;
  return who === undefined ? { kind: "node", named: typed } : { kind: "person", who };
}

const isBy = (by: Actor | undefined, who: string): boolean =>
  by !== undefined &&
  ("rule" in by ? [by.rule] : [by.person, by.name ?? ""]).some((name) => name.toLowerCase() === who);

const isNamed = ({ name = "", uid = "", instanceId = "" }: AuditedNode, named: string): boolean =>
  beginsWith(name, named) || instanceId.startsWith(named) || uid === named;

/** Does an act concern the subject? */
export function concerns({ by, node, what, detail = {} }: Act, subject: AuditSubject): boolean {
  if (subject.kind === "person") return isBy(by, subject.who);
  if (subject.kind !== "node") return true;
  const requested = what === "requested" && typeof detail.node === "string" ? detail.node : null;
  return isNamed(node ?? {}, subject.named) || (requested !== null && beginsWith(requested, subject.named));
}
