import type { JSX } from "preact";
import type { Setting } from "../../vocabulary.ts";
import { authorOf } from "../slack/people.tsx";
import { formattedDate } from "./dates.ts";
import { emoji } from "./emoji.ts";
import { mrkdwn, type Piece } from "./mrkdwn.ts";
import { safe } from "./safe-address.ts";

/** Slack breaks long lines of code. This channel is narrower than most in Slack, so columns stay whole and scroll. */
const COLUMNS = /\S {3,}\S/;

type Drawing = { readonly [K in Piece["kind"]]: (piece: Extract<Piece, { kind: K }>, setting: Setting) => JSX.Element };

const mention = (text: string): JSX.Element => <span class="mention">{text}</span>;

const drawings: Drawing = {
  text: ({ text }) => <>{text}</>,
  bold: ({ pieces }, setting) => <b>{drawn(pieces, setting)}</b>,
  italic: ({ pieces }, setting) => <i>{drawn(pieces, setting)}</i>,
  strike: ({ pieces }, setting) => <s>{drawn(pieces, setting)}</s>,
  quote: ({ pieces }, setting) => <blockquote>{drawn(pieces, setting)}</blockquote>,
  code: ({ text }) => <code>{text}</code>,
  block: ({ text }) => <pre class={COLUMNS.test(text) ? "columns" : ""}>{text}</pre>,
  break: () => <br />,
  link: ({ url, text }) => (
    <a href={safe(url)} target="_blank" rel="noreferrer">
      {text}
    </a>
  ),
  user: ({ id }, setting) => mention(`@${authorOf(id, setting).name}`),
  channel: ({ id, label }, setting) =>
    mention(`#${label ?? setting.channels.find((channel) => channel.id === id)?.name ?? id}`),
  group: ({ id, label }) => mention(label ?? `@${id}`),
  everybody: ({ id }) => mention(`@${id}`),
  date: ({ seconds, format }) => <>{formattedDate(seconds, format)}</>,
  emoji: ({ name }) => <>{emoji[name] ?? `:${name}:`}</>,
};

function drawn(pieces: readonly Piece[], setting: Setting): JSX.Element[] {
  return pieces.map((piece, index) => {
    const draw = drawings[piece.kind] as (piece: Piece, setting: Setting) => JSX.Element;
    return <span key={`${index} ${piece.kind}`}>{draw(piece, setting)}</span>;
  });
}

/** Text in Slack's mrkdwn. */
export const Mrkdwn = ({ text, setting }: { text: string; setting: Setting }) => <>{drawn(mrkdwn(text), setting)}</>;

/** A text object of Block Kit, of either type. */
export interface TextObject {
  readonly type: "mrkdwn" | "plain_text";
  readonly text: string;
}

const withEmoji = (text: string): string =>
  text.replace(/:([a-z0-9_+-]+):/g, (whole, name: string) => emoji[name] ?? whole);

/** Draws a text object: plain text knows no formatting but emoji. */
export const Text = ({ text, setting }: { text: TextObject; setting: Setting }) =>
  text.type === "mrkdwn" ? <Mrkdwn text={text.text} setting={setting} /> : <span>{withEmoji(text.text)}</span>;
