import { mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import type { Action } from "../../lambdas/machine/plan.ts";
import { freshMachine, type Machine, service, withMetadata } from "../machine-cases/windows.ts";
import { applyOn, inline, LATER, sha256 } from "./applying.ts";
import { pwsh } from "./pwsh.ts";
import { type ScriptHost, scriptHost, suite } from "./run.ts";

describe.skipIf(!pwsh)(suite("apply.ps1 when something is wrong"), () => {
  let here: ScriptHost;
  afterEach(() => here.close());

  const lay = (change: Partial<Machine> = {}) => {
    here = scriptHost(freshMachine(change));
  };
  const apply = (...actions: Action[]) => applyOn(here, ...actions);

  it("stops at content with another hash and keeps the present file", async () => {
    lay();
    const path = here.path("kubelet.conf");
    here.write(path, "before");
    const { exitCode, result } = await apply(
      inline(path, "after", sha256("something else")),
      inline(here.path("never"), "never"),
    );
    expect(exitCode).toBe(1);
    expect(result).toMatchObject({ ok: false, changed: [], failed: { action: `file ${path}` } });
    expect(result.failed?.error).toContain(`wanted is ${sha256("something else")}`);
    expect(here.read(path)).toBe("before");
    expect(readdirSync(here.root).filter((name) => name.startsWith("never") || name.includes("casement-new"))).toEqual(
      [],
    );
  });

  it("reports the actions done before the failure, with the machine's error message", async () => {
    lay({ featureFails: true });
    const path = here.path("kubelet.conf");
    const { exitCode, result } = await apply(inline(path, "x"), { do: "feature", name: "Containers" });
    expect(exitCode).toBe(1);
    expect(result).toMatchObject({
      changed: [`file ${path}`],
      failed: { action: "feature Containers", error: "Install-WindowsFeature answered Failed" },
      rebootDue: false,
    });
  });

  it.for([
    ["an unknown feature", { do: "feature", name: "Telnet" }, "no such feature"],
    ["a missing service", { do: "service-state", name: "kubelet", state: "Running" }, "no such service"],
    ["a task that fails", { do: "run-task", name: "Casement guard", withinSeconds: 5 }, "last result is 1"],
  ] as const)("fails at %s", async ([, action, error]) => {
    lay({ tasks: { "Casement guard": { state: "Ready", lastResult: 0, nextResult: 1, runs: 0 } } });
    const { exitCode, result } = await apply(action as Action);
    expect(exitCode).toBe(1);
    expect(result.failed?.error).toContain(error);
  });

  it("never removes a folder in place of a file", async () => {
    lay();
    for (const path of [here.path("full"), here.path("empty")]) mkdirSync(path);
    here.write(here.path("full", "x"), "x");
    for (const name of ["full", "empty"]) {
      const { result } = await apply({ do: "remove-file", path: here.path(name) });
      expect(result.failed?.error).toBe("it is a folder, not a file");
    }
    expect(readdirSync(here.root)).toEqual(expect.arrayContaining(["full", "empty"]));
  });

  it("reports that PowerShell's language is constrained, before it does anything", async () => {
    lay({ constrained: true });
    const ended = await apply(inline(here.path("x"), "x"));
    expect(ended).toMatchObject({ exitCode: 90, result: undefined });
    expect(ended.stderr).toContain("PowerShell runs in ConstrainedLanguage mode on this machine");
    expect(readdirSync(here.root)).not.toContain("x");
  });

  it("does not follow a link that was put in place of a folder", async () => {
    lay();
    symlinkSync(here.path("Casement"), here.path("k"));
    const { result } = await apply({ do: "directory", path: here.path("k"), access: "system" });
    expect(result.failed).toMatchObject({ error: "it is a link to another place" });
    expect(here.machine().access).toEqual({});
  });

  it("fails when a service stops right after its start", async () => {
    lay({ services: { kubelet: service({ state: "Stopped", does: "breaks", exitCode: 255 }) } });
    const { result } = await apply({ do: "service-state", name: "kubelet", state: "Running" });
    expect(result.failed).toMatchObject({
      action: "service-state kubelet",
      error: "kubelet is Stopped 3 seconds after its start; its exit code is 255",
    });
  });

  it("stops a service with its dependents, and succeeds when there is none", async () => {
    lay({ services: { kubelet: service(), "hybrid-overlay-node": service({ dependsOn: ["kubelet"] }) } });
    const { result } = await apply(
      { do: "service-state", name: "kubelet", state: "Stopped" },
      { do: "service-state", name: "csi-proxy", state: "Stopped" },
    );
    expect(result).toMatchObject({ ok: true, changed: ["service-state kubelet"], unchanged: 1 });
    expect(here.machine().notes).toEqual(["stop hybrid-overlay-node", "stop kubelet"]);
  });

  it("fails at any other exit code of Windows", async () => {
    lay({ scExitCode: 5 });
    const { exitCode, result } = await apply({ do: "service-recovery", name: "AmazonSSMAgent", restartAfter: [30] });
    expect(exitCode).toBe(1);
    expect(result.failed?.error).toContain("sc.exe failure ended with 5");
  });

  it("does nothing when the request has expired", async () => {
    lay();
    const plan = { format: 2, operation: "add-1", notAfter: 1_000, actions: [inline(here.path("x"), "x")] };
    const { exitCode, result } = await here.send("apply", { plan });
    expect(exitCode).toBe(1);
    expect(result).toMatchObject({
      ok: false,
      changed: [],
      failed: { action: "request", error: expect.stringContaining("expired") },
    });
    expect(readdirSync(here.root)).not.toContain("x");
  });

  it("reads a plan from the bucket and refuses one with another hash", async () => {
    const plan = JSON.stringify({
      format: 2,
      operation: "add-1",
      notAfter: LATER,
      actions: [{ do: "feature", name: "Containers" }],
    });
    lay({ routes: withMetadata });
    const asked = here.account.put("plans/add-1/0/install.json", plan);
    const wrong = await here.send("apply", { ...asked, sha256: sha256("another") });
    expect(wrong.result).toMatchObject({ ok: false, failed: { action: "request" } });
    const right = await here.send("apply", { ...asked, sha256: sha256(plan) });
    expect(right.result).toMatchObject({ ok: true, changed: ["feature Containers"] });
  });

  it.for(["", "x'; Restart-Computer; '", "{{ Request }}"])(
    "refuses the request %o, which is not base64",
    async (request) => {
      lay();
      const { exitCode, result } = await here.run("apply", { Request: request });
      expect(exitCode).toBe(1);
      expect(result).toMatchObject({ ok: false, failed: { action: "request", error: "the request is not base64" } });
    },
  );
});

describe.skipIf(!pwsh)(suite("apply.ps1 while another program uses a file"), () => {
  let here: ScriptHost;
  afterEach(() => here.close());

  it("tries five times to replace a file that a process holds", async () => {
    here = scriptHost(freshMachine({ later: [{}, {}, {}, {}, {}, {}] }));
    const path = here.path("held");
    mkdirSync(path);
    const { result } = await applyOn(here, inline(path, "x"));
    expect(result.failed).toMatchObject({ action: `file ${path}` });
    expect(here.machine().later).toHaveLength(2);
  });

  it("removes a file as soon as no program reads it", async () => {
    here = scriptHost(freshMachine({ later: [{}, { read: [] }] }));
    const path = here.path("read");
    here.change({ read: [path] });
    here.write(path, "x");
    const { result } = await applyOn(here, { do: "remove-file", path });
    expect(result).toMatchObject({ ok: true, changed: [`remove-file ${path}`] });
    expect(readdirSync(here.root)).not.toContain("read");
  });

  it("tries five times to remove a file that a program reads", async () => {
    here = scriptHost(freshMachine({ later: [{}, {}, {}, {}, {}, {}] }));
    const path = here.path("read");
    here.change({ read: [path] });
    here.write(path, "x");
    const { result } = await applyOn(here, { do: "remove-file", path });
    expect(result.failed).toMatchObject({ action: `remove-file ${path}`, error: expect.stringContaining("used by") });
    expect(here.machine().later).toHaveLength(2);
  });
});
