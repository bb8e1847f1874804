import { expect } from "vitest";
import { demo } from "../../../../lib/sandbox/demo.ts";
import type { SeenMessage } from "../../../../lib/sandbox/slack/message-log.ts";
import { settled, spoken } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { readBlocks } from "../../reading.ts";

/** Most characters of a message that a person reads half awake: about forty seconds at 21 characters a second. */
const MOST = 800;

interface ShownButton {
  readonly action_id: string;
  readonly style?: string;
  readonly text: { readonly text: string };
}

const buttonsIn = ({ blocks }: SeenMessage): ShownButton[] =>
  (blocks as readonly { readonly type: string; readonly elements?: readonly ShownButton[] }[])
    .filter(({ type }) => type === "actions")
    .flatMap(({ elements = [] }) => elements);

/** Words as Slack renders them: dates in the reader's time, names for mentions; no marks, buttons and commands to copy. */
const rendered = (message: SeenMessage): string =>
  readBlocks(message.blocks)
    .replaceAll(/<!date\^[^|]*\|([^>]*)>/g, "$1")
    .replaceAll(/<[@!][^>]*>/g, "@somebody")
    .replaceAll(/<https?:[^|>]*\|([^>]*)>/g, "$1")
    .replaceAll(/^\[[^\]\n]*\]$|^ {2}kubectl .*$/gm, "")
    .replaceAll(/[`*_]/g, "")
    .trim();

/** A message of the channel as a person on call reads it. */
export interface NightMessage {
  /** Words without marks. */
  readonly words: string;
  /** Texts of the buttons, in order. */
  readonly buttons: readonly string[];
  /** Presses the button with this text, which must be shown. */
  press(text: string): Promise<unknown>;
}

/**
 * Reads the newest message of the channel whose title begins so, and expects what every message at night must be: short
 * enough, with one primary button at most, and no two buttons that read alike.
 * @param mayBeLong a plan lists every pod that it moves
 */
export function readAtNight(here: Journey, title: RegExp, mayBeLong = false): NightMessage {
  const message = spoken(here).channel.findLast(({ blocks }) => title.test(readBlocks(blocks)));
  if (!message) throw new Error(`the channel shows no message ${title}`);
  const words = rendered(message);
  const buttons = buttonsIn(message);
  const texts = buttons.map(({ text }) => text.text);
  if (!mayBeLong) expect(words.length, words).toBeLessThanOrEqual(MOST);
  expect(buttons.filter(({ style }) => style === "primary").length).toBeLessThanOrEqual(1);
  expect(new Set(texts).size).toBe(texts.length);
  return {
    words,
    buttons: texts,
    press: (text) => {
      const button = buttons.find((one) => one.text.text === text);
      if (!button) throw new Error(`the message shows ${texts.join(", ")}, not ${text}`);
      return here.press("operator", button.action_id, message.ts);
    },
  };
}

/** Replies that mention people, oldest first, each with the seconds since a time. @param since milliseconds */
export const callsSince = (here: Journey, since: number): { readonly words: string; readonly after: number }[] =>
  here.simulator.slack
    .messages()
    .filter(({ user, threadTs, onlyTo }) => user === demo.slack.botUserId && threadTs !== undefined && !onlyTo)
    .filter(({ blocks }) => /<[@!]/.test(readBlocks(blocks)))
    .map(({ blocks, ts }) => ({ words: readBlocks(blocks), after: Number(ts) - since / 1_000 }))
    .filter(({ after }) => after >= 0);

/** Seconds from an act until the channel shows its first words. */
export async function firstWord(here: Journey, act: () => Promise<unknown>): Promise<number> {
  const since = Date.now();
  const before = spoken(here).channel.length;
  await act();
  await here.until(() => spoken(here).channel.length > before, 10, "a first word");
  return (Date.now() - since) / 1_000;
}

/** Nothing is under way and nothing is asked: the story has an end. */
export async function expectEnd(here: Journey, minutes = 240): Promise<void> {
  await settled(here, minutes);
  const open = (await here.operations()).filter(({ endedAt }) => endedAt === null);
  expect(open.map(({ id }) => id)).toEqual([]);
}
