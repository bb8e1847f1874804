/** A network adapter of the emulated machine. */
export interface Adapter {
  readonly name: string;
  readonly index: number;
  readonly mac: string;
  readonly physical: boolean;
  readonly connected: boolean;
  readonly metric: number;
  readonly addresses: readonly { readonly ip: string; readonly prefix: number; readonly state: string }[];
}

/** A route of one of Windows' two stores. */
export interface Route {
  readonly prefix: string;
  readonly nextHop: string;
  readonly index: number;
  readonly metric: number;
  readonly store: "ActiveStore" | "PersistentStore";
}

/** A service as the stand-ins store it; one that `breaks` stops right after its start. */
export interface Service {
  readonly state: string;
  readonly startType: string;
  readonly commandLine: string;
  readonly description: string;
  readonly dependsOn: readonly string[];
  readonly account: string;
  readonly environment: readonly string[];
  readonly failureActions: readonly number[];
  readonly failureFlag: number;
  /** Exit code of its program when it breaks; 0 is reported as no error. */
  readonly exitCode?: number;
  readonly does?: "breaks" | "hangs" | "refuses";
  /** Files that its program writes at its start. */
  readonly writes?: Readonly<Record<string, string>>;
}

/** A scheduled task; `nextResult` is the result of its next run, `writes` the files that the run writes. */
export interface Task {
  readonly state: string;
  readonly lastResult: number;
  readonly nextResult: number;
  readonly runs?: number;
  readonly action?: { readonly execute: string; readonly arguments: string };
  readonly triggers?: readonly { readonly interval: string }[];
  readonly principal?: { readonly user: string };
  readonly writes?: Readonly<Record<string, string>>;
  readonly settings?: { readonly multipleInstances: string; readonly limit: number };
}

/** Everything that the stand-ins emulate. `later` holds the changes at each sleep of the script, one entry for each. */
export interface Machine {
  readonly build: string;
  readonly services: Readonly<Record<string, Service>>;
  readonly registry: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly adapters: readonly Adapter[];
  readonly routes: readonly Route[];
  readonly hns: {
    readonly networks: readonly object[];
    readonly endpoints: readonly object[];
    /** Words with which the service refuses every request. */
    readonly refusal?: string;
  };
  readonly firewall: Readonly<Record<string, object>>;
  readonly access: Readonly<Record<string, string>>;
  readonly features: Readonly<Record<string, string>>;
  readonly featureFails: boolean;
  /** Windows' result after a feature was installed. */
  readonly restartNeeded: "Yes" | "No" | "Maybe";
  readonly exclusions: readonly string[];
  readonly events: readonly { readonly kind: string; readonly id: number; readonly text: string }[];
  readonly tasks: Readonly<Record<string, Task>>;
  readonly notes: readonly string[];
  readonly scExitCode: number;
  /** Cmdlets that may not look: a policy denies them, or their service does not answer. */
  readonly denied?: readonly string[];
  /** Does App Control constrain PowerShell's language? */
  readonly constrained?: boolean;
  /** Name of the account S-1-5-18 in the language of this Windows. */
  readonly systemName: string;
  /** The account that a policy forces on every service; empty for none. */
  readonly imposedAccount: string;
  /** Programs that run as processes, by path. */
  readonly processes: readonly string[];
  /** Files that a program reads at this moment, by path. */
  readonly read?: readonly string[];
  /** Thumbprints by store. */
  readonly certificates: Readonly<Record<string, readonly string[]>>;
  /** Events of the log System, the oldest first. */
  readonly log: readonly { readonly at: string; readonly source: string; readonly id: number; readonly text: string }[];
  readonly later: readonly Partial<Machine>[];
}

export const MAC = "02-AA-BB-CC-DD-01";
export const GATEWAY = "10.0.0.1";
export const BOOT_KEY =
  "HKLM:\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management\\PrefetchParameters";
export const ENVIRONMENT_KEY = "HKLM:\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment";

export const SESSION_KEY = "HKLM:\\SYSTEM\\CurrentControlSet\\Control\\Session Manager";

/** A key that Component Based Servicing makes when it waits for a reboot. */
export const SERVICING_KEY =
  "HKLM:\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Component Based Servicing\\RebootPending";

/**
 * Full control for SYSTEM and Administrators only, as Windows reads it back from a folder and a file, and the inherited
 * access.
 */
export const CLOSED_FOLDER = "O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)";
export const CLOSED_FILE = "O:BAG:SYD:PAI(A;;FA;;;SY)(A;;FA;;;BA)";
export const GIVEN = "O:BAG:SYD:AI";

/** Builds SERVICE_FAILURE_ACTIONS as the registry stores it: restarts after these seconds. */
export const recovery = (seconds: readonly number[]): number[] =>
  [86_400, 0, 0, seconds.length, 20, ...seconds.flatMap((second) => [1, second * 1000])].flatMap((word) =>
    [0, 8, 16, 24].map((bits) => (word >>> bits) & 255),
  );

/** An adapter with one settled address. */
export const adapter = (index: number, mac: string, ip: string, change: Partial<Adapter> = {}): Adapter => ({
  name: `Ethernet ${index}`,
  index,
  mac,
  physical: true,
  connected: true,
  metric: 25,
  addresses: [{ ip, prefix: 24, state: "Preferred" }],
  ...change,
});

export const route = (
  prefix: string,
  nextHop: string,
  index: number,
  store: Route["store"] = "ActiveStore",
  metric = 0,
): Route => ({ prefix, nextHop, index, metric, store });

export const service = (change: Partial<Service> = {}): Service => ({
  state: "Running",
  startType: "Automatic",
  commandLine: "C:\\x.exe",
  description: "",
  dependsOn: [],
  account: "LocalSystem",
  environment: [],
  failureActions: [],
  failureFlag: 0,
  exitCode: 0,
  ...change,
});

/** Routes of a machine that reaches its metadata service. */
export const withMetadata: readonly Route[] = [route("0.0.0.0/0", GATEWAY, 6), route("169.254.169.254/32", GATEWAY, 6)];

/** A fresh machine on AWS: one adapter, the default route, the agent, EC2Launch that has finished. */
export const freshMachine = (change: Partial<Machine> = {}): Machine => ({
  build: "10.0.20348",
  services: { AmazonSSMAgent: service(), "Amazon EC2Launch": service({ state: "Stopped" }) },
  registry: { [BOOT_KEY]: { BootId: 7 }, [ENVIRONMENT_KEY]: { Path: "C:\\Windows" } },
  adapters: [adapter(6, MAC, "10.0.0.20")],
  routes: [route("0.0.0.0/0", GATEWAY, 6)],
  hns: { networks: [], endpoints: [] },
  firewall: {},
  access: {},
  features: { Containers: "Available", "FileAndStorage-Services": "Installed" },
  featureFails: false,
  restartNeeded: "Yes",
  exclusions: [],
  events: [],
  tasks: {},
  notes: [],
  scExitCode: 0,
  systemName: "SYSTEM",
  imposedAccount: "",
  processes: [],
  certificates: {},
  log: [],
  later: [],
  ...change,
});

const reaches = (machine: Machine, way: Route): boolean =>
  machine.adapters.some((one) => one.index === way.index && one.connected && one.addresses.length > 0);

/** Does a packet to the metadata service find a usable route, on an adapter with an address? */
export const metadataAnswers = (machine: Machine): boolean =>
  machine.routes.some(
    (way) =>
      way.prefix === "169.254.169.254/32" &&
      way.store === "ActiveStore" &&
      way.nextHop === GATEWAY &&
      reaches(machine, way),
  );
