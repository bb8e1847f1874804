// A process that lives on: answers each event of standard input, a line each, one after the other, and tells the times.
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";

const [, , folder] = process.argv;
const { handler } = await import(`${folder}/index.${existsSync(`${folder}/index.cjs`) ? "cjs" : "mjs"}`);
const times = [];
for await (const line of createInterface({ input: process.stdin })) {
  const event = JSON.parse(line);
  const began = performance.now();
  const { statusCode } = await handler(event, {});
  if (statusCode !== 200) throw new Error(`answered ${statusCode}`);
  times.push(performance.now() - began);
}
process.stdout.write(JSON.stringify(times));
process.exit(0);
