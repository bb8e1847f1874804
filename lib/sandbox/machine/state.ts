import type { RebootReason } from "../../../lambdas/machine/questions.ts";
import type { InstanceFacts } from "../core/ports.ts";
import type { LEFTOVERS } from "./fault-kinds.ts";
import type { HnsEndpoint, HnsNetwork, HnsProcess } from "./hns-state.ts";
import { type Certificate, imageCertificates } from "./image-certificates.ts";

/** "off" also means that the instance is stopped or gone. */
export type Power = "off" | "booting" | "running" | "shutting-down";

/** A network adapter as Get-NetAdapter and Get-NetIPAddress show it together. */
export interface Adapter {
  readonly index: number;
  readonly name: string;
  readonly mac: string;
  readonly physical: boolean;
  /** Null once a virtual switch has the address. */
  ip: string | null;
  /** Prefix length of its subnet. */
  readonly prefixLength: number;
  readonly connected: boolean;
  /** The route with the lower metric wins. */
  readonly metric: number;
}

/** One IPv4 route; `interface` is the adapter's name. A persistent one is there again after a boot. */
export interface Route {
  readonly prefix: string;
  readonly nextHop: string;
  readonly interface: string;
  readonly persistent: boolean;
}

/** "InstallPending" until the next boot: Get-WindowsFeature's own word. */
export interface Feature {
  readonly name: string;
  state: "Installed" | "InstallPending";
}

/** The states of Get-Service that are simulated. */
export type ServiceState = "Stopped" | "StartPending" | "Running" | "StopPending";

/** A Windows service as the service control manager keeps it. */
export interface Service {
  readonly name: string;
  description: string;
  state: ServiceState;
  startType: "Automatic" | "Manual" | "Disabled";
  commandLine: string;
  /** Account that it runs as. */
  account: string;
  /** NAME=value strings of the service's own environment, in the registry. */
  environment: string[];
  /** The same as its process read them when it started; missing while there is no process. */
  startedWith?: string[];
  /** Start of its process by the machine's clock, ms since the epoch; missing while there is none. */
  startedAt?: number;
  dependsOn: string[];
  /** Seconds before each restart after a failure; the last one repeats; empty for none. */
  restartAfter: number[];
  /** Restart also after an exit with an error, not only after a crash. */
  failureFlag: boolean;
  failures: number;
  exitCode: number;
  /** Of its process; 0 while there is none. */
  processId: number;
}

/** A scheduled task that runs one script file, at start-up and at an interval. */
export interface Task {
  readonly name: string;
  /** The account, by its name on this machine. */
  user: string;
  /** Path of the file. */
  script: string;
  arguments: string[];
  /** 0: at start-up only. */
  everyMinutes: number;
  enabled: boolean;
  running: boolean;
  /** 267011 is Windows' "the task has not yet run". */
  lastResult: number;
  /** Ms since the epoch. */
  lastRun: number | null;
}

/** A rule of the Windows firewall about traffic that comes in on one port. */
export interface FirewallRule {
  readonly name: string;
  readonly enabled: boolean;
  readonly action: "Allow" | "Block";
  readonly protocol: string;
  readonly port: number;
  readonly remoteAddresses: readonly string[];
}

