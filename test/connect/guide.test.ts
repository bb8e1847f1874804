import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cleanUp, emptyFolder, type Running, start } from "../outside/running.ts";

const root = resolve(import.meta.dirname, "../..");
const BLOCK = /^```sh\n([\s\S]*?)^```$/gm;
const [environment = "", ...steps] = [...readFileSync(join(root, "docs/deploy.md"), "utf8").matchAll(BLOCK)].map(
  ([, text = ""]) => text,
);

/** Our own scripts run as npm runs them; what a person types at a prompt comes from a pipe. */
const NPM = `#!/bin/bash
set -e
echo "npm $*" >> "$LOG"
[ "$1" = ci ] && exit 0
shift; [ "$1" = --silent ] && shift
script=$1; shift; [ "$1" = -- ] && shift
case "$script $1" in
  "connect discover") exec node "$ROOT/bin/connect.ts" "$@" --sandbox ;;
  "connect slack") exec node "$ROOT/bin/connect.ts" "$@" --from-stdin < secrets.json ;;
  "connect "*) exec node "$ROOT/bin/connect.ts" "$@" ;;
  "doctor "*) exec node "$ROOT/bin/connect.ts" check ;;
  "payload "*) exec node "$ROOT/bin/payload.ts" "$@" --yes --cache cache ;;
esac
exit 3
`;

/** CDK and AWS's own tools stand for themselves: the stack has its own tests. The cluster is the sandbox's. */
const standIn = (name: string, work: string): string => `#!/bin/bash\necho "${name} $*" >> "$LOG"\n${work}\n`;

let here: Running;

beforeAll(async () => {
  here = await start(emptyFolder());
  const bin = join(here.folder, "bin");
  mkdirSync(bin);
  const programs = {
    npm: NPM,
    npx: standIn("npx", 'case "$2" in synth) exec node "$ROOT/test/connect/read-configuration.ts" ;; esac'),
    aws: standIn("aws", ""),
    kubectl: standIn("kubectl", '[ -s "$3" ]'),
  };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  const { signingSecret, botToken } = here.endpoints;
  writeFileSync(join(here.folder, "secrets.json"), JSON.stringify({ signingSecret, botToken }), { mode: 0o600 });
});

afterAll(cleanUp);

/** Runs shell text as a person would paste it; the configuration's file is the guide's, but inside the test's folder. */
function shell(text: string, log: string) {
  const env = { PATH: `${join(here.folder, "bin")}:${process.env.PATH}`, HOME: here.folder, ROOT: root, LOG: log };
  const { status, stdout, stderr } = spawnSync("bash", ["-eu", "-c", text.replaceAll("../prod-west", "./prod-west")], {
    cwd: here.folder,
    env,
    encoding: "utf8",
  });
  return { code: status, said: `${stdout}${stderr}` };
}

const expected = steps
  .flatMap((step) => step.split("\n"))
  .filter((line) => line !== "")
  .map((line) => line.replace(/ > .*$/, ""));

const logged = (log: string): string[] => readFileSync(log, "utf8").trim().split("\n");

test("the guide's commands run one after another in one shell, with nothing typed beside the two secrets", () => {
  const log = join(here.folder, "one");
  const { code, said } = shell([environment, ...steps].join("\n"), log);
  expect(code, said).toBe(0);
  expect(said).not.toContain("FILL-IN");
  expect(logged(log)).toEqual(expected);
});

test("the guide's commands run in a new shell at each step that begins with its two lines", () => {
  const log = join(here.folder, "each");
  for (const step of steps) {
    const { code, said } = shell(`${environment}${step}`, log);
    expect(code, `${step}${said}`).toBe(0);
  }
  expect(logged(log)).toEqual(expected);
});
