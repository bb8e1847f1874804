import type { FigureName } from "../core/figures.ts";
import { applyAgentProxy } from "./agent-proxy.ts";
import { type Initiator, initiators, logRestart, logUncleanStart } from "./boot-events.ts";
import { autostart, resumeServices } from "./boot-services.ts";
import { applyGuardLoss } from "./guard-loss.ts";
import type { Machine } from "./machine.ts";
import { hnsAtBoot, routesAtBoot } from "./network.ts";
import { applyServiceFaults, dropServices } from "./services.ts";
import { dropTasks, resumeTasks, tasksAtBoot } from "./tasks.ts";
import { applyAwaited, unattendedBoot } from "./unattended.ts";
import { updatesAtBoot } from "./updates.ts";

/** Phases of booting, by the figure of their length: a first boot restarts between its two. */
const firstBoot = ["specialize", "outOfBox"] as const;
const laterBoot = ["laterBoot"] as const;

const phaseKey = (machine: Machine): string => `${machine.id}/power`;
const phasesOf = (machine: Machine): readonly FigureName[] => (machine.state.prepared ? laterBoot : firstBoot);

function enter(machine: Machine, at: number): void {
  const phase = phasesOf(machine)[at];
  if (!phase) {
    up(machine);
    return;
  }
  // The fault's description says four times.
  const slow = machine.faultApplies("slow-boot") ? 4 : 1;
  const ms = machine.duration(...machine.simulation.figures[phase]) * slow + (at === 0 ? updatesAtBoot(machine) : 0);
  machine.timers.set(phaseKey(machine), ms, "boot-phase", { instanceId: machine.id, next: String(at + 1) });
}

/** Finishes the installed features that waited for a boot. */
function finishFeatures(machine: Machine): void {
  for (const feature of machine.state.features) feature.state = "Installed";
}

function up(machine: Machine): void {
  machine.state.prepared = true;
  machine.state.power = "running";
  delete machine.state.updates;
  finishFeatures(machine);
  const { wasCut = false } = machine.state;
  machine.state.wasCut = false;
  machine.save();
  machine.log("EventLog", `6005 The Event log service was started. Boot ${machine.state.bootId}.`);
  if (wasCut) logUncleanStart(machine);
  autostart(machine);
  tasksAtBoot(machine);
  scheduleFaultCheck(machine);
}

const faultCheckKey = (machine: Machine): string => `${machine.id}/watch`;
/** Interval of the check for faults (chosen for the simulator). */
const FAULT_CHECK_MS = 30_000;

/** Schedules the next check whether a fault applies to a running service. */
function scheduleFaultCheck(machine: Machine): void {
  machine.timers.set(faultCheckKey(machine), FAULT_CHECK_MS, "watch", { instanceId: machine.id });
}

/** Applies faults to running services, when the timer of `scheduleFaultCheck` fires. */
export function checkFaults(machine: Machine): void {
  if (machine.state.power !== "running") return;
  applyServiceFaults(machine);
  applyGuardLoss(machine);
  applyAgentProxy(machine);
  applyAwaited(machine);
  scheduleFaultCheck(machine);
  const boot = unattendedBoot(machine);
  if (boot === "cut") cut(machine);
  else if (boot !== null) restart(machine, 0, boot);
}

function newBoot(machine: Machine): void {
  machine.state.bootId += 1;
  machine.state.bootedAt = machine.simulation.clock.now();
  applyAgentProxy(machine);
  machine.state.bootEnvironment = { ...machine.state.environment };
  machine.state.installing = {};
  machine.state.loaded = [];
  machine.state.awaited = [];
  machine.state.renames = [];
  machine.state.modules = [];
  machine.state.agentLost = false;
  hnsAtBoot(machine);
  routesAtBoot(machine);
}

/** Powers on: a new boot with a new boot id. */
export function powerOn(machine: Machine): void {
  machine.state.power = "booting";
  newBoot(machine);
  enter(machine, 0);
}

/** Sets the state after a boot without running it: no service or task was started. */
export function beginRunning(machine: Machine): void {
  newBoot(machine);
  machine.state.prepared = true;
  machine.state.power = "running";
  machine.save();
  scheduleFaultCheck(machine);
}

/** Ends a phase of the boot; the specialize pass ends with a restart. */
export function bootPhaseDue(machine: Machine, next: number): void {
  if (machine.state.power !== "booting") return;
  if (machine.faultApplies("boot-hangs")) {
    machine.log("Boot", "Getting Windows ready …");
    return;
  }
  if (next < phasesOf(machine).length) machine.state.bootId += 1;
  machine.save();
  enter(machine, next);
}

/** Powers off at once: everything that ran is gone. */
export function powerOff(machine: Machine): void {
  machine.timers.cancel(phaseKey(machine));
  machine.timers.cancel(resetKey(machine));
  machine.timers.cancel(faultCheckKey(machine));
  dropServices(machine);
  dropTasks(machine);
  machine.state.power = "off";
  machine.save();
}

/**
 * Restarts the operating system; EC2 keeps saying "running".
 * @param delayMs delay before the shutdown ("shutdown /r /t 60")
 * @param by the initiator, whom Windows' log names
 */
export function restart(machine: Machine, delayMs: number, by: Initiator): void {
  machine.timers.set(phaseKey(machine), delayMs, "shut-down", { instanceId: machine.id, by });
}

/** Takes the power from a machine and gives it back: nothing was shut down. */
function cut(machine: Machine): void {
  powerOff(machine);
  machine.state.wasCut = true;
  powerOn(machine);
}

/**
 * Time after which EC2 resets an instance whose operating system has not shut down: "within four minutes" (EC2 user guide,
 * "Reboot your instance": "If an instance does not cleanly shut down within a few minutes, Amazon EC2 performs a hard reboot";
 * the API reference of RebootInstances says four).
 */
const HARD_RESET_MS = 240_000;

const resetKey = (machine: Machine): string => `${machine.id}/hard-reset`;

/** EC2's reboot: Windows is asked to restart; one that does not react, as while it boots, is reset. */
export function rebootFromOutside(machine: Machine, delayMs: number): void {
  if (machine.state.power === "running") restart(machine, delayMs, "ec2");
  else machine.timers.set(resetKey(machine), HARD_RESET_MS, "hard-reset", { instanceId: machine.id });
}

/** Resets a machine that has not reacted to EC2's reboot; one that came up meanwhile has been told, and restarts by itself. */
export function hardResetDue(machine: Machine): void {
  if (machine.state.power === "off") return;
  if (machine.state.power === "running") restart(machine, 0, "ec2");
  else cut(machine);
}

/** Ends the services; a boot follows. @param by the initiator, as the timer carries it */
export function shutDownDue(machine: Machine, by: string | undefined): void {
  logRestart(machine, initiators.find((one) => one === by) ?? "ssm-agent");
  machine.state.power = "shutting-down";
  dropServices(machine);
  dropTasks(machine);
  const ms = machine.duration(...machine.simulation.figures.shutdown);
  machine.timers.set(phaseKey(machine), ms, "power-on", { instanceId: machine.id });
}

/** Resumes a running machine's services and tasks after a restart of the simulator. */
export function resumePower(machine: Machine): void {
  if (machine.state.power !== "running") return;
  resumeServices(machine);
  resumeTasks(machine);
}
