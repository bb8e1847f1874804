/** A piece of formatted text. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "bold" | "italic" | "strike" | "quote"; readonly pieces: readonly Piece[] }
  | { readonly kind: "code" | "block"; readonly text: string }
  | { readonly kind: "break" }
  | { readonly kind: "link"; readonly url: string; readonly text: string }
  | {
      readonly kind: "user" | "channel" | "group" | "everybody";
      readonly id: string;
      readonly label: string | undefined;
    }
  | { readonly kind: "date"; readonly seconds: number; readonly format: string; readonly fallback: string }
  | { readonly kind: "emoji"; readonly name: string };

const ENTITIES: Readonly<Record<string, string>> = { "&amp;": "&", "&lt;": "<", "&gt;": ">" };

/** Decodes Slack's three entities; Slack knows no others. */
export const unescaped = (text: string): string => text.replace(/&(?:amp|lt|gt);/g, (entity) => ENTITIES[entity] ?? "");

const plain = (text: string): Piece[] => (text === "" ? [] : [{ kind: "text", text: unescaped(text) }]);

/** Reads the text between < and >: mentions, links and dates (docs.slack.dev/messaging/formatting-message-text). */
function angled(inside: string): Piece {
  const [head = "", label] = inside.split(/\|(.*)/s);
  const date = /^!date\^(\d+)\^([^^]+)/.exec(head);
  if (date) return { kind: "date", seconds: Number(date[1]), format: date[2] ?? "", fallback: label ?? "" };
  if (head.startsWith("@")) return { kind: "user", id: head.slice(1), label };
  if (head.startsWith("#")) return { kind: "channel", id: head.slice(1), label };
  if (head.startsWith("!subteam^")) return { kind: "group", id: head.slice("!subteam^".length), label };
  if (head.startsWith("!")) return { kind: "everybody", id: head.slice(1), label };
  return { kind: "link", url: unescaped(head), text: unescaped(label ?? head) };
}

/** Formatting within a line, in order of precedence: code holds no other formatting, marks hold anything but code fences. */
const inlineForms: readonly (readonly [RegExp, (inside: string) => Piece])[] = [
  [/`([^`\n]+)`/, (text) => ({ kind: "code", text: unescaped(text) })],
  [/<([^<>\n]+)>/, angled],
  [/(?<![\w*])\*(\S(?:[^*\n]*\S)?)\*(?![\w*])/, (text) => ({ kind: "bold", pieces: inline(text) })],
  [/(?<![\w_])_(\S(?:[^_\n]*\S)?)_(?![\w_])/, (text) => ({ kind: "italic", pieces: inline(text) })],
  [/(?<![\w~])~(\S(?:[^~\n]*\S)?)~(?![\w~])/, (text) => ({ kind: "strike", pieces: inline(text) })],
  [/(?<!\w):([a-z0-9_+-]+):/, (name) => ({ kind: "emoji", name })],
];

/** The form that begins first; of two that begin at the same place, the one listed first. */
function firstForm(text: string): { readonly match: RegExpExecArray; readonly piece: Piece } | undefined {
  const found = inlineForms.flatMap(([pattern, make]) => {
    const match = pattern.exec(text);
    return match ? [{ match, make }] : [];
  });
  const first = found.sort((one, other) => one.match.index - other.match.index)[0];
  return first && { match: first.match, piece: first.make(first.match[1] ?? "") };
}

function inline(text: string): Piece[] {
  const pieces: Piece[] = [];
  let rest = text;
  for (let form = firstForm(rest); form; form = firstForm(rest)) {
    pieces.push(...plain(rest.slice(0, form.match.index)), form.piece);
    rest = rest.slice(form.match.index + form.match[0].length);
  }
  return [...pieces, ...plain(rest)];
}

const QUOTE = /^(?:&gt;|>) ?/;

const joined = (lines: readonly string[]): Piece[] =>
  lines.flatMap((line, index): Piece[] => [...(index > 0 ? [{ kind: "break" } as const] : []), ...inline(line)]);

/** Lines of prose: neighbouring lines that begin with ">" are one quotation. */
function prose(text: string): Piece[] {
  const groups: { quoted: boolean; lines: string[] }[] = [];
  for (const line of text.split("\n")) {
    const quoted = QUOTE.test(line);
    const last = groups.at(-1);
    if (last?.quoted === quoted) last.lines.push(line.replace(QUOTE, ""));
    else groups.push({ quoted, lines: [line.replace(QUOTE, "")] });
  }
  return groups.flatMap(({ quoted, lines }): Piece[] =>
    quoted ? [{ kind: "quote", pieces: joined(lines) }] : joined(lines),
  );
}

/**
 * Reads Slack's mrkdwn.
 * @param text as an app sends it, with &amp; &lt; &gt; for the three characters
 * @returns pieces in order; text in them is ready to show
 */
export function mrkdwn(text: string): Piece[] {
  return text.split(/```\n?([\s\S]+?)\n?```\n?/).flatMap((part, index): Piece[] => {
    if (index % 2 === 1) return [{ kind: "block", text: unescaped(part) }];
    return part === "" ? [] : prose(part.replace(/\n$/, ""));
  });
}
