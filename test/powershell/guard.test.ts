import { afterEach, describe, expect, it } from "vitest";
import { guardCases, linkLocal } from "./guard-cases.ts";
import { type Ground, ground, pwsh, suite } from "./run.ts";
import { freshMachine, GATEWAY, MAC, type Machine, route, service } from "./stand-in.ts";

const carriedBy = (machine: Machine, prefix: string): (number | string)[] =>
  machine.routes
    .filter((one) => one.prefix === prefix && one.store === "ActiveStore")
    .flatMap((one) => [one.index, one.nextHop]);

describe.skipIf(!pwsh)(suite("guard.ps1"), () => {
  let here: Ground;
  afterEach(() => here.close());

  // It ends when all is well; on a busy machine the first answer of the metadata service may come too late.
  const guard = (given: object = { WindowSeconds: 30 }) =>
    here.run("guard", { StateFile: here.path("Casement", "guard.json"), PauseSeconds: 1, ...given });
  const saved = () => JSON.parse(here.read(here.path("Casement", "guard.json")));

  it.for(guardCases)("$name", async ({ before, recorded, through, exitCode }) => {
    here = ground(freshMachine(before));
    if (recorded)
      here.write(
        here.path("Casement", "guard.json"),
        JSON.stringify({ mac: recorded, repairs: 0, ok: true, error: "" }),
      );
    const window = { WindowSeconds: exitCode === 0 ? 30 : 1 };
    const first = await guard(window);
    const after = here.machine();
    expect(first.stderr).toBe("");
    expect(first.exitCode).toBe(exitCode);
    expect(saved()).toMatchObject({ ok: exitCode === 0 });
    for (const prefix of linkLocal) expect(carriedBy(after, prefix)).toEqual(through ? [through, GATEWAY] : []);
    if (exitCode === 0) expect(after.services.AmazonSSMAgent?.state).toBe("Running");
    else expect(after.notes.filter((note) => note.endsWith("AmazonSSMAgent"))).toEqual([]);

    const stale = after.routes.filter((one) => linkLocal.includes(one.prefix) && one.nextHop !== GATEWAY);
    expect(stale).toEqual([]);
    const kept = (machine: Machine) =>
      machine.routes.filter((one) => one.store === "PersistentStore" && one.nextHop === GATEWAY);
    expect(kept(after)).toEqual(kept(freshMachine(before)));
    here.change({ notes: [], later: [] });
    await guard(window);
    expect(here.machine().notes.filter((note) => /^(add|remove)/.test(note))).toEqual([]);
  });

  it("records the primary interface, and how often it repaired", async () => {
    here = ground(freshMachine());
    await guard();
    expect(saved()).toMatchObject({
      ok: true,
      mac: MAC,
      paths: 1,
      interface: 6,
      gateway: GATEWAY,
      changed: 6,
      repairs: 1,
    });
    expect(here.machine().events).toMatchObject([{ kind: "Information" }]);
    await guard();
    expect(saved()).toMatchObject({ changed: 0, repairs: 1 });
    expect(here.machine().events).toHaveLength(1);
  });

  it("leaves a running agent alone while the metadata service answered all along", async () => {
    here = ground(freshMachine());
    await guard();
    expect(here.machine().notes).not.toContain("stop AmazonSSMAgent");
  });

  it("restarts an agent that was cut off for two looks", async () => {
    here = ground(freshMachine({ routes: [], later: [{}, { routes: [route("0.0.0.0/0", GATEWAY, 6)] }] }));
    await guard();
    expect(here.machine().notes).toEqual(expect.arrayContaining(["stop AmazonSSMAgent", "start AmazonSSMAgent"]));
  });

  it("starts an agent that had given up", async () => {
    const services = { AmazonSSMAgent: service({ state: "Stopped" }) };
    here = ground(freshMachine({ services }));
    await guard();
    expect(here.machine().services.AmazonSSMAgent?.state).toBe("Running");
  });

  it("only looks when it is asked to check", async () => {
    here = ground(freshMachine());
    const before = here.machine();
    const { exitCode, result } = await guard({ Check: true });
    expect({ exitCode, result }).toEqual({ exitCode: 0, result: { paths: 1, metadataAnswers: false } });
    expect(here.machine()).toEqual(before);
  });
});
