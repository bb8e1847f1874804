import type { NamedAuthorities, NamedAuthority } from "../../inputs/trust/authorities.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import { utc } from "../../messages/slack/age.ts";
import { context, section, sections } from "../../messages/slack/blocks.ts";
import { sign } from "../../messages/slack/signs.ts";
import { code, counted, plain, prose, some } from "../../messages/slack/text.ts";
import { refusedText } from "../../messages/trust/remarks.ts";
import type { Message } from "../../records/records.ts";

/** State of an authority on nodes. */
export type AuthorityState =
  | { readonly kind: "given"; readonly without: readonly string[] }
  /** The operation asks people; null before it is opened. */
  | { readonly kind: "waits"; readonly operation: string | null }
  | { readonly kind: "denied" };

/** Facts of the list of authorities. */
interface ShownAuthorities extends Pick<NamedAuthorities, "refused"> {
  readonly authorities: readonly (NamedAuthority & { readonly state: AuthorityState })[];
  /** Number of Windows nodes that Casement manages. */
  readonly nodes: number;
}

/** Most names in one line. */
const MOST_NAMES = 3;

function stateText(state: AuthorityState, nodes: number): string {
  if (state.kind === "denied") return `${sign.blocked} denied: no node gets it. ${typeThis("reconcile")} asks again`;
  if (state.kind === "waits")
    return `${sign.decide} waits for an approval${state.operation ? ` in ${code(state.operation)}` : ""}`;
  const { without } = state;
  if (nodes === 0) return "no node to give it to";
  if (without.length === 0) return `${sign.done} on ${nodes === 1 ? "the node" : `all ${nodes} nodes`}`;
  return `${sign.running} on ${nodes - without.length} of ${counted(nodes, "node")}; not yet on ${some(without.map(code), MOST_NAMES)}`;
}

const authorityText = (
  { subject, store, notAfter, sources, state }: ShownAuthorities["authorities"][number],
  nodes: number,
) =>
  `*${plain(subject)}* · ${store} · until ${utc(notAfter)} · ${plain(some(sources, MOST_NAMES))}\n${stateText(state, nodes)}`;

/** The list of trusted authorities. */
export function authoritiesMessage({ authorities, refused, nodes }: ShownAuthorities): Message {
  const title =
    authorities.length === 0
      ? "The cluster names no trusted authority: Windows nodes have those of Windows alone."
      : `${authorities.length === 1 ? "1 authority" : `${authorities.length} authorities`}, ${counted(nodes, "managed Windows node")}.`;
  const lines = [
    ...authorities.map((one) => authorityText(one, nodes)),
    ...refused.map((one) => `${sign.warning} ${prose(refusedText(one), 400)}`),
  ];
  const isMissing = authorities.some(({ state }) => state.kind === "given" && state.without.length > 0);
  return {
    text: title,
    blocks: [
      section(`*Trusted authorities*: ${title}`),
      ...sections(lines),
      ...(isMissing ? [context(`${typeThis("reconcile")} gives them to nodes now`)] : []),
    ],
  };
}
