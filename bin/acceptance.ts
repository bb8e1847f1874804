import { stdin, stdout } from "node:process";
import { createInterface } from "node:readline/promises";
import { wordsOf as inWords } from "../lambdas/steps/client-errors.ts";
import { acceptance } from "./acceptance/acceptance.ts";

const interruption = new AbortController();
// The first Ctrl-C lets the run report what it leaves behind; the second ends it immediately.
process.once("SIGINT", () => interruption.abort());

async function question(text: string): Promise<string | null> {
  if (!stdin.isTTY) return null;
  const terminal = createInterface({ input: stdin, output: stdout });
  try {
    return await terminal.question(text, { signal: interruption.signal });
  } finally {
    terminal.close();
  }
}

// `npm run acceptance`: exit code 1 if a step failed, 2 if the run did not begin.
try {
  process.exitCode = await acceptance(process.argv.slice(2), process.env, {
    say: (line) => console.log(line),
    question,
    signal: interruption.signal,
  });
} catch (error) {
  console.error(`casement: ${inWords(error)}`);
  process.exitCode = 2;
}
