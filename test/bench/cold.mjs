// One cold start: imports the bundle named by the first argument and lets it answer the signed event of standard input.
// Node's modules are taken in a way that does not already load what the bundle would have to.
const { readFileSync } = process.getBuiltinModule("node:fs");

const event = JSON.parse(readFileSync(0, "utf8"));
const began = performance.now();
const { handler } = await import(process.argv[2]);
const imported = performance.now();
const answer = await handler(event, {});
const answered = performance.now();
process.stdout.write(
  JSON.stringify({ import: imported - began, total: answered - began, status: answer.statusCode, body: answer.body }),
);
process.exit(0);
