import { settled } from "./evidence.ts";
import type { Journey } from "./journey.ts";
import { type Name, people } from "./slack-users.ts";

interface Text {
  readonly text?: string;
}

interface Piece {
  readonly text?: Text | string;
  readonly elements?: readonly { readonly text?: Text | string }[];
}

const words = (text: Text | string | undefined): string => (typeof text === "string" ? text : (text?.text ?? ""));

/** Words of blocks, a line each; buttons in square brackets. */
export const readBlocks = (blocks: readonly object[]): string =>
  (blocks as readonly Piece[])
    .flatMap(({ text, elements = [] }) => [
      words(text),
      ...elements.map((element) =>
        typeof element.text === "object" ? `[${words(element.text)}]` : words(element.text),
      ),
    ])
    .filter((line) => line !== "")
    .join("\n");

/** Messages to this person alone, oldest first. */
export const privately = ({ simulator }: Journey, user: Name): string[] =>
  simulator.slack
    .messages()
    .filter(({ onlyTo }) => onlyTo === people[user])
    .map(({ blocks }) => readBlocks(blocks));

/** A table whose rows go on below their cells, each row in one line. */
export const rowsInLines = (table: string): string => table.replaceAll(/\n {2}(?=\S)/g, "  ");

/** Messages in the channel, threads left out, oldest first. */
export const openly = ({ simulator }: Journey): string[] =>
  simulator.slack
    .messages()
    .filter(({ onlyTo, threadTs, user }) => !onlyTo && threadTs === undefined && user.startsWith("U0CASEMENT"))
    .map(({ blocks }) => readBlocks(blocks));

/** Messages in the threads, oldest first. */
export const inThreads = ({ simulator }: Journey): string[] =>
  simulator.slack
    .messages()
    .filter(({ threadTs }) => threadTs !== undefined)
    .map(({ blocks }) => readBlocks(blocks));

/** Words of the topmost dialog in front of this person, with its buttons; "" when none is open. */
export function dialogOf({ simulator }: Journey, user: Name): string {
  const view = simulator.slack.ui.viewsOf(people[user]).at(-1);
  if (!view) return "";
  const buttons = [view.close, view.submit].flatMap((button) => (button ? [`[${words(button as Text)}]`] : []));
  return [words(view.title as Text), readBlocks(view.blocks), ...buttons].join("\n");
}

/** Types a command of the operator's that only they are answered, and waits for the answer. */
export async function answerTo(here: Journey, command: string): Promise<string> {
  await here.type("operator", command);
  await settled(here, 5);
  return privately(here, "operator").at(-1) ?? "";
}
