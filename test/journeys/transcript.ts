import type { SeenMessage } from "../../lib/sandbox/slack/message-log.ts";
import { settled } from "./evidence.ts";
import type { Journey } from "./journey.ts";
import { dialogOf, readBlocks } from "./reading.ts";
import { type Name, people } from "./slack-users.ts";

/** Figures and names that another draw of the simulator's random numbers would change, each with what stands for it. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [/(?:-[0-9a-f]{8,10})?-[bcdfghjklmnpqrstvwxz2456789]{5}\b/g, "-…"],
  [/\b([a-z]+)-[0-9a-f]{8}\b/g, "$1-…"],
  [/\bi-0[0-9a-f]{16}\b/g, "i-…"],
  [/\b(?:[0-9a-f]{12,}|(?:[0-9A-F]{2}:){5,}[0-9A-F]{2})\b/gi, "<hex>"],
  [/<!date[^>]*>/g, "<time>"],
  [/!date\^\d+/g, "!date^…"],
  [/\/p\d{16}\b/g, "/p…"],
  [/\bEC2AMAZ-\w{7}\b/g, "EC2AMAZ-…"],
  [/\bprocess \d+/g, "process …"],
  [/\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z| UTC)?)?/g, "<time>"],
  [/\b\d\d:\d\d(?::\d\d)?\b/g, "<time>"],
  [/\b(?:\d+(?:d|h|m|s))+\b|\b\d+(?:\.\d+)? (?:min|minutes?|seconds?|hours?)\b/g, "<span>"],
  [/ {2,}/g, "  "],
];

const steady = (text: string): string =>
  CHANGING.reduce((so, [changing, steadily]) => so.replaceAll(changing, steadily), text);

const names = Object.keys(people) as Name[];

const nameOf = (user: string): string => Object.entries(people).find(([, id]) => id === user)?.[0] ?? user;

/** Does a message wait for a person? */
const isQuestion = (words: string): boolean => /\[(?:Approve|Keep for inspection)\]/.test(words);

/** Words of a message; those of its notification, which mostly are the first ones, once. */
function wordsOf({ text, blocks }: SeenMessage): string {
  const words = steady(readBlocks(blocks));
  const notified = steady(text);
  return words.startsWith(notified) ? words : `${notified}\n${words}`;
}

/** Writes down what people did, and what they read in consequence: new and changed messages and the dialog in front of them. */
export class Transcript {
  readonly #here: Journey;
  readonly #lines: string[] = [];
  readonly #shown = new Map<string, string>();
  readonly #dialogs = new Map<Name, string>();

  constructor(here: Journey) {
    this.#here = here;
  }

  /** Types a command, and waits for its end or its question. */
  async type(command: string, user: Name = "operator"): Promise<void> {
    await this.#here.type(user, `/win ${command}`);
    await this.#untilQuiet();
    this.note(`${user} types /win ${command}`);
  }

  /** Presses a button, and waits for the end of what it starts. */
  async press(user: Name, actionId: string): Promise<void> {
    await this.#here.press(user, actionId);
    await this.#untilQuiet();
    this.note(`${user} presses ${actionId}`);
  }

  /** Submits the topmost dialog, and waits for the end of what it starts. */
  async submit(user: Name, values?: Parameters<Journey["submit"]>[1]): Promise<void> {
    await this.#here.submit(user, values);
    await this.#untilQuiet();
    this.note(`${user} submits the dialog`);
  }

  /** Lets time pass. */
  async pass(minutes: number): Promise<void> {
    await this.#here.pass(minutes);
    this.note(`${minutes} minutes pass`);
  }

  /** Writes down what was done, and what is new since the last act. */
  note(act: string): void {
    const news = this.#news().map(({ ts, onlyTo, threadTs, words }) => {
      this.#shown.set(ts, words);
      const place = onlyTo ? `to the ${nameOf(onlyTo)}` : threadTs ? "in a thread" : "in the channel";
      return `--- ${place}\n${words}`;
    });
    const dialogs = this.#newDialogs().map(({ user, words }) => `--- in a dialog of the ${user}\n${words}`);
    for (const user of names) this.#dialogs.set(user, this.#dialogNow(user));
    this.#lines.push(`=== ${steady(act)}`, ...news, ...dialogs);
  }

  /** The whole text. */
  text(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  /** Messages that are not written down as they are now. */
  #news() {
    return this.#here.simulator.slack
      .messages()
      .filter(({ user }) => !Object.hasOwn(people, nameOf(user)))
      .map((message) => ({ ...message, words: wordsOf(message) }))
      .filter(({ ts, words }) => this.#shown.get(ts) !== words);
  }

  #dialogNow(user: Name): string {
    return steady(dialogOf(this.#here, user));
  }

  /** Dialogs in front of people that are not written down as they are now. */
  #newDialogs() {
    return names
      .map((user) => ({ user, words: this.#dialogNow(user) }))
      .filter(({ user, words }) => words !== "" && words !== this.#dialogs.get(user));
  }

  async #untilQuiet(): Promise<void> {
    const { lambda } = this.#here.simulator;
    const isOver = (): boolean =>
      lambda.executions().every(({ status }) => status !== "RUNNING") ||
      this.#news().some(({ words }) => isQuestion(words)) ||
      this.#newDialogs().length > 0;
    await this.#here.until(isOver, 400, "an end or a question");
  }
}

/** Lets everything end. @returns the transcript */
export async function ended(here: Journey, transcript: Transcript, minutes = 400): Promise<string> {
  await settled(here, minutes);
  transcript.note("everything has ended");
  return transcript.text();
}
