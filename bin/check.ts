import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";

/** Checks that run in parallel lanes; within a lane one after another. */
const lanes: readonly (readonly Check[])[] = [
  [
    {
      name: "types",
      command: "npm run --silent types",
      // The compiler is a Go program that ends within seconds: half of its time would go into collecting garbage.
      env: { GOGC: "off", GOMEMLIMIT: "4GiB" },
    },
    { name: "format and lint", command: "npm run --silent lint" },
    { name: "import cycles", command: "npm run --silent cycles" },
  ],
  [{ name: "tests", command: "npm run --silent test:fast" }],
];

interface Check {
  readonly name: string;
  readonly command: string;
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

interface Outcome extends Check {
  readonly passed: boolean;
}

/** Runs one check and prints its output after it has ended, so that the outputs of two checks never mix. */
const run = ({ name, command, env }: Check): Promise<Outcome> =>
  new Promise((resolve) => {
    const began = performance.now();
    let output = "";
    // The tools write to a pipe: the environment tells them whether the terminal has colours.
    const colours = process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" };
    const child = spawn(command, {
      env: { ...process.env, ...colours, ...env },
      shell: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const keep = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("close", (code) => {
      const seconds = ((performance.now() - began) / 1_000).toFixed(1);
      const verdict = code === 0 ? "ok    " : "FAILED";
      if (code !== 0 || name === "tests") console.log(`\n${output.trimEnd()}\n`);
      console.log(`${verdict} ${name} (${seconds} s): ${command}`);
      resolve({ name, command, passed: code === 0 });
    });
  });

const inOrder = async (checks: readonly Check[]): Promise<Outcome[]> => {
  const outcomes: Outcome[] = [];
  for (const check of checks) outcomes.push(await run(check));
  return outcomes;
};

await mkdir(".ci-output", { recursive: true });
const outcomes = (await Promise.all(lanes.map(inOrder))).flat();
const failed = outcomes.filter((outcome) => !outcome.passed);
const still = outcomes.filter((outcome) => outcome.name !== "tests");
const numFailedTests = still.filter((outcome) => !outcome.passed).length;
// In the format of Vitest's own report, so that .ci/run can add up both.
await writeFile(
  ".ci-output/checks.json",
  JSON.stringify({ numPassedTests: still.length - numFailedTests, numFailedTests, numPendingTests: 0 }),
);
console.log(
  failed.length === 0
    ? `\nAll ${outcomes.length} checks passed.`
    : `\n${failed.length} of ${outcomes.length} checks FAILED: ${failed.map(({ name }) => name).join(", ")}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
