import type { AuditEntry } from "../../audit/entry.ts";
import { isChange } from "../../commands/list.ts";
import type { Request } from "../../commands/request.ts";
import { titleOf } from "../../messages/command/syntax.ts";
import { withoutPlaceholder } from "../../messages/slack/command-word.ts";
import { counted } from "../../messages/slack/text.ts";

type Detail = NonNullable<AuditEntry["detail"]>;

const text = (value: unknown): string =>
  ["string", "number", "boolean"].includes(typeof value) ? String(value) : JSON.stringify(value);

/** Lists facts by name, for an entry without words of its own. */
const listed = (detail: Detail): string =>
  Object.entries(detail)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}: ${text(value)}`)
    .join(", ");

const joined = (...parts: readonly unknown[]): string =>
  parts
    .filter((part) => part !== undefined && part !== null && part !== "")
    .map(text)
    .join(": ");

function requested(detail: Detail): string {
  // The ledger may hold requests of other versions of Casement.
  if (typeof detail.command !== "string" || !isChange(detail.command)) return listed(detail);
  return withoutPlaceholder(joined(titleOf(detail as Request), detail.reason));
}

const sayings: Readonly<Partial<Record<AuditEntry["what"], (detail: Detail) => string>>> = {
  requested,
  asked: ({ question, ...rest }) => joined(question, listed(rest)),
  decided: ({ question, decision }) => joined(question, decision),
  started: ({ stage }) => joined(stage),
  evicted: ({ pods }) => counted(Number(pods), "pod"),
  changed: ({ change, ...rest }) => joined(change, listed(rest)),
  ended: ({ status, summary, stage, why, outcome }) => joined(status, summary, stage, why, outcome),
};

/** Describes an entry's facts in one line, not escaped. */
export const detailOf = ({ what, detail = {} }: AuditEntry): string => (sayings[what] ?? listed)(detail);

/** Names the person or the rule of an entry; a person without a known name by id. */
export function actorName({ by }: AuditEntry): string {
  if (!by) return "";
  return "rule" in by ? by.rule : (by.name ?? by.person);
}
