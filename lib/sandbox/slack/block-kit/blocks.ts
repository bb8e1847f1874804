import { address, atLeastOne, byType, flag, list, object, oneOf, type Shape, string } from "./check.ts";
import { anyText, plain } from "./composition.ts";
import { accessories, actionElements, imageElement, inputElements } from "./elements.ts";
import { richText } from "./rich-text.ts";

// Limits of this file: Block Kit reference, blocks (docs.slack.dev/reference/block-kit/blocks), and @slack/types.

const contextText = anyText(3000);
const contextImage = byType({ image: imageElement });

const plainBlocks: Readonly<Record<string, Shape>> = {
  header: { required: { text: plain(150) } },
  section: {
    optional: {
      text: anyText(3000),
      fields: list(anyText(2000), { max: 10 }),
      accessory: byType(accessories),
      expand: flag,
    },
    rule: atLeastOne("text", "fields"),
  },
  context: {
    required: {
      elements: list(
        (value, pointer) =>
          (value as { type?: unknown } | null)?.type === "image"
            ? contextImage(value, pointer)
            : contextText(value, pointer),
        { max: 10 },
      ),
    },
  },
  actions: { required: { elements: list(byType(actionElements), { max: 25 }) } },
  divider: {},
  input: {
    required: { label: plain(2000), element: byType(inputElements) },
    optional: { hint: plain(2000), optional: flag, dispatch_action: flag },
  },
  rich_text: richText,
  image: { required: { image_url: address, alt_text: string({ max: 2000 }) }, optional: { title: plain(2000) } },
};

const cell = byType({ raw_text: { required: { text: string({ max: 3000 }) } }, rich_text: richText });

/** Blocks that Slack renders in messages only. */
const messageOnly: Readonly<Record<string, Shape>> = {
  markdown: { required: { text: string({ max: 12_000 }) } },
  table: {
    required: { rows: list(list(cell, { max: 20 }), { max: 100 }) },
    optional: {
      column_settings: list(object({ optional: { align: oneOf("left", "center", "right"), is_wrapped: flag } }), {
        max: 20,
      }),
    },
  },
};

const withBlockId = (shapes: Readonly<Record<string, Shape>>): Record<string, Shape> =>
  Object.fromEntries(
    Object.entries(shapes).map(([type, shape]) => [
      type,
      { ...shape, optional: { block_id: string({ max: 255 }), ...shape.optional } },
    ]),
  );

/** Blocks of a message, by type. */
export const messageBlocks = withBlockId({ ...plainBlocks, ...messageOnly });

/** Blocks of a modal, by type. */
export const modalBlocks = withBlockId(plainBlocks);
