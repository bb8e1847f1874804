import { type Head, shortHash } from "../../audit/head.ts";
import type { Message } from "../../records/records.ts";
import { context } from "../slack/blocks.ts";
import { code } from "../slack/text.ts";

/** Head of an operation's audit as its last message holds it: who compares it later need not trust the ledger. */
export const auditNote = (head: Head): string => `audit ${code(shortHash(head))}`;

/** Adds the head to a last message; nothing to that of an operation without an audit. */
export const withAudit = (message: Message, head: Head | undefined): Message =>
  head ? { ...message, blocks: [...message.blocks, context(auditNote(head))] } : message;
