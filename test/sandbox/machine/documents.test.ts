import { describe, expect, it } from "vitest";
import { type Machine, openMachine, type ScriptEnd } from "../../../lib/sandbox/machine/machine.ts";
import type { PersistentTimers } from "../../../lib/sandbox/machine/persistent-timers.ts";
import { newProcess } from "../../../lib/sandbox/machine/process.ts";
import { resumeDocuments, takeDocument } from "../../../lib/sandbox/machine/programs/ssm-agent/documents.ts";
import { serviceKey } from "../../../lib/sandbox/machine/services.ts";
import type { StepResult } from "../../../lib/sandbox/machine/ssm-backend.ts";
import { agentService, newMachineState } from "../../../lib/sandbox/machine/state.ts";
import { type ManualClock, manualClock } from "../manual-clock.ts";
import { instance, manualSimulation, minutes } from "./fixture.ts";

const facts = instance(1);

interface Bench {
  readonly machine: Machine;
  readonly clock: ManualClock;
  readonly reports: { status: string; steps: readonly StepResult[] }[];
  readonly reboots: string[];
}

/** A machine with an agent and one script with the result that the test sets. */
function bench(script: () => Promise<ScriptEnd>): Bench {
  const clock = manualClock();
  const simulation = manualSimulation(clock);
  const reports: Bench["reports"] = [];
  const reboots: string[] = [];
  const timers = {
    set: (_key, _ms, what) => void reboots.push(what),
    cancel: () => undefined,
  } as Partial<PersistentTimers> as PersistentTimers;
  const state = newMachineState(facts, 4, "ABCDEFG");
  state.routes = [{ prefix: "169.254.169.254/32", nextHop: "10.0.0.1", interface: "Ethernet", persistent: false }];
  const machine = openMachine(
    {
      simulation,
      ports: { cloud: { instance: () => facts } } as never,
      states: simulation.store.collection("s"),
      logs: simulation.store.collection("l"),
      timers: () => timers,
      programs: {},
      scripts: { observe: script },
      ssmBackend: () => ({
        ping: () => undefined,
        ready: () => undefined,
        report: (_, __, status, steps) => void reports.push({ status, steps }),
      }),
    },
    state,
  );
  machine.processes.set(serviceKey(agentService), newProcess(simulation));
  return { machine, clock, reports, reboots };
}

const step = (name: string, timeoutSeconds = 60) => ({
  name,
  action: "aws:runPowerShellScript",
  script: ["# casement-script: observe"],
  timeoutSeconds,
  platform: "Windows",
});

const take = ({ machine }: Bench, ...steps: ReturnType<typeof step>[]): void =>
  takeDocument(machine, { commandId: "c", documentName: "d", parameters: {}, steps });

const ending =
  (exitCode: number): (() => Promise<ScriptEnd>) =>
  async () => ({ exitCode, stdout: "", stderr: "" });

describe("a document", () => {
  it.each([
    [0, "Success", 2],
    [1, "Failed", 1],
    [168, "Success", 1],
    [169, "Failed", 1],
  ])("whose script exits with %i ends as %s after %i steps", async (exitCode, status, steps) => {
    const one = bench(ending(exitCode));
    take(one, step("first"), step("second"));
    await one.clock.advance(minutes(1));
    expect(one.reports).toMatchObject([{ status }]);
    expect(one.reports[0]?.steps).toHaveLength(steps);
    expect(one.reboots).toEqual([]);
  });

  it("whose script always asks for a reboot is run fifteen times and then dropped", async () => {
    let runs = 0;
    const one = bench(async () => {
      runs += 1;
      return { exitCode: 3010, stdout: "", stderr: "" };
    });
    take(one, step("only"));
    for (let boot = 0; boot < 20; boot += 1) {
      await one.clock.advance(minutes(1));
      one.machine.state.bootId += 1;
      resumeDocuments(one.machine);
    }
    expect(runs).toBe(15);
    expect(one.reboots).toHaveLength(15);
    expect(one.reports).toEqual([]);
  });

  it("that asked for a reboot is not run again before the machine went down", async () => {
    let runs = 0;
    const one = bench(async () => {
      runs += 1;
      return { exitCode: runs === 1 ? 3010 : 0, stdout: "", stderr: "" };
    });
    take(one, step("only"));
    await one.clock.advance(minutes(1));
    resumeDocuments(one.machine);
    await one.clock.advance(minutes(1));
    expect(runs).toBe(1);
    one.machine.state.bootId += 1;
    resumeDocuments(one.machine);
    await one.clock.advance(minutes(1));
    expect(one.reports).toMatchObject([{ status: "Success" }]);
  });

  it("is stopped at its time limit with -1", async () => {
    const one = bench(() => new Promise(() => undefined));
    take(one, step("only", 5));
    await one.clock.advance(minutes(1));
    expect(one.reports).toMatchObject([{ status: "TimedOut", steps: [{ exitCode: -1 }] }]);
  });

  it("reports its end when the agent is back, if it was offline at that moment", async () => {
    const one = bench(ending(0));
    take(one, step("only"));
    one.machine.processes.delete(serviceKey(agentService));
    await one.clock.advance(minutes(1));
    expect(one.reports).toEqual([]);
    one.machine.processes.set(serviceKey(agentService), newProcess(one.machine.simulation));
    resumeDocuments(one.machine);
    expect(one.reports).toMatchObject([{ status: "Success" }]);
  });

  it("skips steps for other platforms", async () => {
    const one = bench(ending(1));
    take(one, { ...step("only"), platform: "Linux" });
    await one.clock.advance(minutes(1));
    expect(one.reports).toMatchObject([{ status: "Success", steps: [{ stdout: expect.stringContaining("skipped") }] }]);
  });
});
