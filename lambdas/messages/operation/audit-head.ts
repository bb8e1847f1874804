import { type Head, shortHash } from "../../audit/head.ts";
import type { Message } from "../../records/records.ts";
import { context } from "../slack/blocks.ts";
import { code } from "../slack/text.ts";

/** Head of an operation's audit, for its last message: a reader who compares it later need not trust the ledger. */
export const auditNote = (head: Head): string => `audit ${code(shortHash(head))}`;

/** Adds the audit's head to a last message; leaves the message of an operation without an audit as it is. */
export const withAudit = (message: Message, head: Head | undefined): Message =>
  head ? { ...message, blocks: [...message.blocks, context(auditNote(head))] } : message;
