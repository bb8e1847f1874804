import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { vectors } from "../sandbox/aws/signature-vectors.ts";
import { malformedActions } from "../sandbox/machine/malformed-actions.ts";
import { guardTask, kubelet, proxyVariable, rule } from "./applying.ts";
import { pwsh } from "./pwsh.ts";
import { suite } from "./run.ts";

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const shared = (name: string): string => here(`../../lambdas/scripts/shared/${name}.ps1`);

/** Runs a script of the test over cases; returns its lines. */
function linesOf(script: string, given: readonly string[], cases: readonly object[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), "casement-functions-"));
  try {
    const file = join(folder, "cases.json");
    writeFileSync(file, JSON.stringify(cases));
    const words = ["-NoProfile", "-NonInteractive", "-File", here(script), ...given, "-CasesFile", file];
    const env = { ...process.env, SystemDrive: folder };
    return execFileSync(pwsh ?? "", words, { encoding: "utf8", timeout: 200_000, env })
      .trim()
      .split(/\r?\n/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.skipIf(!pwsh)(suite("functions of the scripts"), () => {
  it("sign requests as in AWS's published examples", () => {
    const signed = linesOf("sign.ps1", ["-HashFile", shared("hash"), "-Functions", shared("aws")], vectors);
    expect(vectors.map(({ name }, at) => `${name} ${signed[at]}`)).toEqual(
      vectors.map(({ name, signature }) => `${name} ${signature}`),
    );
  });

  it("name a full disk and a broken WMI by Windows' numbers, in whatever language it speaks", () => {
    const cases = [
      { kind: "exception", number: "80070070" },
      { kind: "exception", number: "80070027" },
      { kind: "id", number: "800706ba" },
      { kind: "exception", number: "80070005" },
    ];
    expect(linesOf("code.ps1", ["-CausesFile", shared("causes")], cases)).toEqual([
      "80070070 disk-full",
      "80070027 disk-full",
      "800706ba wmi-broken",
      "80070005",
    ]);
  });

  it("refuse a malformed action with the simulated machine's message", () => {
    const given = ["-SessionFile", shared("session"), "-ActionFile", shared("action")];
    const right = [kubelet(), guardTask, rule, proxyVariable(null)];
    const cases = [...malformedActions.map(([, action]) => action), ...right];
    const said = linesOf("judge.ps1", given, cases);
    expect(malformedActions.map(([what], at) => `${what}: ${said[at]}`)).toEqual(
      malformedActions.map(([what, , error]) => `${what}: ${error}`),
    );
    expect(said.slice(malformedActions.length)).toEqual(right.map(() => "right"));
  });
});
