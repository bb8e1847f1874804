import { type AuditEntry, chainName } from "../../audit/entry.ts";
import { shortHash } from "../../audit/head.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import { context, say, section } from "../../messages/slack/blocks.ts";
import { sign } from "../../messages/slack/signs.ts";
import { type TableEntry, tableOfEntries } from "../../messages/slack/table.ts";
import { code, counted, prose, some } from "../../messages/slack/text.ts";
import type { Message } from "../../records/records.ts";
import type { CopyVerdict } from "./copies.ts";
import { actorName, detailOf } from "./entry-words.ts";
import type { ReviewedChain } from "./review.ts";
import { type AuditSubject, concerns } from "./subject.ts";
import type { ChainVerdict } from "./verify.ts";

/** Answer of an audit, as it was found. */
export interface FoundAudit {
  readonly subject: AuditSubject;
  /** Chains of the operations that concern the subject, the newest operation first. */
  readonly chains: readonly ReviewedChain[];
  /** Days that were looked back; null where one operation was asked for. */
  readonly days: number | null;
  /** Older operations within these days were left out. */
  readonly isCut: boolean;
}

const COLUMNS = ["TIME (UTC)", "#", "WHAT", "BY"];

const rowOf = (entry: AuditEntry): TableEntry => ({
  cells: [entry.at.slice(0, 19).replace("T", " "), String(entry.sequence), entry.what, actorName(entry)],
  below: [
    detailOf(entry).replaceAll("`", ""),
    entry.node?.name ?? entry.node?.instanceId ?? "",
    `${entry.chain} ${shortHash(entry)}`,
  ],
});

const faults: { readonly [K in Exclude<ChainVerdict["kind"], "intact" | "empty">]: (at: number) => string } = {
  changed: (at) => `entry ${at} was changed, or inserted there`,
  missing: (at) => `entry ${at} is missing`,
  truncated: (at) => `its end is missing, from entry ${at} on`,
  extended: (at) => `entries were added after its end, from entry ${at} on`,
};

/** Faults that only the copies show. */
const copyFaults: { readonly [K in Extract<CopyVerdict, { at: number }>["kind"]]: (at: number) => string } = {
  different: (at) => `entry ${at} differs from its copy in the bucket`,
  uncopied: (at) => `entry ${at} has no copy in the bucket`,
  more: (at) => `its end is missing: the bucket has a copy of entry ${at}`,
};

/** The faults of a chain in words: that of its hashes, and that of its copies; null when there is none. */
function faultOf({ verdict, copy }: ReviewedChain): string | null {
  const ofChain = verdict.kind === "empty" || verdict.kind === "intact" ? [] : [faults[verdict.kind](verdict.at)];
  const ofCopies = "at" in copy ? [copyFaults[copy.kind](copy.at)] : [];
  return [...ofChain, ...ofCopies].join("; ") || null;
}

/** Kinds of comparison without a fault. */
const comparisons = {
  same: "same as its copies in the bucket",
  late: "not copied to the bucket yet",
  unknown: "not compared with the bucket: S3 does not answer",
} as const;

const comparedWith = ({ copy }: ReviewedChain): string => ("at" in copy ? "" : `, ${comparisons[copy.kind]}`);

const intactLine = (reviewed: ReviewedChain): string => {
  const { chain, verdict } = reviewed;
  return verdict.kind === "intact"
    ? `${sign.done} ${code(chainName(chain))}: chain intact, ${verdict.head.sequence === 1 ? "1 entry" : `${verdict.head.sequence} entries`}, head ${code(shortHash(verdict.head))}${comparedWith(reviewed)}`
    : `${sign.note} ${code(chainName(chain))}: no audit: it changed nothing, or began before Casement kept one`;
};

/** Chains that are named one by one; more are counted. */
const MOST_CHAINS = 8;

/** Verdict on all chains: what is broken is named in any case. */
function verdictLines(chains: readonly ReviewedChain[]): string[] {
  const broken = chains.flatMap((one) => {
    const fault = faultOf(one);
    return fault === null ? [] : [`${sign.failed} ${code(chainName(one.chain))}: *${fault}*`];
  });
  const sound = chains.filter((one) => faultOf(one) === null);
  const named =
    sound.length <= MOST_CHAINS ? sound.map(intactLine) : [`${sign.done} ${counted(sound.length, "chain")} intact`];
  const shown = broken.slice(0, MOST_CHAINS);
  const rest = broken.slice(MOST_CHAINS).length;
  return [...shown, ...(rest > 0 ? [`${sign.failed} ${counted(rest, "more broken chain")}`] : []), ...named];
}

const subjectWords = ({ subject, days }: FoundAudit): string => {
  const within = days === null ? "" : ` in the last ${counted(days, "day")}`;
  if (subject.kind === "operation") return code(subject.id);
  if (subject.kind === "person") return `${code(subject.who)}${within}`;
  return subject.kind === "node" ? `${code(subject.named)}${within}` : `all operations${within}`;
};

const FURTHER = `${code("--days")} looks further back`;

/** Next step where nothing was found. A person's name may be misspelt: every word after an @ is one. */
const wider: Readonly<Record<AuditSubject["kind"], string>> = {
  everything: `${FURTHER}.`,
  operation: `${typeThis("operations")} lists recent operations.`,
  person: `${FURTHER}, and ${typeThis("operations")} names who requested the recent operations.`,
  node: `${FURTHER}, and ${typeThis("nodes")} lists the nodes.`,
};

/** Entries that are shown: what concerns the subject, and who requested it. */
const shownEntries = ({ chains, subject }: FoundAudit): AuditEntry[] =>
  chains.flatMap(({ entries }) => entries.filter((one) => one.what === "requested" || concerns(one, subject)));

/** Most people whose ids are explained. */
const MOST_PEOPLE = 10;

/** Explains the ids of people whose names the entries do not hold: Slack shows a mention's name, but not in a table. */
function peopleLine(entries: readonly AuditEntry[]): string {
  const ids = new Set(entries.flatMap(({ by }) => (by && "person" in by && by.name === undefined ? [by.person] : [])));
  if (ids.size === 0) return "";
  const named = [...ids].map((id) => `${code(id)} is ${prose(`<@${id}>`)}`);
  return `${some(named, MOST_PEOPLE)}. `;
}

/** Shows the entries in their order, and whether the chains are intact. */
export function auditMessage(found: FoundAudit): Message {
  const { chains, isCut } = found;
  if (chains.length === 0) return say(`No audit of ${subjectWords(found)}. ${wider[found.subject.kind]}`);
  const entries = shownEntries(found);
  const { blocks, rest } = tableOfEntries(COLUMNS, entries.map(rowOf));
  const broken = chains.filter((one) => faultOf(one) !== null).length;
  const left = [
    ...(rest > 0 ? [`The last ${counted(rest, "entry").replace(/ys$/, "ies")} did not fit`] : []),
    ...(isCut ? ["older operations were left out"] : []),
  ];
  const narrower = left.length > 0 ? ` ${left.join("; ")}: ${typeThis("audit", "<operation>")}.` : "";
  return {
    text: `Audit of ${subjectWords(found)}: ${broken === 0 ? "intact" : `${counted(broken, "chain")} broken`}`,
    blocks: [
      section(`*Audit of ${subjectWords(found)}*\n${verdictLines(chains).join("\n")}`),
      ...(entries.length > 0 ? blocks : []),
      context(
        `${peopleLine(entries)}Compare the head with the one in the operation's last message, or in the log line of its end.${narrower}`,
      ),
    ],
  };
}
