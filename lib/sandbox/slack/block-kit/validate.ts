import { messageBlocks, modalBlocks } from "./blocks.ts";
import {
  byType,
  type Check,
  type Fault,
  fault,
  flag,
  isObject,
  type Json,
  list,
  object,
  oneOf,
  string,
} from "./check.ts";
import { plain } from "./composition.ts";

/**
 * Characters of all blocks of a message together. Slack documents no figure: bolt-js issue 2509 measured 13,297 for the
 * text of a lone markdown block and less beside other blocks, so it is counted here over the serialised blocks.
 */
const MESSAGE_CHARACTERS = 13_330;
/** Views reference: "view_too_large … greater than 250kb". */
const VIEW_BYTES = 250 * 1024;

const parts = (block: Json): Json[] =>
  [block.accessory, block.element, ...(Array.isArray(block.elements) ? block.elements : [])].filter(isObject);

const repeated = (ids: readonly unknown[]): unknown[] =>
  ids.filter((id, index) => typeof id === "string" && ids.indexOf(id) !== index);

/** block_id is unique in a surface, action_id in its block. The sentences are assumed; that it is refused is not. */
const uniqueIds = (blocks: readonly unknown[], pointer: string): Fault[] => {
  const known = blocks.filter(isObject);
  const twice = repeated(known.map((block) => block.block_id));
  return [
    ...twice.flatMap((id) => fault(`block_id already exists: ${id}`, pointer)),
    ...known.flatMap((block, index) =>
      repeated(parts(block).map((part) => part.action_id)).flatMap((id) =>
        fault(`action_id already exists: ${id}`, `${pointer}/${index}`),
      ),
    ),
  ];
};

const surface = (shapes: typeof messageBlocks, max: number, min: number): Check => {
  const blocks = list(byType(shapes), { min, max });
  return (value, pointer) => [...blocks(value, pointer), ...(Array.isArray(value) ? uniqueIds(value, pointer) : [])];
};

/** Block Kit reference: up to 50 blocks in a message, up to 100 in a modal. */
const messageSurface = surface(messageBlocks, 50, 0);
const modalSurface = surface(modalBlocks, 100, 0);

/** Lengths: Views reference (docs.slack.dev/reference/views/modal-views). */
const modal: Check = object({
  required: { type: oneOf("modal"), title: plain(24), blocks: modalSurface },
  optional: {
    submit: plain(24),
    close: plain(24),
    private_metadata: string({ min: 0, max: 3000 }),
    callback_id: string({ min: 0, max: 255 }),
    external_id: string({ min: 0, max: 255 }),
    clear_on_close: flag,
    notify_on_close: flag,
  },
  rule: (view, pointer) => {
    const blocks = Array.isArray(view.blocks) ? view.blocks.filter(isObject) : [];
    const asks = blocks.some((block) => block.type === "input");
    return asks && !view.submit ? fault("must define `submit` to use an `input` block in modals", pointer) : [];
  },
});

/**
 * Checks a message's blocks as chat.postMessage does.
 * @param blocks whatever the caller sent
 * @returns faults with pointers beginning at /blocks; none when Slack would take them
 */
export const messageFaults = (blocks: unknown): Fault[] => messageSurface(blocks, "/blocks");

/**
 * Checks a view as views.open does.
 * @returns faults with pointers beginning at /view
 */
export const viewFaults = (view: unknown): Fault[] => modal(view, "/view");

/** Finds out whether valid blocks are too much for one message (msg_blocks_too_long). */
export const tooLongTogether = (blocks: readonly unknown[]): boolean =>
  JSON.stringify(blocks).length > MESSAGE_CHARACTERS;

/** Finds out whether a view is larger than Slack's 250 KB. */
export const viewTooLarge = (view: unknown): boolean => Buffer.byteLength(JSON.stringify(view)) > VIEW_BYTES;

/** A fault as Slack writes it: "must be less than 3001 characters [json-pointer:/blocks/0/text/text]". */
export const sentence = (one: Fault): string => `${one.message} [json-pointer:${one.pointer}]`;

const withActionIds = (block: Json, newId: () => string): Json => {
  const named = (part: unknown): unknown =>
    isObject(part) && interactive.has(String(part.type)) ? { action_id: newId(), ...part } : part;
  return {
    ...block,
    ...("accessory" in block && { accessory: named(block.accessory) }),
    ...("element" in block && { element: named(block.element) }),
    ...(Array.isArray(block.elements) && { elements: block.elements.map(named) }),
  };
};

const interactive = new Set(["button", "static_select", "overflow", "checkboxes", "radio_buttons", "plain_text_input"]);

/**
 * The blocks as Slack keeps them: a block or element sent without an id gets one.
 * @param newId makes a short random id
 */
export const withIds = (blocks: readonly Json[], newId: () => string): Json[] =>
  blocks.map((block) => ({ block_id: newId(), ...withActionIds(block, newId) }));
