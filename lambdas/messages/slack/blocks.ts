import type { Block, Message } from "../../records/records.ts";
import { withLocalDates } from "./age.ts";

/** Slack's limits (docs: Block Kit reference; the total is not documented: bolt-js issue 2509 met it near 13,200). */
export const limits = {
  blocks: 50,
  section: 3_000,
  header: 150,
  context: 2_000,
  total: 13_000,
  modalBlocks: 100,
} as const;

/**
 * Text with Slack's markup. `verbatim` leaves bare addresses and names as they are written, so that no word of a machine,
 * a pod or a person becomes a link or calls anybody; links and mentions in Slack's own form stay (Block Kit, text object).
 */
const mrkdwn = (text: string, limit: number): object => ({
  type: "mrkdwn",
  text: withLocalDates(text, limit),
  verbatim: true,
});
/** Text without markup, as titles and labels take it. */
export const plainText = (text: string): object => ({ type: "plain_text", text, emoji: false });

export const section = (text: string): Block => ({ type: "section", text: mrkdwn(text, limits.section) });
export const context = (text: string): Block => ({ type: "context", elements: [mrkdwn(text, limits.context)] });
export const divider: Block = { type: "divider" };

/** A heading: plain text, in which `&` and `<` are literal. */
export const header = (text: string): Block => ({ type: "header", text: plainText(text.slice(0, limits.header)) });

/** Confirmation that Slack asks for before a button acts. */
export interface Confirmation {
  readonly title: string;
  readonly text: string;
  readonly confirm: string;
  readonly deny: string;
}

/** A button: its action id names the action, its value the object. */
export interface Button {
  readonly actionId: string;
  readonly value: string;
  readonly text: string;
  /** Address that the button opens. */
  readonly url?: string;
  readonly style?: "primary" | "danger";
  readonly confirm?: Confirmation;
}

const confirmation = ({ title, text, confirm, deny }: Confirmation): object => ({
  title: plainText(title),
  text: plainText(text),
  confirm: plainText(confirm),
  deny: plainText(deny),
  style: "danger",
});

/** Longest label of a button for screen readers (Slack, block elements reference, "Button": accessibility_label). */
const LONGEST_LABEL = 75;

/** Names what a button is about: the targets of the command in its value, or the value itself. */
const subjectOf = (value: string): string => value.replace(/ --.*$/, "").replace(/^\S+ /, "");

/** Label that a screen reader reads in place of the button's text, so that no two buttons of a channel are read alike. */
function labelOf(text: string, subject: string): { readonly accessibility_label?: string } {
  if (text.toLowerCase().split(" ").includes(subject)) return {};
  return { accessibility_label: `${text} (${subject.slice(0, LONGEST_LABEL - text.length - 3)})` };
}

const button = ({ actionId, value, text, url, style, confirm }: Button, subject = subjectOf(value)): object => ({
  type: "button",
  action_id: actionId,
  value,
  text: plainText(text),
  ...labelOf(text, subject),
  ...(url ? { url } : {}),
  ...(style ? { style } : {}),
  ...(confirm ? { confirm: confirmation(confirm) } : {}),
});

/**
 * A row of buttons; the block's id stays the same across updates.
 * @param subject plain name of what they are about, where their values do not name it
 */
export const actions = (id: string, buttons: readonly Button[], subject?: string): Block => ({
  type: "actions",
  block_id: id,
  elements: buttons.map((one) => button(one, subject)),
});

interface StyledBlock {
  readonly elements?: readonly { readonly style?: string }[];
}

const isPrimary = ({ style }: { readonly style?: string }): boolean => style === "primary";

/** Leaves the first recommended button of a message as such: a second one would make neither the recommended one. */
export function withOnePrimary(blocks: readonly Block[]): Block[] {
  const first = blocks.flatMap(({ elements }) => (elements as StyledBlock["elements"]) ?? []).find(isPrimary);
  return blocks.map((block) => {
    const { elements } = block as StyledBlock;
    if (!elements) return block;
    return {
      ...block,
      elements: elements.map((element) =>
        element === first || !isPrimary(element) ? element : { ...element, style: undefined },
      ),
    };
  });
}

/** Characters that blocks use of a message's total. */
export const sizeOf = (blocks: readonly Block[]): number => JSON.stringify(blocks).length;

/** Turns a text into a message. */
export const say = (text: string): Message => ({ text, blocks: [section(text)] });

/**
 * Splits lines into sections, each within Slack's limit.
 * @param wrap frames a section's lines, such as with a code block; it may add 100 characters
 */
export function sections(lines: readonly string[], wrap: (lines: string) => string = (text) => text): Block[] {
  const pages: string[][] = [];
  let room = 0;
  for (const line of lines) {
    if (line.length + 1 > room) {
      pages.push([]);
      room = limits.section - 100;
    }
    pages.at(-1)?.push(line);
    room -= line.length + 1;
  }
  return pages.map((page) => section(wrap(page.join("\n"))));
}

/**
 * Takes the first groups that fit into a message.
 * @param fixed blocks that the message has besides
 */
export function fitting(
  groups: readonly (readonly Block[])[],
  fixed: readonly Block[],
  most: number = limits.blocks,
): Block[][] {
  const taken: Block[][] = [];
  let size = sizeOf(fixed);
  let count = fixed.length;
  for (const group of groups) {
    size += sizeOf(group);
    count += group.length;
    if (size > limits.total || count > most) break;
    taken.push([...group]);
  }
  return taken;
}
