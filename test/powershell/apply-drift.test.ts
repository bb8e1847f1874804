import { afterEach, describe, expect, it } from "vitest";
import type { Action } from "../../lambdas/machine/plan.ts";
import { freshMachine, GIVEN, type Machine, service, type Task } from "../machine-cases/windows.ts";
import { applyOn, guardTask, inline, kubelet, rule } from "./applying.ts";
import { pwsh } from "./pwsh.ts";
import { type ScriptHost, scriptHost, suite } from "./run.ts";

describe.skipIf(!pwsh)(suite("apply.ps1 on a machine that has drifted"), () => {
  let here: ScriptHost;
  afterEach(() => here.close());

  const lay = (change: Partial<Machine>) => {
    here = scriptHost(freshMachine(change));
  };
  const apply = (...actions: Action[]) => applyOn(here, ...actions);

  it("repairs drift, and lists the running services that are due for a restart", async () => {
    lay({ services: { containerd: service(), kubelet: service() } });
    await apply(kubelet(), guardTask, rule, inline(here.path("kubelet.conf"), "old"));
    const settled = here.machine();
    here.change({
      services: {
        ...settled.services,
        kubelet: {
          ...service(),
          ...settled.services.kubelet,
          commandLine: `x ${here.path("kubelet.conf")}`,
          startType: "Disabled",
        },
        other: service({ commandLine: `C:\\y.exe ${here.path("kubelet.conf")}` }),
      },
      tasks: {
        "Casement guard": { ...settled.tasks["Casement guard"], state: "Disabled", lastResult: 0, nextResult: 0 },
      },
      firewall: {
        kubelet: {
          enabled: "False",
          action: "Allow",
          direction: "Inbound",
          profile: "Any",
          protocol: "TCP",
          port: 10250,
          remoteAddresses: ["10.0.0.0/16"],
        },
      },
    });
    const { result } = await apply(inline(here.path("kubelet.conf"), "new"), kubelet(), guardTask, rule);
    expect(result).toMatchObject({ ok: true, unchanged: 0 });
    expect(result.restartDue.toSorted()).toEqual(["kubelet", "other"]);
    expect(here.read(here.path("kubelet.conf"))).toBe("new");
    expect(here.machine().services.kubelet).toMatchObject({
      startType: "Automatic",
      commandLine: "C:\\k\\kubelet.exe --config=C:\\k\\kubelet.conf",
    });
    expect(here.machine().tasks["Casement guard"]).toMatchObject({ state: "Ready" });
  });

  it("detects a change of each part of a service and of a task", async () => {
    const drifts: Record<string, object> = {
      command: { commandLine: "C:\\other.exe" },
      start: { startType: "Manual" },
      account: { account: "NetworkService" },
      words: { description: "somebody's" },
      needs: { dependsOn: [] },
      recovery: { failureActions: [] },
      flag: { failureFlag: 0 },
    };
    const services = Object.keys(drifts).map((name) => kubelet({ name }));
    const names = ["arguments", "interval", "user"];
    const tasks = names.map((name): Action => ({ ...guardTask, name }));
    lay({ services: { containerd: service() } });
    await apply(...services, ...tasks);
    const settled = here.machine();
    const was = (name: string): Task => ({ state: "", lastResult: 0, nextResult: 0, ...settled.tasks[name] });
    here.change({
      services: Object.fromEntries(
        Object.entries(settled.services).map(([name, one]) => [name, { ...one, ...drifts[name] }]),
      ),
      tasks: {
        arguments: { ...was("arguments"), action: { execute: "powershell.exe", arguments: "-File C:\\other.ps1" } },
        interval: { ...was("interval"), triggers: [{ interval: "" }, { interval: "PT1H" }] },
        user: { ...was("user"), principal: { user: "Administrator" } },
      },
    });
    expect((await apply(...services, ...tasks)).result).toMatchObject({ ok: true, unchanged: 0 });
    expect(here.machine().services).toEqual(settled.services);
    expect(here.machine().tasks).toEqual(settled.tasks);
  });

  it("replaces the access of a file that another account put in place", async () => {
    lay({});
    const path = here.path("kubelet.conf");
    here.write(path, "{}");
    const planted = "O:S-1-5-21-1-2-3-1001G:SYD:AI(A;;FA;;;BU)(A;ID;FA;;;SY)";
    here.change({ access: { [path]: planted } });
    expect((await apply(inline(path, "{}"))).result).toMatchObject({ ok: true, changed: [`file ${path}`] });
    expect(here.machine().access[path]).toBe(GIVEN);
    expect((await apply(inline(path, "{}"))).result).toMatchObject({ ok: true, unchanged: 1 });
  });

  it("knows the system account by its name in the language of this Windows", async () => {
    lay({ systemName: "Syst\u00e8me" });
    expect((await apply(guardTask)).result).toMatchObject({ ok: true, changed: ["task Casement guard"] });
    expect((await apply(guardTask)).result).toMatchObject({ ok: true, unchanged: 1 });
  });

  it("reports settings that Windows shows differently from how they were set", async () => {
    const drifted = service({ account: "NetworkService", dependsOn: ["containerd"] });
    lay({ services: { containerd: service(), kubelet: drifted }, imposedAccount: "NetworkService" });
    const { result } = await apply(kubelet());
    const error = "Windows shows the account as 'NetworkService', wanted is 'LocalSystem'";
    expect(result).toMatchObject({ ok: false, failed: { action: "service kubelet", error } });
  });
});