/** Everything that a machine stores beside its disk, as plain JSON. */
export interface MachineState {
  readonly instanceId: string;
  computerName: string;
  power: Power;
  /** Sysprep has finished: IMAGE_STATE_COMPLETE. */
  prepared: boolean;
  /** HKLM …\Memory Management\PrefetchParameters\BootId: rises by one at each boot. */
  bootId: number;
  /** Beginning of the present boot, ms since the epoch. */
  bootedAt: number;
  adapters: Adapter[];
  routes: Route[];
  hnsNetworks: HnsNetwork[];
  hnsEndpoints: HnsEndpoint[];
  /** The process of the Host Networking Service; missing until a network was made, and in states of an earlier sandbox. */
  hns?: HnsProcess;
  features: Feature[];
  /** Features that are being installed, and until when. */
  installing: Record<string, number>;
  /** Keyed by lower-case name. */
  services: Record<string, Service>;
  /** Modules that PowerShell has loaded once in this boot (loading.ts). */
  modules: string[];
  /** Services that the boot has yet to start, in order. */
  starting: string[];
  tasks: Record<string, Task>;
  certificates: Certificate[];
  /** Machine-wide variables, in the registry. */
  environment: Record<string, string>;
  /** The same as of the boot, which every service's process has; missing before the first boot. */
  bootEnvironment?: Record<string, string>;
  /** Paths of programs that run beside the services: Windows keeps each file locked. A boot ends them. */
  loaded: string[];
  firewall: FirewallRule[];
  /** Does Microsoft Defender run, as in AWS's images? */
  defenderRuns: boolean;
  defenderExclusions: string[];
  /** Certificate requests that are under way, by the file that waits for the certificate. */
  requests: Record<string, { readonly name: string; readonly key: string }>;
  /** Expiry of the agent's role credentials, ms; null while it has none. */
  credentialsUntil: number | null;
  /** The fault "agent-never-online" struck the agent in this boot. */
  agentLost: boolean;
  /** Reasons for which Windows waits for a reboot, beside features; missing in the state of an earlier sandbox. */
  awaited?: (RebootReason | typeof LEFTOVERS)[];
  /** HKLM …\Session Manager\PendingFileRenameOperations: each file with its new name, empty for a deletion. */
  renames?: string[];
  /** It went down without a shutdown: the next start writes so into the event log. */
  wasCut?: boolean;
  /** Work on updates, while this boot is busy with it. */
  updates?: "installing" | "undoing";
}

/** 0x41303, SCHED_S_TASK_HAS_NOT_RUN. */
export const taskNeverRan = 267_011;
/** 0x41306, SCHED_S_TASK_TERMINATED. */
export const taskTerminated = 267_014;

/** Name of the account S-1-5-18 on an English Windows. */
export const systemAccount = "SYSTEM";

/** Name of the agent's service in AWS's Windows images. */
export const agentService = "AmazonSSMAgent";
/** Name of EC2Launch's service. */
export const launchService = "Amazon EC2Launch";

const builtIn = (name: string, description: string, commandLine: string): Service => ({
  name,
  description,
  state: "Stopped",
  startType: "Automatic",
  commandLine,
  account: "LocalSystem",
  environment: [],
  dependsOn: [],
  restartAfter: [],
  failureFlag: false,
  failures: 0,
  exitCode: 0,
  processId: 0,
});

/** Paths of the programs in AWS's image. */
export const imagePrograms = {
  "amazon-ssm-agent": "C:\\Program Files\\Amazon\\SSM\\amazon-ssm-agent.exe",
  "ec2-launch": "C:\\Program Files\\Amazon\\EC2Launch\\EC2Launch.exe",
} as const;

const imageServices = (): Record<string, Service> => ({
  [agentService.toLowerCase()]: builtIn(agentService, "Amazon SSM Agent", `"${imagePrograms["amazon-ssm-agent"]}"`),
  [launchService.toLowerCase()]: builtIn(launchService, "Amazon EC2Launch", `"${imagePrograms["ec2-launch"]}" service`),
});

/** The network card that EC2 gives to an instance. */
export const ethernet = ({ mac, privateIp, subnetCidr }: InstanceFacts): Adapter => ({
  index: 6,
  name: "Ethernet",
  mac,
  physical: true,
  ip: privateIp,
  prefixLength: Number(subnetCidr.split("/")[1] ?? 24),
  connected: true,
  metric: 25,
});

/**
 * The state of a machine in AWS's image, never booted.
 * @param facts EC2's facts about the instance
 * @param firstBootId the boot id that the image was captured with (assumed 3 to 6: the image's own preparation)
 * @param suffix seven letters and digits for the computer name EC2AMAZ-…
 */
export function newMachineState(facts: InstanceFacts, firstBootId: number, suffix: string): MachineState {
  return {
    instanceId: facts.instanceId,
    computerName: `EC2AMAZ-${suffix}`,
    power: "off",
    prepared: false,
    bootId: firstBootId,
    bootedAt: 0,
    adapters: [ethernet(facts)],
    routes: [],
    hnsNetworks: [],
    hnsEndpoints: [],
    features: [],
    installing: {},
    modules: [],
    starting: [],
    services: imageServices(),
    tasks: {},
    certificates: [...imageCertificates],
    environment: {},
    loaded: [],
    firewall: [],
    defenderRuns: true,
    defenderExclusions: [],
    requests: {},
    credentialsUntil: null,
    agentLost: false,
  };
}
