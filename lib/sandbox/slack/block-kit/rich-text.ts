import { address, byType, flag, list, object, oneOf, type Shape, string, whole } from "./check.ts";

// The parts of rich text that a program writes; source: Block Kit reference, rich text block. Counts are assumed.

const style = object({ optional: { bold: flag, italic: flag, strike: flag, code: flag } });

const inline: Readonly<Record<string, Shape>> = {
  text: { required: { text: string({ max: 3000 }) }, optional: { style } },
  link: { required: { url: address }, optional: { text: string({ max: 3000 }), unsafe: flag, style } },
  emoji: { required: { name: string({ max: 100 }) }, optional: { unicode: string({ max: 100 }) } },
  user: { required: { user_id: string({ max: 50 }) }, optional: { style } },
  channel: { required: { channel_id: string({ max: 50 }) }, optional: { style } },
};

const inlines = list(byType(inline), { min: 0, max: 500 });
const section: Shape = { required: { elements: inlines } };

const parts: Readonly<Record<string, Shape>> = {
  rich_text_section: section,
  rich_text_quote: { ...section, optional: { border: whole(0, 1) } },
  rich_text_preformatted: { ...section, optional: { border: whole(0, 1), language: string({ max: 50 }) } },
  rich_text_list: {
    required: {
      style: oneOf("bullet", "ordered"),
      elements: list(byType({ rich_text_section: section }), { max: 500 }),
    },
    optional: { indent: whole(0, 8), offset: whole(0, 1_000_000), border: whole(0, 1) },
  },
};

/** A rich_text block or table cell. */
export const richText: Shape = { required: { elements: list(byType(parts), { max: 500 }) } };
