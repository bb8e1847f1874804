import { expect } from "vitest";
import type { Block } from "../../lambdas/records.ts";

interface Texted {
  readonly text?: { readonly type: string; readonly text: string };
  readonly elements?: readonly { readonly type: string; readonly text?: unknown; readonly value?: string }[];
  readonly block_id?: string;
}

/** The most characters of a block's text by its type (Block Kit reference). */
const TEXT: Readonly<Record<string, number>> = { section: 3_000, header: 150 };

function expectBlock(block: Block): void {
  const { text, elements = [], block_id = "" } = block as Texted;
  if (text) expect(text.text.length).toBeLessThanOrEqual(TEXT[block.type] ?? 0);
  if (text) expect(text.text.length).toBeGreaterThan(0);
  if (text?.type === "mrkdwn") expect(text.text.split("```").length % 2, "code blocks are closed").toBe(1);
  expect(elements.length).toBeLessThanOrEqual(block.type === "context" ? 10 : 25);
  for (const { value = "" } of elements) expect(value.length).toBeLessThanOrEqual(2_000);
  expect(block_id.length).toBeLessThanOrEqual(255);
}

/** Fails unless Slack would take these blocks: their number, their texts, their ids, and the whole. */
export function expectWithinSlackLimits(blocks: readonly Block[], most = 50): void {
  expect(blocks.length).toBeLessThanOrEqual(most);
  expect(JSON.stringify(blocks).length).toBeLessThanOrEqual(13_200);
  for (const block of blocks) expectBlock(block);
  const ids = blocks.flatMap((block) => (block as Texted).block_id ?? []);
  expect(new Set(ids).size).toBe(ids.length);
}
