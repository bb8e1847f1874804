import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { allowed, cycles, violations } from "./fixtures.ts";

const root = join(import.meta.dirname, "../../..");
let project: string;

/** Runs a tool of node_modules/.bin in the laid-out project; a checker that finds something exits with 1. */
const run = (tool: string, ...args: string[]): Promise<string> =>
  new Promise((resolve) => {
    const options = { cwd: project, maxBuffer: 16_000_000, timeout: 15_000 };
    execFile(join(root, "node_modules/.bin", tool), args, options, (_error, stdout) => resolve(stdout));
  });

const lay = async (path: string, source: string): Promise<void> => {
  await mkdir(dirname(join(project, path)), { recursive: true });
  await writeFile(join(project, path), source);
};

let lintLines: string[];

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), "casement-lint-"));
  for (const file of ["biome.json", ".oxlintrc.json", "knip.json", "package.json", "test/lint"]) {
    await cp(join(root, file), join(project, file), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(project, "node_modules"));
  for (const { path, source } of [...violations, ...allowed, ...cycles]) await lay(path, source);
  // A program of two files: the fixtures of the other rules are not worth a compiler's time.
  const { compilerOptions } = JSON.parse(await readFile(join(root, "tsconfig.json"), "utf8"));
  await lay(
    "tsconfig.json",
    JSON.stringify({ compilerOptions, include: ["lib/wrong.ts", "lambdas/change/unawaited.ts"] }),
  );
  const report = await run("biome", "lint", "--reporter=github", "--max-diagnostics=none", "lambdas", "lib", "bin");
  lintLines = report.split("\n").filter((line) => line.startsWith("::"));
});

afterAll(() => rm(project, { recursive: true, force: true }));

const saidOf = (path: string): string => lintLines.filter((line) => line.includes(`/${path},`)).join("\n");

test.each(violations)("Biome refuses $path: $says", ({ path, says }) => {
  expect(saidOf(path)).toContain(says);
});

test.each(allowed)("Biome leaves $path alone", ({ path }) => {
  expect(saidOf(path)).toBe("");
});

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: { readonly line: number } }[];
}

const diagnostics = async (...args: string[]): Promise<readonly Diagnostic[]> =>
  (JSON.parse(await run("oxlint", "--format=json", ...args)) as { diagnostics: readonly Diagnostic[] }).diagnostics;

test("oxlint finds modules that import each other, also if they import types alone", async () => {
  const found = (await diagnostics("lib")).filter(({ code }) => code === "import(no-cycle)");
  expect(found.map(({ filename }) => filename).sort()).toEqual(cycles.map(({ path }) => path).sort());
});

test("the compiler refuses a wrong type, and an import without its extension", async () => {
  await lay("lib/wrong.ts", 'import { used } from "./any";\n\nexport const wrong: string = used(1) as number;\n');
  const said = await run("tsc", "--incremental", "false", "--tsBuildInfoFile", "null", "--pretty", "false");
  expect(said.match(/(?<=wrong.ts.*error )TS\d+/g)).toEqual(["TS2835", "TS2322"]);
});

test("knip finds a package that package.json does not name", async () => {
  await lay("bin/undeclared.ts", 'import "left-pad";\n');
  expect(await run("knip", "--include=unlisted", "--no-progress")).toContain("left-pad");
});

test("oxlint finds a durable operation that nobody awaits, and only that one", async () => {
  await lay(
    "lambdas/change/unawaited.ts",
    `import type { DurableContext } from "@aws/durable-execution-sdk-js";

export const unawaited = async (context: DurableContext): Promise<void> => {
  const operations = { begin: () => context.step("lost", async () => 1) };
  operations.begin();
  await operations.begin();
};
`,
  );
  const found = await diagnostics("--type-aware", "lambdas/change/unawaited.ts");
  expect(found.map(({ code, labels }) => [code, labels[0]?.span.line])).toEqual([
    ["typescript(no-floating-promises)", 5],
  ]);
});
