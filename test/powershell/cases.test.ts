import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { packed } from "../../lambdas/machine/questions.ts";
import { answersIn } from "../../lambdas/machine/result-lines.ts";
import { applyCases } from "../machine-cases/apply-cases.ts";
import { GUARD_RECORD, type MachineCase } from "../machine-cases/case.ts";
import { guardCases } from "../machine-cases/guard-cases.ts";
import { judge, judgeSettled, type Seen } from "../machine-cases/judge.ts";
import { observeCases } from "../machine-cases/observe-cases.ts";
import { questionCases } from "../machine-cases/question-cases.ts";
import { rebootCases } from "../machine-cases/reboot-cases.ts";
import { registriesCases } from "../machine-cases/registries-cases.ts";
import { renewalFiles } from "../machine-cases/renewal.ts";
import { routeCases } from "../machine-cases/route-cases.ts";
import { freshMachine, type Machine } from "../machine-cases/windows.ts";
import type { Instead } from "./account.ts";
import { pwsh } from "./pwsh.ts";
import { type Ended, type ScriptHost, scriptHost, suite } from "./run.ts";

const onDisk = (root: string, path: string): string => join(root, ...path.slice(3).split("\\"));

/** Converts Windows' paths anywhere in a text into paths below the folder that serves as its disk. */
const toDisk = <T>(root: string, value: T): T =>
  JSON.parse(
    JSON.stringify(value, (key, one) =>
      typeof one === "string" && key !== "description" ? toRoot(root, one) : one,
    ).replaceAll(/"C:(\\\\[^"]*)":/g, (_, rest: string) => `"${root}${rest.replaceAll("\\\\", "/")}":`),
  );
const toRoot = (root: string, text: string): string =>
  text.replaceAll(/C:(\\[^\s",;]*)/g, (_, rest: string) => `${root}${rest.replaceAll("\\", "/")}`);

/** Converts paths back into Windows' paths. */
const fromRoot = (root: string, text: string): string =>
  text
    .split(root)
    .map((part, at) => {
      if (at === 0) return part;
      const path = /^[^\s",;]*/.exec(part)?.[0] ?? "";
      return `C:${path.replaceAll("/", "\\")}${part.slice(path.length)}`;
    })
    .join("");
const fromDisk = (root: string, machine: Machine): Machine => {
  const back = (value: unknown): unknown => {
    if (typeof value === "string") return fromRoot(root, value);
    if (Array.isArray(value)) return value.map(back);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [fromRoot(root, key), back(one)]));
  };
  return back(machine) as Machine;
};

function keepSecrets({ account }: ScriptHost, { secrets = {} }: MachineCase): void {
  for (const [name, versions] of Object.entries(secrets))
    for (const { version, text } of versions) account.keep(name, text, { version });
}

function lay(one: MachineCase): ScriptHost {
  const here = scriptHost(freshMachine());
  here.change(toDisk(here.root, { ...freshMachine(one.before), processes: one.held ?? [] }));
  const file = (path: string): string => onDisk(here.root, path);
  keepSecrets(here, one);
  for (const path of one.folders ?? []) mkdirSync(file(path), { recursive: true });
  for (const path of one.links ?? []) symlinkSync(here.path("Casement"), file(path));
  // A folder cannot be replaced, like the file of a running program.
  for (const path of one.held ?? []) mkdirSync(file(path));
  if (one.full) mkdirSync(`${file(GUARD_RECORD)}.casement-new`);
  const renewed = one.renewal ? renewalFiles(one.renewal, (value) => toDisk(here.root, value)) : {};
  for (const [path, text] of Object.entries({ ...one.files, ...renewed })) {
    mkdirSync(dirname(file(path)), { recursive: true });
    here.write(file(path), text);
  }
  return here;
}

const refusalOf = ({ code, message }: NonNullable<MachineCase["registryRefusal"]>): Instead => ({
  status: 400,
  headers: { "content-type": "application/x-amz-json-1.1" },
  body: JSON.stringify({ __type: code, message }),
});

async function send(here: ScriptHost, one: MachineCase): Promise<Ended> {
  const request = one.request?.(Math.floor(Date.now() / 1000));
  if (request !== undefined) return here.send(one.script, toDisk(here.root, request));
  if (one.registryRefusal) here.account.instead(refusalOf(one.registryRefusal));
  if (one.script === "registries") return here.run(one.script, { ...one.arguments });
  return here.run(one.script, {
    StateFile: onDisk(here.root, GUARD_RECORD),
    PauseSeconds: 1,
    WindowSeconds: 30,
    ...one.arguments,
  });
}

async function run(here: ScriptHost, one: MachineCase): Promise<Seen> {
  const release = one.busy ? await here.hold() : () => undefined;
  const { exitCode, stdout, stderr } = await send(here, one).finally(release);
  expect(stderr).toBe("");
  // An exit code of a process has eight bits here; Windows keeps all of it.
  return {
    exitCode: exitCode === 3010 % 256 ? 3010 : exitCode,
    stdout: stdout
      .split("\n")
      .map((line) => (line.startsWith("answers ") ? backInAnswers(here.root, line) : backInJson(here.root, line)))
      .join("\n"),
    machine: fromDisk(here.root, here.machine()),
    read: (path) => {
      const file = onDisk(here.root, path);
      return existsSync(file) ? fromRoot(here.root, readFileSync(file, "utf8")) : null;
    },
  };
}

/** Converts the paths in a JSON line back into Windows' paths. */
const backInJson = (root: string, line: string): string => {
  if (!line.startsWith("{")) return line;
  return JSON.stringify(fromDisk(root, JSON.parse(line))).replaceAll(
    /[^ -~]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
};

/** Converts the paths in the packed answers of observe.ps1. */
function backInAnswers(root: string, line: string): string {
  const answers = answersIn(`${line}\n{}`);
  return answers ? `answers ${packed(JSON.parse(backInJson(root, JSON.stringify(answers))))}` : line;
}

// The same cases run on the simulated machine with each `npm test`: test/sandbox/machine/cases.test.ts.
describe.skipIf(!pwsh).each([
  [suite("apply.ps1 under PowerShell"), applyCases],
  [suite("guard.ps1 under PowerShell"), guardCases],
  [suite("observe.ps1 under PowerShell"), observeCases],
  [suite("observe.ps1's questions under PowerShell"), questionCases],
  [suite("reboot.ps1 under PowerShell"), rebootCases],
  [suite("registries.ps1 under PowerShell"), registriesCases],
  [suite("route.ps1 under PowerShell"), routeCases],
] as const)("%s", (_, cases) => {
  let here: ScriptHost;
  afterEach(() => here.close());

  it.for(cases)("$name", async (one) => {
    here = lay(one);
    const seen = await run(here, one);
    judge(one, seen);
    if (one.settles) judgeSettled(one, await run(here, one), seen.machine);
    expect.hasAssertions();
  });
});
