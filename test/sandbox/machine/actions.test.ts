import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Action } from "../../../lambdas/machine/plan.ts";
import { scriptText } from "../../../lib/constructs/script-text.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { sha256Of } from "../../../lib/sandbox/machine/disk.ts";
import { payloadContent } from "../../../lib/sandbox/machine/payload.ts";
import { type Fixture, minutes } from "./fixture.ts";
import { apply, exporter, file, id, online, result } from "./one-machine.ts";

const service = (
  name: string,
  commandLine: string,
  more: Partial<Extract<Action, { do: "service" }>> = {},
): Action => ({
  do: "service",
  name,
  description: `Casement managed ${name}`,
  commandLine,
  startType: "Manual",
  dependsOn: [],
  restartAfter: [],
  ...more,
});

const start = (name: string): Action => ({ do: "service-state", name, state: "Running" });
const stateOf = (fixture: Fixture, name: string) =>
  fixture.machines.describe(id)?.services.find((each) => each.name === name)?.state;

describe("applying a plan", () => {
  it("executes each action once: a second run reports everything unchanged", async () => {
    const fixture = await online();
    const actions: Action[] = [
      { do: "directory", path: "C:\\k", access: "system" },
      file("C:\\k\\a.conf", "one"),
      { do: "firewall-rule", name: "kubelet", protocol: "TCP", port: 10_250, remoteAddresses: ["10.0.0.0/16"] },
      { do: "defender-exclusion", process: "C:\\k\\containerd.exe" },
      service("exporter", "C:\\k\\exporter.exe"),
      { do: "service-variable", service: "exporter", name: "NO_PROXY", value: "169.254.169.254" },
      { do: "task", name: "t", script: "C:\\k\\a.ps1", arguments: [], everyMinutes: 5 },
    ];
    expect(await apply(fixture, ...actions)).toMatchObject({ ok: true, unchanged: 0, failed: null });
    expect(await apply(fixture, ...actions)).toMatchObject({ ok: true, changed: [], unchanged: 7 });
  });

  it("counts each run of a task as a change, whatever the task did", async () => {
    const fixture = await online();
    const path = "C:\\Casement\\guard.ps1";
    await apply(fixture, file(path, scriptText("guard")), {
      do: "task",
      name: "guard",
      script: path,
      arguments: [],
      everyMinutes: 0,
    });
    const run: Action = { do: "run-task", name: "guard", withinSeconds: 600 };
    expect(await apply(fixture, run)).toMatchObject({ ok: true, changed: ["run-task guard"] });
    expect(await apply(fixture, run)).toMatchObject({ ok: true, changed: ["run-task guard"] });
  });

  it("stops at the first failure and names it", async () => {
    const fixture = await online();
    const wrong = { ...file("C:\\a.txt", "one"), sha256: sha256Of("two") } as Action;
    const seen = await apply(fixture, file("C:\\before.txt", "x"), wrong, file("C:\\after.txt", "x"));
    expect(seen).toMatchObject({
      ok: false,
      changed: ["file C:\\before.txt"],
      failed: { action: "file C:\\a.txt" },
    });
    expect(fixture.machines.describe(id)?.files.map(({ path }) => path)).not.toContain("C:\\after.txt");
  });

  it("fails with exit code 1 on an unknown action", async () => {
    const fixture = await online();
    const report = await fixture.apply(id, [{ do: "format-disk", name: "C" } as never]);
    expect(report.steps[0]?.exitCode).toBe(1);
    expect(result(report).failed).toEqual({ action: "format-disk C", error: "this script knows no such action" });
  });

  it("does nothing after the latest time to start", async () => {
    const fixture = await online();
    const plan = {
      format: 2,
      operation: "o",
      notAfter: fixture.clock.now() / 1000 - 5,
      actions: [file("C:\\a", "x")],
    };
    const report = await fixture.run(id, "apply", { plan });
    expect(result(report).failed?.error).toMatch(
      /^this request expired at .* UTC, and the clock of this machine says .* UTC$/,
    );
    expect(fixture.machines.describe(id)?.files.map(({ path }) => path)).not.toContain("C:\\a");
  });

  it("reads a large plan from the bucket and checks its hash", async () => {
    const fixture = await online();
    const plan = JSON.stringify({ format: 2, operation: "o", notAfter: 9e9, actions: [file("C:\\a.txt", "x")] });
    fixture.bucket.set(`${demo.bucket}/plans/p@v1`, plan);
    const place = { bucket: demo.bucket, key: "plans/p", version: "v1" };
    expect(result(await fixture.run(id, "apply", { ...place, sha256: sha256Of("other") })).failed?.action).toBe(
      "request",
    );
    expect(result(await fixture.run(id, "apply", { ...place, sha256: sha256Of(plan) })).ok).toBe(true);
  });

  it("runs one command of Casement at a time and gives up after half a minute", async () => {
    const fixture = await online();
    const slow = fixture.apply(id, [{ do: "feature", name: "Containers" }]);
    await fixture.clock.advance(10_000);
    const second = result(await fixture.apply(id, []));
    expect(second.failed?.error).toBe("another command of Casement is running on this machine");
    expect(result(await slow)).toMatchObject({ ok: true, rebootDue: true });
  });

  it("lets the acceptance's trial of the guard wait for another command of Casement", async () => {
    const fixture = await online();
    const script = readFileSync("bin/acceptance/take-route-away.ps1", "utf8").split("\n");
    const slow = fixture.apply(id, [{ do: "feature", name: "Containers" }]);
    await fixture.clock.advance(150_000);
    const steps = [{ name: "s", action: "aws:runPowerShellScript", script, timeoutSeconds: 420, platform: null }];
    fixture.machines.deliver(id, { commandId: "trial", documentName: "d", parameters: {}, steps });
    const trial = () => fixture.reports.find(({ commandId }) => commandId === "trial");
    await fixture.clock.until(() => trial() !== undefined, minutes(5));
    expect(trial()?.steps[0]?.stdout).toContain("the guard of the metadata route is not on this machine");
    expect(result(await slow)).toMatchObject({ ok: true });
  });

  it("refuses a script that is not Casement's", async () => {
    const fixture = await online();
    const step = {
      name: "s",
      action: "aws:runPowerShellScript",
      script: ["Get-Process"],
      timeoutSeconds: 60,
      platform: null,
    };
    fixture.machines.deliver(id, { commandId: "foreign", documentName: "d", parameters: {}, steps: [step] });
    const ended = () => fixture.reports.find(({ commandId }) => commandId === "foreign");
    await fixture.clock.until(() => ended() !== undefined, minutes(1));
    expect(ended()).toMatchObject({ status: "Failed", steps: [{ exitCode: 1 }] });
  });
});

