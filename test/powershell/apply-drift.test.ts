import { afterEach, describe, expect, it } from "vitest";
import type { Operation } from "../../lambdas/desired/plan.ts";
import { applyOn, guardTask, inline, kubelet, rule } from "./applying.ts";
import { type Ground, ground, pwsh, suite } from "./run.ts";
import { freshMachine, type Machine, service, type Task } from "./stand-in.ts";

describe.skipIf(!pwsh)(suite("apply.ps1 on a machine that has drifted"), () => {
  let here: Ground;
  afterEach(() => here.close());

  const lay = (change: Partial<Machine>) => {
    here = ground(freshMachine(change));
  };
  const apply = (...operations: Operation[]) => applyOn(here, ...operations);

  it("repairs what has drifted, and says which running services are due for a restart", async () => {
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
      firewall: { kubelet: { enabled: "False", protocol: "TCP", port: 10250, remoteAddresses: ["10.0.0.0/16"] } },
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

  it("sees each part of a service and of a task that somebody changed", async () => {
    const drifts: Record<string, object> = {
      command: { commandLine: "C:\\other.exe" },
      start: { startType: "Manual" },
      account: { account: "NetworkService" },
      words: { description: "somebody's" },
      needs: { dependsOn: [] },
      own: { environment: [] },
      recovery: { failureActions: [] },
      flag: { failureFlag: 0 },
    };
    const services = Object.keys(drifts).map((name) => kubelet({ name }));
    const names = ["arguments", "interval", "user"];
    const tasks = names.map((name): Operation => ({ ...guardTask, name }));
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
});
