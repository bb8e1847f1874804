import { dialogOf } from "../../commands/request.ts";
import type { Block, Message } from "../../records/records.ts";
import { limits, plainText, section } from "../slack/blocks.ts";
import { REMOVE_DIALOG } from "../slack/buttons.ts";
import { sign } from "../slack/signs.ts";
import { code } from "../slack/text.ts";

/** A modal as Slack takes it. */
export interface Dialog {
  readonly type: "modal";
  readonly callback_id: string;
  readonly external_id: string;
  /** The operation's id. */
  readonly private_metadata: string;
  readonly notify_on_close: boolean;
  readonly title: object;
  readonly close: object;
  readonly submit?: object;
  readonly blocks: readonly Block[];
}

/** Builds a modal of a removal. @param close label of the button that changes nothing */
export const removalModal = (operation: string, close: string, blocks: readonly Block[], submit?: string): Dialog => ({
  type: "modal",
  callback_id: REMOVE_DIALOG,
  external_id: dialogOf(operation),
  private_metadata: operation,
  notify_on_close: true,
  title: plainText("Remove a node"),
  close: plainText(close),
  ...(submit ? { submit: plainText(submit) } : {}),
  blocks: blocks.slice(0, limits.modalBlocks),
});

/** Dialog shown while the facts are read: it can only be closed. */
export const removalSkeleton = (operation: string, typed: string): Dialog =>
  removalModal(operation, "Keep", [
    section(`${sign.running} Reading the instance, pods and local data of ${code(typed)}…`),
  ]);

/** Dialog of a refused removal: the reason and the next step. */
export const removalRefused = (operation: string, refusal: Message): Dialog =>
  removalModal(operation, "Close", refusal.blocks);

/** Dialog that replaces the first one when "Remove" had no effect; closing it is not reported. */
export const removalNotice = (operation: string, { blocks }: Message): Dialog => ({
  ...removalModal(operation, "Close", blocks),
  notify_on_close: false,
});