describe("removing a file", () => {
  it("never removes a folder", async () => {
    const fixture = await online();
    const { failed } = await apply(fixture, { do: "remove-file", path: "C:\\k" });
    expect(failed).toEqual({ action: "remove-file C:\\k", error: "it is a folder, not a file" });
  });
});

describe("paths", () => {
  it("need an existing folder: writing a file creates none", async () => {
    const fixture = await online();
    const lost = file("C:\\k\\cni\\config\\cni.conf", "{}");
    expect((await apply(fixture, lost)).failed).toEqual({
      action: "file C:\\k\\cni\\config\\cni.conf",
      error: "Could not find a part of the path 'C:\\k\\cni\\config\\cni.conf'.",
    });
    const folder: Action = { do: "directory", path: "C:\\k\\cni\\config", access: "inherited" };
    expect(await apply(fixture, folder, lost)).toMatchObject({ ok: true });
  });

  it.each([
    ["C:\\k\\registries\\mirror.example.com:5000\\hosts.toml", "format is not supported"],
    ["k\\kubelet.exe", "format is not supported"],
    ["C:\\k\\what?.txt", "Illegal characters"],
    ["C:\\k\\nul", "Win32 devices"],
    ["D:\\k\\kubelet.exe", "Could not find a part of the path"],
  ])("that Windows does not accept are refused: %s", async (path, words) => {
    const fixture = await online();
    expect((await apply(fixture, file(path, "x"))).failed?.error).toContain(words);
    expect((await apply(fixture, { do: "directory", path, access: "system" })).failed?.error).toContain(words);
  });
});

describe("features", () => {
  it("wait for a boot: containerd does not start before", async () => {
    const fixture = await online();
    const content = payloadContent("containerd", "1.7.28");
    const containerd = service("containerd", "C:\\k\\containerd.exe --config C:\\k\\c.toml --run-service");
    const seen = await apply(
      fixture,
      { do: "feature", name: "Containers" },
      file("C:\\k\\containerd.exe", content),
      file("C:\\k\\c.toml", "version = 2"),
      containerd,
      start("containerd"),
    );
    expect(seen).toMatchObject({ ok: false, rebootDue: true, failed: { action: "service-state containerd" } });
    expect(fixture.machines.describe(id)?.features).toEqual([]);
    fixture.simulation.bus.announce({ kind: "instance-reboot", instanceId: id });
    await fixture.clock.advance(minutes(3));
    expect(await apply(fixture, start("containerd"))).toMatchObject({ ok: true });
    expect((await fixture.observe(id)).features).toEqual(["Containers"]);
  });

  it("fail under a fault and for unknown names", async () => {
    const fixture = await online();
    expect((await apply(fixture, { do: "feature", name: "Container" })).failed?.error).toContain("name is not valid");
    fixture.simulation.faults.inject("feature-install-fails", { instanceId: id });
    expect((await apply(fixture, { do: "feature", name: "Containers" })).failed?.error).toContain("0x800f0922");
  });
});

