import { afterEach, describe, expect, it } from "vitest";
import { freshMachine, GATEWAY, MAC } from "../machine-cases/windows.ts";
import { pwsh } from "./pwsh.ts";
import { type ScriptHost, scriptHost, suite } from "./run.ts";

describe.skipIf(!pwsh)(suite("guard.ps1"), () => {
  let here: ScriptHost;
  afterEach(() => here.close());

  // The guard ends when all is well; on a busy machine the first answer of the metadata service may come too late.
  const guard = (given: object = { WindowSeconds: 30 }) =>
    here.run("guard", { StateFile: here.path("Casement", "guard.json"), PauseSeconds: 1, ...given });
  const saved = () => JSON.parse(here.read(here.path("Casement", "guard.json")));

  it("records the path that it finds, and its number of repairs", async () => {
    here = scriptHost(freshMachine());
    await guard();
    const path = { paths: 1, interface: 6, gateway: GATEWAY };
    expect(saved()).toMatchObject({ ok: true, mac: MAC, ...path, changed: 6, repairs: 1 });
    expect(here.machine().events).toMatchObject([{ kind: "Information" }]);
    await guard();
    expect(saved()).toMatchObject({ changed: 0, repairs: 1 });
    expect(here.machine().events).toHaveLength(1);
  });

  it("changes nothing when it is asked to check", async () => {
    here = scriptHost(freshMachine());
    const before = here.machine();
    const { exitCode, result } = await guard({ Check: true });
    expect({ exitCode, result }).toEqual({ exitCode: 0, result: { paths: 1, metadataAnswers: false } });
    expect(here.machine()).toEqual(before);
  });
});
