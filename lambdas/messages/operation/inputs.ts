import type { InputWords, TextFile } from "../../inputs/input.ts";
import type { Message } from "../../records/records.ts";
import { typeThis } from "../command/syntax.ts";
import { context, section, sections } from "../slack/blocks.ts";
import { code, counted, prose, some } from "../slack/text.ts";
import { line, type Notice } from "./escalations.ts";

/** Calls people to an input that cannot be read, or to nodes that cannot be listed. */
export const inputUnreadNotice = ({ kind, unread, runbook }: InputWords, why: string): Notice => ({
  kind,
  operation: null,
  message: line(`${unread}: ${why}. See ${runbook}.`),
  until: null,
});

/** The same in the channel; or that it is kept up to date again. */
export function inputNewsMessage(words: InputWords, news: "bad" | "well", why: string): Message {
  const { unread, meanwhile, readAgain, runbook } = words;
  const text = news === "bad" ? `⚠️ ${unread}: ${prose(why, 500)}. ${meanwhile}` : `✅ ${readAgain}`;
  return { text, blocks: [section(text), context(runbook)] };
}

/** Most remarks in one message. */
const MOST_REMARKS = 10;

/** Objects of an input that could not be applied as they are. A remark may end with what to type. */
export function inputRemarksMessage({ title, runbook }: InputWords, remarks: readonly string[]): Message {
  const shown = remarks.slice(0, MOST_REMARKS).map((one) => `• ${prose(one, 800)}`);
  const more = remarks.length > MOST_REMARKS ? [`and ${remarks.length - MOST_REMARKS} more.`] : [];
  const head = `⚠️ *${title}*: not everything can be applied.`;
  return {
    text: [head, ...shown, ...more].join("\n"),
    blocks: [...sections([head, ...shown, ...more]), context(runbook)],
  };
}

/** Answer where the configuration applies no input. */
export const inputsNotApplied =
  "Casement applies no mirror sets: set `cluster.inputs` in the configuration to `openshift` or `configmap` and deploy.";

/** End of an operation that could lease none of its nodes. */
export const everyNodeIsHeld = "Other operations work on every node that differs; nothing was changed.";

/** State of a node whose files were not all written. */
export const filesLeft = "the node pulls as before, or by the files that it has; {win} mirrors shows it";

/** Outcome of the first node, with the remark on its proof. */
export const provenFiles = (note: string): string => `mirrors written. ${note.replace(/\.$/, "")}`;

/** Reason why an operation does not begin while another one changes the same files. */
export const otherOperationChanges = (operation: string): string =>
  `${code(operation)} is writing the same files to nodes. Wait for its end, or cancel it: ${typeThis("cancel", operation)}.`;

/** Answer if every requested node that can be changed has what the cluster wants. */
export function inputUpToDate({ title }: InputWords): Message {
  const text = `✅ ${title}: nothing to change. Every requested node that runs, that Casement manages and that no freeze or hold covers is up to date.`;
  return { text, blocks: [section(text), context(`${typeThis("mirrors")} shows every node`)] };
}

/** Most nodes and files that a dry run names. */
const MOST_NAMED = 10;

/** Plan of a dry run. */
export function reconcileDryRun(
  words: InputWords,
  nodes: readonly { readonly name: string }[],
  files: readonly TextFile[],
): Message {
  if (nodes.length === 0) return inputUpToDate(words);
  const names = nodes.map(({ name }) => code(name));
  const order = nodes.length > 1 ? ", one first" : "";
  const lines = [
    `*Dry run of ${words.title}*: ${counted(nodes.length, "node")} would be changed${order}.`,
    `Nodes: ${some(names, MOST_NAMED)}.`,
    files.length > 0
      ? `Each would have: ${some(
          files.map(({ path }) => code(path)),
          MOST_NAMED,
        )}.`
      : "Files that Casement wrote before would be removed.",
  ];
  return { text: lines[0] ?? "", blocks: [section(lines.join("\n").slice(0, 3_000)), context(typeThis("reconcile"))] };
}
