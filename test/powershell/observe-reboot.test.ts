import { createHash } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { scriptText } from "../../lib/constructs/script-text.ts";
import { BOOT_KEY, freshMachine, type Machine, service, withMetadata } from "../machine-cases/windows.ts";
import { pwsh } from "./pwsh.ts";
import { type ScriptHost, scriptHost, suite } from "./run.ts";

const LATER = 4_000_000_000;
const guardTask = { state: "Ready", lastResult: 0, nextResult: 0 };
const guarded = (change: Partial<Machine> = {}): Machine =>
  freshMachine({ routes: withMetadata, tasks: { "Casement guard": guardTask }, ...change });

let here: ScriptHost;
afterEach(() => here.close());

function lay(machine: Machine, withGuard = true): void {
  here = scriptHost(machine);
  if (withGuard) here.write(here.path("Casement", "guard.ps1"), scriptText("guard"));
}

describe.skipIf(!pwsh)(suite("observe.ps1"), () => {
  it("prints the machine's state", async () => {
    lay(
      guarded({
        features: { Containers: "Installed", "Web-Server": "Available" },
        services: {
          AmazonSSMAgent: service(),
          Spooler: service({ description: "Prints" }),
          kubelet: service({ state: "Stopped", startType: "Manual", description: "Casement managed kubelet" }),
        },
        hns: { networks: [{ name: "nat", id: "n1", subnets: [], managementIp: "" }], endpoints: [] },
      }),
    );
    const { exitCode, result } = await here.send("observe", {});
    expect(exitCode).toBe(0);
    expect(result).toEqual({
      script: "observe",
      ok: true,
      bootId: "7",
      clock: expect.closeTo(Date.now() / 1000, -2),
      freeBytes: 75_161_927_680,
      build: "10.0.20348",
      metadataAnswers: true,
      guard: {
        present: true,
        sha256: createHash("sha256").update(scriptText("guard")).digest("hex"),
        taskEnabled: true,
        lastResult: 0,
        paths: 1,
        error: "",
      },
      features: ["Containers"],
      rebootPending: false,
      rebootSigns: [],
      services: [
        { name: "AmazonSSMAgent", state: "Running", startType: "Automatic" },
        { name: "kubelet", state: "Stopped", startType: "Manual" },
      ],
      hnsNetworks: ["nat"],
    });
  });

  it("shows a machine without guard, route or finished feature as it is", async () => {
    lay(freshMachine({ features: { Containers: "InstallPending" } }), false);
    const { result } = await here.send("observe", {});
    expect(result).toMatchObject({
      metadataAnswers: false,
      guard: { present: false, sha256: null, taskEnabled: false, lastResult: null, paths: 0 },
      features: [],
      rebootPending: true,
      rebootSigns: ["feature Containers"],
    });
  });

  it("fails the group of what may not be looked at, and never tells it as absent", async () => {
    lay(
      guarded({
        services: { kubelet: service() },
        denied: ["Get-ScheduledTask", "Get-NetFirewallRule", "Get-ItemProperty", "Get-WinEvent"],
      }),
    );
    const { exitCode, result } = await here.send("observe", {
      questions: {
        tasks: [{ name: "Casement guard" }],
        rules: ["kubelet"],
        registry: [{ key: BOOT_KEY, name: "Other" }],
        boot: true,
        services: [{ name: "kubelet" }],
      },
    });
    expect(exitCode).toBe(0);
    expect(result).toMatchObject({
      ok: true,
      hashes: { services: expect.any(String) },
      failed: Object.fromEntries(
        ["tasks", "rules", "registry", "boot"].map((group) => [group, expect.stringContaining("Access is denied")]),
      ),
    });
  });

  it("does not report a task that never ran as succeeded", async () => {
    lay(guarded({ tasks: { "Casement guard": { ...guardTask, lastResult: 267011 } } }));
    expect((await here.send("observe", {})).result).toMatchObject({ guard: { lastResult: null } });
  });
});

describe.skipIf(!pwsh)(suite("reboot.ps1"), () => {
  const reboot = (change: object = {}) =>
    here.send("reboot", { operation: "add-1", notAfter: LATER, bootId: "7", ...change });

  it("asks for one reboot and returns the evidence after it", async () => {
    lay(guarded());
    const first = await reboot();
    // An exit code of a process has eight bits here; Windows keeps all of 3010.
    expect(first).toMatchObject({ exitCode: 3010 % 256, stdout: "" });
    here.change({ registry: { [BOOT_KEY]: { BootId: 8 } } });
    const second = await reboot({ notAfter: 1 });
    expect(second.exitCode).toBe(0);
    expect(second.result).toEqual({ script: "reboot", ok: true, bootIdBefore: "7", bootIdAfter: "8", error: null });
  });

  it("never asks twice for the same boot", async () => {
    lay(guarded());
    await reboot();
    const again = await reboot();
    expect(again.exitCode).toBe(1);
    expect(again.result).toMatchObject({
      ok: false,
      bootIdBefore: "7",
      bootIdAfter: "7",
      error: expect.stringContaining("did not happen"),
    });
  });

  it("asks again for another operation", async () => {
    lay(guarded());
    await reboot();
    expect((await reboot({ operation: "add-2" })).exitCode).toBe(3010 % 256);
  });

  it.for<[string, Partial<Machine>, boolean, string]>([
    ["missing", {}, false, "its script is missing"],
    ["disabled", { tasks: { "Casement guard": { ...guardTask, state: "Disabled" } } }, true, "disabled"],
    ["failing", { tasks: { "Casement guard": { ...guardTask, lastResult: 1 } } }, true, "its last result is 1"],
    ["without a path", { routes: [] }, true, "it sees 0 paths"],
  ])("refuses while the guard is %s", async ([, change, present, error]) => {
    lay(guarded(change), present);
    const { exitCode, result } = await reboot();
    expect(exitCode).toBe(1);
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining(error) });
  });

  it("refuses when the request has expired", async () => {
    lay(guarded());
    const { exitCode, result } = await reboot({ notAfter: 1 });
    expect(exitCode).toBe(1);
    expect(result).toMatchObject({ ok: false, error: expect.stringContaining("expired") });
  });
});
