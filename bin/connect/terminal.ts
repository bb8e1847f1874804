import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";

/** The terminal of a task that asks for something. */
export interface Terminal {
  /** Does a person sit at it? */
  readonly isInteractive: boolean;
  /** Asks a question; a hidden answer is not shown while it is typed. */
  ask(question: string, isHidden?: boolean): Promise<string>;
  /** Prints a line that is not part of the outcome, which may be piped on. */
  note(line: string): void;
  /** Reads everything that was piped in. */
  read(): Promise<string>;
}

/** The terminal of this process. */
export const ownTerminal: Terminal = {
  isInteractive: process.stdin.isTTY === true,
  ask: async (question, isHidden = false) => {
    process.stdout.write(question);
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: process.stdin, output: isHidden ? silent : process.stdout, terminal: true });
    try {
      return await lines.question("");
    } finally {
      lines.close();
      if (isHidden) process.stdout.write("\n");
    }
  },
  note: (line) => console.error(line),
  read: () => text(process.stdin),
};
