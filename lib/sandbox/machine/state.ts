import type { InstanceFacts } from "../core/surroundings.ts";

/** "off" also stands for an instance that is stopped or gone. */
export type Power = "off" | "booting" | "running" | "shutting-down";

/** A network adapter as Get-NetAdapter and Get-NetIPAddress show it together. */
export interface Adapter {
  readonly index: number;
  readonly name: string;
  readonly mac: string;
  readonly physical: boolean;
  /** Null once a virtual switch took the address over. */
  ip: string | null;
}

/** One IPv4 route; `interface` is the adapter's name. A persistent one is there again after a boot. */
export interface Route {
  readonly prefix: string;
  readonly nextHop: string;
  readonly interface: string;
  readonly persistent: boolean;
}

/** A network of the Host Networking Service. */
export interface HnsNetwork {
  readonly name: string;
  readonly subnet: string;
  readonly managementIp: string;
  readonly routerMac: string;
  readonly persistent: boolean;
}

/** An endpoint of the Host Networking Service: an address on one of its networks. */
export interface HnsEndpoint {
  readonly name: string;
  readonly network: string;
  readonly ip: string;
}

/** "InstallPending" until the next boot: Get-WindowsFeature's own word. */
export interface Feature {
  readonly name: string;
  state: "Installed" | "InstallPending";
}

/** Get-Service's states, as far as services here can be in them. */
export type ServiceState = "Stopped" | "StartPending" | "Running" | "StopPending";

/** A Windows service as the service control manager keeps it. */
export interface Service {
  readonly name: string;
  description: string;
  state: ServiceState;
  startType: "Automatic" | "Manual" | "Disabled";
  commandLine: string;
  /** NAME=value strings of the service's own environment. */
  environment: string[];
  dependsOn: string[];
  /** Seconds before each restart after a failure; the last one repeats; empty for none. */
  restartAfter: number[];
  failures: number;
  exitCode: number;
}

/** A scheduled task that runs one script file, at start-up and at an interval. */
export interface Task {
  readonly name: string;
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

/** A certificate in a store of the machine ("Root"). */
export interface Certificate {
  readonly store: string;
  readonly thumbprint: string;
  readonly subject: string;
}

/** A rule of the Windows firewall that lets traffic in on one port. */
export interface FirewallRule {
  readonly name: string;
  readonly protocol: string;
  readonly port: number;
  readonly remoteAddresses: readonly string[];
}

/** Everything a machine remembers beside its disk. Plain JSON, kept in the store. */
export interface MachineState {
  readonly instanceId: string;
  computerName: string;
  power: Power;
  /** Sysprep has finished: IMAGE_STATE_COMPLETE. */
  prepared: boolean;
  /** HKLM …\Memory Management\PrefetchParameters\BootId: rises by one at each boot. */
  bootId: number;
  /** When the present boot began, ms since the epoch. */
  bootedAt: number;
  adapters: Adapter[];
  routes: Route[];
  hnsNetworks: HnsNetwork[];
  hnsEndpoints: HnsEndpoint[];
  features: Feature[];
  /** Features that are being installed, and until when. */
  installing: Record<string, number>;
  /** By lower-case name. */
  services: Record<string, Service>;
  /** Services that the boot has yet to start, in its order. */
  starting: string[];
  tasks: Record<string, Task>;
  certificates: Certificate[];
  environment: Record<string, string>;
  firewall: FirewallRule[];
  defenderExclusions: string[];
  /** Certificate requests that are under way, by the file that waits for the certificate. */
  requests: Record<string, { readonly name: string; readonly key: string }>;
  /** Until when the agent's role credentials are good, ms; null while it has none. */
  credentialsUntil: number | null;
  /** The mishap "agent-never-online" struck the agent in this boot. */
  agentLost: boolean;
}

/** 0x41303, SCHED_S_TASK_HAS_NOT_RUN. */
export const taskNeverRan = 267_011;

/** The agent's service, under the name it has in AWS's Windows images. */
export const agentService = "AmazonSSMAgent";
/** EC2Launch's, likewise. */
export const launchService = "Amazon EC2Launch";

const builtIn = (name: string, description: string, commandLine: string): Service => ({
  name,
  description,
  state: "Stopped",
  startType: "Automatic",
  commandLine,
  environment: [],
  dependsOn: [],
  restartAfter: [],
  failures: 0,
  exitCode: 0,
});

/** Where the programs of AWS's image lie. */
export const imagePrograms = {
  "amazon-ssm-agent": "C:\\Program Files\\Amazon\\SSM\\amazon-ssm-agent.exe",
  "ec2-launch": "C:\\Program Files\\Amazon\\EC2Launch\\EC2Launch.exe",
} as const;

const imageServices = (): Record<string, Service> => ({
  [agentService.toLowerCase()]: builtIn(agentService, "Amazon SSM Agent", `"${imagePrograms["amazon-ssm-agent"]}"`),
  [launchService.toLowerCase()]: builtIn(launchService, "Amazon EC2Launch", `"${imagePrograms["ec2-launch"]}" service`),
});

/**
 * A machine as it lies in AWS's image, never booted.
 * @param facts what EC2 knows of the instance
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
    adapters: [{ index: 6, name: "Ethernet", mac: facts.mac, physical: true, ip: facts.privateIp }],
    routes: [],
    hnsNetworks: [],
    hnsEndpoints: [],
    features: [],
    installing: {},
    starting: [],
    services: imageServices(),
    tasks: {},
    certificates: [],
    environment: {},
    firewall: [],
    defenderExclusions: [],
    requests: {},
    credentialsUntil: null,
    agentLost: false,
  };
}