describe("services", () => {
  it.each([
    ["without its binary", service("s", "C:\\k\\none.exe"), /System error 2\./],
    ["whose binary is no program", service("s", "C:\\k\\text.exe"), /not a valid Win32 application.*193/],
    ["that does not exist", file("C:\\other", "x"), /there is no such service/],
    ["with an unknown dependency", service("s", "C:\\k\\exporter.exe", { dependsOn: ["ghost"] }), /System error 1075/],
    [
      "whose dependency cannot start",
      service("s", "C:\\k\\exporter.exe", { dependsOn: ["broken"] }),
      /System error 1068/,
    ],
    [
      "that misses a file it names",
      service("s", "C:\\k\\exporter.exe --web.config.file C:\\k\\web.yaml"),
      /System error 1067/,
    ],
    [
      "whose program was not told that it is one",
      service("s", "C:\\k\\kubelet.exe --config C:\\k\\kubelet.yaml"),
      /The process terminated unexpectedly. \(s\) System error 1067\.; its exit code is 1$/,
    ],
  ])("do not start %s", async (_, definition, message) => {
    const fixture = await online();
    const seen = await apply(
      fixture,
      file("C:\\k\\exporter.exe", exporter),
      file("C:\\k\\text.exe", "MZ"),
      file("C:\\k\\kubelet.exe", payloadContent("kubelet", "v1.34.2")),
      service("broken", "C:\\k\\none.exe"),
      definition,
      start("s"),
    );
    expect(seen.failed).toMatchObject({ action: "service-state s", error: expect.stringMatching(message) });
  });

  it("start their dependencies first, stop their dependents, and start after a boot only when automatic", async () => {
    const fixture = await online();
    const automatic = { startType: "Automatic" } as const;
    await apply(
      fixture,
      file("C:\\k\\exporter.exe", exporter),
      service("top", "C:\\k\\exporter.exe", { dependsOn: ["base"], ...automatic }),
      service("base", "C:\\k\\exporter.exe", automatic),
      service("by-hand", "C:\\k\\exporter.exe"),
      start("top"),
      start("by-hand"),
    );
    expect([stateOf(fixture, "base"), stateOf(fixture, "top")]).toEqual(["Running", "Running"]);
    fixture.simulation.bus.announce({ kind: "instance-reboot", instanceId: id });
    await fixture.clock.advance(minutes(3));
    expect([stateOf(fixture, "base"), stateOf(fixture, "top"), stateOf(fixture, "by-hand")]).toEqual([
      "Running",
      "Running",
      "Stopped",
    ]);
    await apply(fixture, { do: "service-state", name: "base", state: "Stopped" });
    expect(stateOf(fixture, "top")).toBe("Stopped");
  });

  it("are restarted after a failure with their configured delays, or stay stopped without", async () => {
    const fixture = await online();
    await apply(
      fixture,
      file("C:\\k\\exporter.exe", exporter),
      service("frail", "C:\\k\\exporter.exe", { restartAfter: [10] }),
      service("lost", "C:\\k\\exporter.exe"),
      start("frail"),
      start("lost"),
    );
    for (const name of ["frail", "lost"]) fixture.simulation.faults.inject("service-crashes", { service: name }, 1);
    await fixture.clock.until(() => stateOf(fixture, "frail") === "Stopped", minutes(1));
    await fixture.clock.advance(15_000);
    expect([stateOf(fixture, "frail"), stateOf(fixture, "lost")]).toEqual(["Running", "Stopped"]);
  });

  it("lock their binary, and are due for a restart when a file they name changes", async () => {
    const fixture = await online();
    await apply(
      fixture,
      file("C:\\k\\exporter.exe", exporter),
      file("C:\\k\\web.yaml", "a"),
      service("exporter", "C:\\k\\exporter.exe --web.config.file C:\\k\\web.yaml"),
      start("exporter"),
    );
    expect((await apply(fixture, file("C:\\k\\web.yaml", "b"))).restartDue).toEqual(["exporter"]);
    const replaced = await apply(fixture, file("C:\\k\\EXPORTER.exe", payloadContent("windows_exporter", "0.31.0")));
    expect(replaced.failed?.error).toContain("used by another process");
  });
});
