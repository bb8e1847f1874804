import { afterEach, describe, expect, it } from "vitest";
import type { Action } from "../../lambdas/machine/plan.ts";
import { freshMachine, type Machine, withMetadata } from "../machine-cases/windows.ts";
import { applyOn } from "./applying.ts";
import { pwsh } from "./pwsh.ts";
import { type ScriptHost, scriptHost, suite } from "./run.ts";

describe.skipIf(!pwsh)(suite("the result of apply.ps1"), () => {
  let here: ScriptHost;
  afterEach(() => here.close());

  const lay = (change: Partial<Machine>) => {
    here = scriptHost(freshMachine(change));
  };
  const apply = (...actions: Action[]) => applyOn(here, ...actions);

  it("prints one short line of plain ASCII, whatever the machine's messages are", async () => {
    lay({ routes: withMetadata });
    const secretId = here.account.keep("casement/prod-west/join/i-1", "{}");
    const source = { from: "secret", secretId, field: `\u00fc${" x".repeat(800)}` } as const;
    const path = here.path("k\u00fcbelet");
    const { stdout, result } = await apply({ do: "file", path, source, sha256: null, access: "inherited" });
    expect(stdout).toMatch(/^[\x20-\x7e]+\r?\n$/);
    expect(result.failed?.action).toMatch(/^file .*k\u00fcbelet$/);
    expect(result.failed?.error).toMatch(/^the secret has no field \u00fc( x)+ ?$/);
    expect(result.failed?.error).toHaveLength(1000);
  });

  it.for([
    ["Yes", true],
    ["Maybe", true],
    ["No", false],
  ] as const)("reads Windows' %o as a due reboot: %o", async ([restartNeeded, rebootDue]) => {
    lay({ restartNeeded });
    expect((await apply({ do: "feature", name: "Containers" })).result).toMatchObject({ ok: true, rebootDue });
  });

  it.for([3010, 1641])("reports the exit code %d of Windows as a due reboot and never passes it on", async (code) => {
    lay({ scExitCode: code });
    const { exitCode, result } = await apply({ do: "service-recovery", name: "AmazonSSMAgent", restartAfter: [30] });
    expect(exitCode).toBe(0);
    expect(result).toMatchObject({ ok: true, rebootDue: true });
  });
});
