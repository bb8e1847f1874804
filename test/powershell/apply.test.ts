import { readdirSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import type { Action } from "../../lambdas/machine/plan.ts";
import { ENVIRONMENT_KEY, freshMachine, type Machine, service, withMetadata } from "../machine-cases/windows.ts";
import { applyOn, guardTask, inline, kubelet, proxyVariable, rule, sha256 } from "./applying.ts";
import { pwsh } from "./pwsh.ts";
import { type ScriptHost, scriptHost, suite } from "./run.ts";

describe.skipIf(!pwsh)(suite("apply.ps1 as planned"), () => {
  let here: ScriptHost;
  afterEach(() => here.close());

  const lay = (change: Partial<Machine> = {}) => {
    here = scriptHost(freshMachine(change));
  };
  const apply = (...actions: Action[]) => applyOn(here, ...actions);

  it("executes every kind of action, and changes nothing the second time", async () => {
    lay({
      routes: withMetadata,
      services: { AmazonSSMAgent: service(), WinDefend: service(), containerd: service({ state: "Stopped" }) },
    });
    const folder = here.path("k");
    const kubeletProgram = here.account.put("payload/kubelet.exe", "kubelet");
    const secretId = here.account.keep(
      "casement/prod-west/join/i-1",
      JSON.stringify({ kubeconfig: "token: canary-1" }),
    );
    const actions: Action[] = [
      { do: "directory", path: folder, access: "system" },
      inline(here.path("k", "kubelet.conf"), "{}\n"),
      {
        do: "file",
        path: here.path("k", "kubelet.exe"),
        source: { from: "bucket", ...kubeletProgram },
        sha256: sha256("kubelet"),
        access: "inherited",
      },
      {
        do: "file",
        path: here.path("k", "bootstrap-kubeconfig"),
        source: { from: "secret", secretId, field: "kubeconfig" },
        sha256: null,
        access: "system",
      },
      { do: "feature", name: "Containers" },
      rule,
      kubelet(),
      proxyVariable("http://proxy:3128"),
      { do: "service-recovery", name: "AmazonSSMAgent", restartAfter: [30, 60, 60] },
      { do: "service-state", name: "kubelet", state: "Running" },
      guardTask,
      { do: "defender-exclusion", process: "C:\\k\\containerd\\containerd.exe" },
    ];
    const first = await apply(...actions);
    expect(first).toMatchObject({
      exitCode: 0,
      stderr: "",
      result: { ok: true, unchanged: 0, failed: null, rebootDue: true },
    });
    expect(first.result.changed).toContain("service kubelet");
    expect(first.result.changed).toContain(`directory ${folder}`);
    expect(first.stdout).not.toContain("canary");
    expect(here.read(here.path("k", "kubelet.exe"))).toBe("kubelet");
    expect(here.read(here.path("k", "bootstrap-kubeconfig"))).toBe("token: canary-1");
    expect(readdirSync(folder).filter((name) => name.includes("casement-new"))).toEqual([]);

    const machine = here.machine();
    expect(machine.access[folder]).toBe("O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)");
    // A file for a secret gets its restricted access before its content.
    for (const name of ["bootstrap-kubeconfig", "bootstrap-kubeconfig.casement-new"])
      expect(machine.access[here.path("k", name)]).toBe("O:BAG:SYD:PAI(A;;FA;;;SY)(A;;FA;;;BA)");
    expect(machine.services.kubelet).toMatchObject({
      state: "Running",
      startType: "Automatic",
      dependsOn: ["containerd"],
      failureFlag: 1,
    });
    expect(machine.services.AmazonSSMAgent?.failureFlag).toBe(1);
    expect(machine.services.kubelet?.environment).toEqual(["HTTPS_PROXY=http://proxy:3128"]);
    expect(machine.registry[ENVIRONMENT_KEY]).toEqual({ Path: "C:\\Windows" });
    expect(here.account.answers()).toEqual(["GetObject 200", "GetSecretValue 200"]);
    expect(machine.tasks["Casement guard"]).toMatchObject({
      action: {
        execute: "powershell.exe",
        arguments: '-NoProfile -NonInteractive -ExecutionPolicy Bypass -File "C:\\My Files\\guard.ps1" -A "b c"',
      },
      triggers: [{ interval: "" }, { interval: "PT1M" }],
      principal: { user: "SYSTEM" },
      settings: { multipleInstances: "IgnoreNew", limit: 10 },
    });

    const second = await apply(...actions);
    expect(second.result).toMatchObject({ ok: true, changed: [], unchanged: actions.length, rebootDue: true });
  });

  it("runs a task and waits for a run that is under way", async () => {
    const task = { state: "Running", lastResult: 267009, nextResult: 0, runs: 3 };
    const ready = { "Casement guard": { ...task, state: "Ready", lastResult: 1 } };
    lay({ tasks: { "Casement guard": task }, later: [{}, { tasks: ready }] });
    const { result } = await apply({ do: "run-task", name: "Casement guard", withinSeconds: 30 });
    expect(result).toMatchObject({ ok: true, changed: ["run-task Casement guard"] });
    expect(here.machine().tasks["Casement guard"]).toMatchObject({ lastResult: 0, runs: 4 });
  });

  it("skips Defender when it does not run", async () => {
    lay();
    const { result } = await apply({ do: "defender-exclusion", process: "C:\\k\\containerd.exe" });
    expect(result).toMatchObject({ ok: true, unchanged: 1 });
    expect(here.machine().exclusions).toEqual([]);
  });

  it("removes files and a service's variables, once", async () => {
    lay({ services: { containerd: service() } });
    here.write(here.path("bootstrap-kubeconfig"), "token");
    await apply(kubelet({ restartAfter: [] }), proxyVariable("http://proxy:3128"));
    const actions: Action[] = [{ do: "remove-file", path: here.path("bootstrap-kubeconfig") }, proxyVariable(null)];
    expect((await apply(...actions)).result).toMatchObject({ ok: true, unchanged: 0 });
    expect(here.machine().services.kubelet).toMatchObject({ environment: [], failureActions: [] });
    expect((await apply(...actions)).result).toMatchObject({ ok: true, changed: [], unchanged: 2 });
  });
});
