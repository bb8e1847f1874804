import type { Account } from "../../cluster/accounts.ts";
import type { CredentialNews } from "../../cluster/credential-watch.ts";
import { line, type Notice } from "../../messages/operation/escalations.ts";
import { utc } from "../../messages/slack/age.ts";
import { context, section } from "../../messages/slack/blocks.ts";
import { sign } from "../../messages/slack/signs.ts";
import { plain } from "../../messages/slack/text.ts";
import type { Message } from "../../records/records.ts";

/** Work that fails without an account. */
const purposes: Readonly<Record<Account, string>> = {
  look: "reading the cluster",
  act: "removing nodes",
  join: "adding nodes",
};

/** News that several accounts share, so that it is reported once. */
interface Grouped extends Pick<CredentialNews, "say"> {
  readonly accounts: readonly Account[];
  readonly why: string;
  /** ISO 8601: the first expiry; null if no credential expires. */
  readonly endsAt: string | null;
}

function endOf(news: readonly CredentialNews[]): string | null {
  const ends = news.flatMap(({ renewal: { term } }) => (term ? [term.expiresAt] : []));
  return ends.length > 0 ? new Date(Math.min(...ends)).toISOString() : null;
}

const grouped = (news: readonly CredentialNews[]): Grouped[] =>
  [...Map.groupBy(news, ({ say, renewal }) => `${say} ${renewal.why ?? ""}`).values()].map((those) => ({
    say: those[0]?.say ?? "well",
    accounts: those.map(({ renewal }) => renewal.account),
    why: those[0]?.renewal.why ?? "",
    endsAt: endOf(those),
  }));

const COMMAND = "npm run connect -- credential";

const listed = (words: readonly string[]): string =>
  words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words.at(-1)}` : (words[0] ?? "");

const whose = (accounts: readonly Account[]): string =>
  accounts.length > 1
    ? `the credentials of the accounts ${listed(accounts)}`
    : `the credential of the account ${accounts[0]}`;

const stopped = (accounts: readonly Account[]): string => listed(accounts.map((account) => purposes[account]));

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** Sentences without their final full stop: the event, its effect, the next step. */
const sentences: Readonly<Record<CredentialNews["say"], (group: Grouped) => string>> = {
  failing: ({ accounts, why, endsAt }) =>
    `${whose(accounts)} could not be renewed twice in a row: ${why}. ${
      endsAt
        ? `${capital(stopped(accounts))} works until ${utc(endsAt)}`
        : `When it expires, ${stopped(accounts)} fails`
    }. Casement retries every hour. If it keeps failing, run: ${COMMAND}`,
  ended: ({ accounts, why }) =>
    `${whose(accounts)} cannot be used: ${why}. Until a cluster administrator runs ${COMMAND}, ${stopped(accounts)} fails`,
  well: ({ accounts }) => `${whose(accounts)} can be used again, and its renewal is back on schedule`,
};

/** Text of a mail or a page; null for only good news, which nobody needs to be paged for. */
export function credentialNotice(news: readonly CredentialNews[]): Notice | null {
  const bad = grouped(news.filter(({ say }) => say !== "well"));
  if (bad.length === 0) return null;
  const said = bad.map((group) => `${sentences[group.say](group)}.`).join(" ");
  return {
    kind: "credential",
    operation: null,
    message: line(`${said} See docs/runbook.md#cluster-credential.`),
    until: endOf(news.filter(({ say }) => say === "failing")),
  };
}

const signs: Readonly<Record<CredentialNews["say"], string>> = {
  failing: sign.warning,
  ended: sign.failed,
  well: sign.done,
};

/** Message in the channel about the credentials. */
export function credentialMessage(cluster: string, news: readonly CredentialNews[]): Message {
  const groups = grouped(news);
  const words = groups.map((group) => `${signs[group.say]} ${plain(capital(sentences[group.say](group)), 1_500)}.`);
  return {
    text: `${plain(cluster)}: ${words[0] ?? ""}`,
    blocks: [...words.map((text) => section(text)), context(`${plain(cluster)} · docs/runbook.md#cluster-credential`)],
  };
}
