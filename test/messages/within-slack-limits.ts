import { expect } from "vitest";
import type { Block } from "../../lambdas/records/records.ts";
import { checkedContent } from "../../lib/sandbox/slack/message-content.ts";

const textOf = (block: Block): string => (block as { text?: { text: string } }).text?.text ?? "";

/** Fails unless Slack would take these blocks, singly and together, and every code block in them is closed. */
export function expectWithinSlackLimits(blocks: readonly Block[]): void {
  let ids = 0;
  expect(() => checkedContent({ text: "", blocks: [...blocks] }, () => `id-${ids++}`)).not.toThrow();
  expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(13_200);
  for (const block of blocks) expect(textOf(block).split("```").length % 2, "code blocks are closed").toBe(1);
}
