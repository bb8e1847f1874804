// One cold start: loads the bundle in the folder of the first argument and lets it answer the signed event of standard input.
// Node's modules are taken in a way that does not already load what the bundle would have to.
const { existsSync, readFileSync } = process.getBuiltinModule("node:fs");

const [, , folder] = process.argv;
// Lambda's runtime requires a CommonJS bundle and imports an ES module; it has the functions for both before it loads either.
const isCommonJs = existsSync(`${folder}/index.cjs`);
const require = process.getBuiltinModule("node:module").createRequire(import.meta.url);
const load = () => (isCommonJs ? require(`${folder}/index.cjs`) : import(`${folder}/index.mjs`));

const event = JSON.parse(readFileSync(0, "utf8"));
const began = performance.now();
const { handler } = await load();
const imported = performance.now();
const answer = await handler(event, {});
const answered = performance.now();
process.stdout.write(
  JSON.stringify({ import: imported - began, total: answered - began, status: answer.statusCode, body: answer.body }),
);
process.exit(0);
