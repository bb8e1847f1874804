import type { JSX } from "preact";
import type { Setting } from "../../vocabulary.ts";
import type { Kit } from "../api.ts";
import { emoji } from "./emoji.ts";
import { Mrkdwn } from "./text.tsx";

interface Style {
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
}

function styled(text: string, style: Style = {}): JSX.Element {
  const marks = [style.bold && "bold", style.italic && "italic", style.strike && "strike"].filter(Boolean).join(" ");
  return style.code ? <code class={marks}>{text}</code> : <span class={marks}>{text}</span>;
}

const leaves: Readonly<Record<string, (leaf: Kit, setting: Setting) => JSX.Element>> = {
  text: ({ text, style }) => styled(String(text), style as Style),
  link: ({ url, text }, setting) => <Mrkdwn text={`<${url}|${text ?? url}>`} setting={setting} />,
  user: ({ user_id }, setting) => <Mrkdwn text={`<@${user_id}>`} setting={setting} />,
  channel: ({ channel_id }, setting) => <Mrkdwn text={`<#${channel_id}>`} setting={setting} />,
  emoji: ({ name }) => <>{emoji[String(name)] ?? `:${name}:`}</>,
};

const leavesOf = (elements: readonly Kit[], setting: Setting): JSX.Element[] =>
  elements.map((leaf, index) => <span key={`${index} ${leaf.type}`}>{leaves[leaf.type]?.(leaf, setting)}</span>);

const parts: Readonly<Record<string, (elements: readonly Kit[], part: Kit, setting: Setting) => JSX.Element>> = {
  rich_text_section: (elements, _part, setting) => <div>{leavesOf(elements, setting)}</div>,
  rich_text_preformatted: (elements, _part, setting) => <pre>{leavesOf(elements, setting)}</pre>,
  rich_text_quote: (elements, _part, setting) => <blockquote>{leavesOf(elements, setting)}</blockquote>,
  rich_text_list: (elements, { style }, setting) => {
    const items = elements.map((item, index) => (
      <li key={`${index} of ${elements.length}`}>{leavesOf(item.elements as readonly Kit[], setting)}</li>
    ));
    return style === "ordered" ? <ol>{items}</ol> : <ul>{items}</ul>;
  },
};

/** Draws the parts of a rich_text block. */
export const RichText = ({ elements, setting }: { elements: readonly Kit[]; setting: Setting }) => (
  <div class="text">
    {elements.map((part, index) => (
      <div key={`${index} ${part.type}`}>{parts[part.type]?.(part.elements as readonly Kit[], part, setting)}</div>
    ))}
  </div>
);
