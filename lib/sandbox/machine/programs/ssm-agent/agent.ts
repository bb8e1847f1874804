import type { Machine, Program, ProgramContext } from "../../machine.ts";
import { metadataAnswers } from "../../metadata.ts";
import type { Process } from "../../process.ts";
import { serviceKey } from "../../services.ts";
import { agentService } from "../../state.ts";
import { resumeDocuments } from "./documents.ts";

/** common/identity/identity_selector.go: three attempts, 500 ms apart. */
const IDENTITY_ATTEMPTS = 3;
const IDENTITY_PAUSE_MS = 500;
/** agent/appconfig/constants.go, DefaultSsmHealthFrequencyMinutes. */
const HEARTBEAT_MS = 5 * 60_000;
/** Role credentials live an hour and are read again at half of it (credentialrefresher.go). */
const CREDENTIALS_MS = 60 * 60_000;
/** getLongSleepDuration: 25 to 30 minutes after a missing permission. */
const REFUSED_MS = [25 * 60_000, 30 * 60_000] as const;

async function findIdentity(context: ProgramContext): Promise<boolean> {
  for (let attempt = 1; attempt <= IDENTITY_ATTEMPTS; attempt += 1) {
    if (metadataAnswers(context.machine)) return true;
    context.log(`failed to find identity, attempt ${attempt}: failed to get instance info from IMDS`);
    await context.process.pause(IDENTITY_PAUSE_MS);
  }
  return false;
}

/** Reads the role's credentials again when half of their lifetime is over and the metadata service answers. */
function refreshCredentials(machine: Machine): void {
  const now = machine.simulation.clock.now();
  const until = machine.state.credentialsUntil ?? 0;
  if (until - now > CREDENTIALS_MS / 2 || !metadataAnswers(machine)) return;
  if (machine.facts().instanceProfileArn === null) return;
  machine.state.credentialsUntil = now + CREDENTIALS_MS;
  machine.save();
}

const connections = new WeakSet<Process>();

/** Does the agent have credentials, and no fault that silences it? */
const canReachService = (machine: Machine): boolean =>
  (machine.state.credentialsUntil ?? 0) > machine.simulation.clock.now() && !machine.faultApplies("agent-silent");

/** Is a registered agent running here that takes commands? */
export function agentListens(machine: Machine): boolean {
  const process = machine.processes.get(serviceKey(agentService));
  return process !== undefined && connections.has(process) && canReachService(machine);
}

const releases: Readonly<Record<string, string>> = {
  "10.0.17763": "Microsoft Windows Server 2019 Datacenter",
  "10.0.20348": "Microsoft Windows Server 2022 Datacenter",
  "10.0.26100": "Microsoft Windows Server 2025 Datacenter",
};

/** Sends one heartbeat. @returns false when the service refused it */
function ping(context: ProgramContext): boolean {
  const { machine } = context;
  const facts = machine.facts();
  const build = facts.build ?? "";
  try {
    machine.ssmBackend().ping(machine.id, {
      agentVersion: context.version,
      platformName: releases[build] ?? "Microsoft Windows Server",
      platformVersion: build,
      computerName: `${machine.state.computerName}.WORKGROUP`,
      ipAddress: facts.privateIp,
    });
    return true;
  } catch (error) {
    context.log(`error occurred in RequestManagedInstanceRoleToken: ${String(error)}`);
    return false;
  }
}

/** The fault "agent-never-online": an agent that it has hit stays offline until its machine boots again. */
function isLost(machine: Machine): boolean {
  if (!machine.state.agentLost && machine.faultApplies("agent-never-online")) {
    machine.state.agentLost = true;
    machine.save();
  }
  return machine.state.agentLost;
}

/** Registers; retries until the service accepts it. */
async function register(context: ProgramContext): Promise<void> {
  const { machine, process } = context;
  for (;;) {
    await process.pause(machine.duration(...machine.simulation.figures.agentRegistering));
    if (isLost(machine)) {
      await process.pause(HEARTBEAT_MS);
      continue;
    }
    refreshCredentials(machine);
    if (canReachService(machine) && ping(context)) return;
    await process.pause(machine.duration(...REFUSED_MS));
  }
}

function beat(context: ProgramContext): void {
  refreshCredentials(context.machine);
  if (canReachService(context.machine)) ping(context);
}

function connected(context: ProgramContext): void {
  connections.add(context.process);
  // Its last heartbeat may be as old as the time for which the simulator did not run.
  if (context.resumed) beat(context);
  context.process.every(HEARTBEAT_MS, () => beat(context));
  resumeDocuments(context.machine);
  context.machine.ssmBackend().ready(context.machine.id);
}

async function live(context: ProgramContext): Promise<void> {
  const { machine, process } = context;
  if (!context.resumed || machine.state.credentialsUntil === null) {
    await process.pause(machine.duration(...machine.simulation.figures.agentLoading));
    if (!(await findIdentity(context))) return context.exit(1, "failed to find agent identity");
    await register(context);
  }
  connected(context);
}

/**
 * The SSM agent: stops at its start without the metadata service. Once it runs, it sends heartbeats until its
 * credentials expire, even while every command fails.
 */
export const ssmAgent: Program = (context) => {
  void live(context);
  return undefined;
};
