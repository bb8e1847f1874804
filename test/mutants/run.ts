// Measures the fast tests: changes the code of lambdas/ in one place at a time, and counts the changes that no test notices.
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { seededRandom } from "../../lib/sandbox/core/random.ts";
import { draw, keyOf, type Mutant } from "./draw.ts";
import { DRAWN } from "./drawn.ts";

/** A mutant after the tests have run; its line is counted from 1. */
interface Result extends Mutant {
  readonly status: string;
}

/** Parts of Stryker that this program uses: it is installed for this command alone. */
interface Instrumenter {
  instrument(
    files: readonly { readonly name: string; readonly content: string; readonly mutate: true }[],
    options: { readonly plugins: null; readonly ignorers: []; readonly excludedMutations: [] },
  ): Promise<{ readonly mutants: readonly Mutant[] }>;
}
interface Stryker {
  runMutationTest(): Promise<readonly Result[]>;
}

const { values } = parseArgs({
  options: {
    sample: { type: "string", default: "100" },
    seed: { type: "string", default: "1" },
    concurrency: { type: "string", default: "2" },
  },
});

const tool = createRequire(resolve("test/mutants/tool/package.json"));
const load = async (name: string) => import(tool.resolve(`@stryker-mutator/${name}`));

/** Lists every mutant of the code that runs in the cloud. */
async function allMutants(): Promise<readonly Mutant[]> {
  const silent = { isDebugEnabled: () => false, debug: () => {}, info: () => {}, warn: () => {} };
  const instrumenter: Instrumenter = new (await load("instrumenter")).Instrumenter(silent);
  const files = globSync("lambdas/**/*.ts").sort();
  const read = files.map((name) => ({
    name: resolve(name),
    content: readFileSync(name, "utf8"),
    mutate: true as const,
  }));
  return (await instrumenter.instrument(read, { plugins: null, ignorers: [], excludedMutations: [] })).mutants;
}

/** The range of a mutant in Stryker's words: lines counted from 1, columns from 0. */
const rangeOf = ({ fileName, location: { start, end } }: Mutant): string =>
  `${relative(".", fileName)}:${start.line + 1}:${start.column}-${end.line + 1}:${end.column}`;

async function judge(drawn: readonly Mutant[]): Promise<readonly Result[]> {
  const stryker: Stryker = new (await load("core")).Stryker({
    mutate: drawn.map(rangeOf),
    plugins: [tool.resolve("@stryker-mutator/vitest-runner"), resolve("test/mutants/drawn.ts")],
    checkers: ["drawn"],
    testRunner: "vitest",
    vitest: { configFile: "test/mutants/vitest.config.ts", related: false },
    coverageAnalysis: "perTest",
    // What runs only while a module loads is under test in every file: judging it takes all tests each time.
    ignoreStatic: true,
    // Tests compare files with what others say of them, so no file may get a line that it has not.
    disableTypeChecks: false,
    // Stryker would rewrite paths in a tsconfig.json with TypeScript 6; this one has none to rewrite.
    tsconfigFile: "none",
    concurrency: Number(values.concurrency),
    timeoutMS: 30_000,
    dryRunTimeoutMinutes: 30,
    reporters: ["progress-append-only"],
    tempDirName: ".ci-output/mutants",
    ignorePatterns: [".ci-output", ".bench", "cdk.out", "test/mutants/tool"],
    allowConsoleColors: false,
  });
  return stryker.runMutationTest();
}

const byStatus = (results: readonly Result[], ...statuses: string[]): readonly Result[] =>
  results.filter(({ status }) => statuses.includes(status));

const lineOf = ({ fileName, location, mutatorName, replacement, status }: Result): string =>
  `${relative(".", fileName)}:${location.start.line} ${mutatorName} ${status}: ${replacement.replaceAll(/\s+/g, " ").slice(0, 80)}`;

const all = await allMutants();
const drawn = draw(all, Number(values.sample), seededRandom(Number(values.seed)));
mkdirSync(".ci-output", { recursive: true });
writeFileSync(DRAWN, JSON.stringify(drawn.map(keyOf)));
console.log(`${drawn.length} of ${all.length} mutants of lambdas/ are drawn with seed ${values.seed}`);

const results = await judge(drawn);
const killed = byStatus(results, "Killed", "Timeout").length;
const unnoticed = byStatus(results, "Survived", "NoCoverage");
const judged = killed + unnoticed.length;
console.log(unnoticed.map(lineOf).sort().join("\n"));
console.log(`${killed} of ${judged} mutants killed: ${Math.round((100 * killed) / judged)} %`);
console.log(`${byStatus(results, "NoCoverage").length} of the others are in code that no test runs`);
console.log(`${drawn.length - judged} of those drawn are left out: they run only while a module loads`);
