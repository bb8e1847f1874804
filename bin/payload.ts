import { stdin, stdout } from "node:process";
import { createInterface } from "node:readline/promises";
import { wordsOf as inWords } from "../lambdas/steps/client-errors.ts";
import { payload } from "./payload/payload.ts";

async function question(text: string): Promise<string | null> {
  if (!stdin.isTTY) return null;
  const terminal = createInterface({ input: stdin, output: stdout });
  try {
    return await terminal.question(text);
  } finally {
    terminal.close();
  }
}

// `npm run payload`: exit code 2 if it could not be made; nothing of it is in use then.
try {
  await payload(process.argv.slice(2), process.env, {
    say: (line) => console.log(line),
    question,
    write: (text) => stdout.write(text),
    isTerminal: stdout.isTTY,
    now: Date.now,
  });
} catch (error) {
  console.error(`casement: ${inWords(error)}`);
  process.exitCode = 2;
}
