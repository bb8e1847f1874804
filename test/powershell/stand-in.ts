/** A network adapter of the played machine. */
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

/** A service as the stand-ins keep it; one that `breaks` stops right after its start. */
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
  readonly breaks?: boolean;
}

/** A scheduled task; `nextResult` is how its next run ends. */
export interface Task {
  readonly state: string;
  readonly lastResult: number;
  readonly nextResult: number;
  readonly runs?: number;
  readonly action?: { readonly execute: string; readonly arguments: string };
  readonly triggers?: readonly { readonly interval: string }[];
  readonly principal?: { readonly user: string };
  readonly settings?: { readonly multipleInstances: string; readonly limit: number };
}

/** Everything that the stand-ins play. `later` holds what changes at each sleep of the script, one entry a time. */
export interface Machine {
  readonly build: string;
  readonly services: Readonly<Record<string, Service>>;
  readonly registry: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly adapters: readonly Adapter[];
  readonly routes: readonly Route[];
  readonly hns: { readonly networks: readonly object[]; readonly endpoints: readonly object[] };
  readonly firewall: Readonly<Record<string, object>>;
  readonly access: Readonly<Record<string, string>>;
  /** "bucket/key@version" → base64 */
  readonly objects: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly features: Readonly<Record<string, string>>;
  readonly featureFails: boolean;
  /** Windows' own word after a feature was installed. */
  readonly restartNeeded: "Yes" | "No" | "Maybe";
  readonly exclusions: readonly string[];
  readonly events: readonly { readonly kind: string; readonly text: string }[];
  readonly tasks: Readonly<Record<string, Task>>;
  readonly notes: readonly string[];
  readonly scExitCode: number;
  readonly later: readonly Partial<Machine>[];
}

export const MAC = "02-AA-BB-CC-DD-01";
export const GATEWAY = "10.0.0.1";
export const BOOT_KEY =
  "HKLM:\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management\\PrefetchParameters";
export const ENVIRONMENT_KEY = "HKLM:\\SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Environment";

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
  ...change,
});

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
  objects: {},
  secrets: {},
  features: { Containers: "Available", "FileAndStorage-Services": "Installed" },
  featureFails: false,
  restartNeeded: "Yes",
  exclusions: [],
  events: [],
  tasks: {},
  notes: [],
  scExitCode: 0,
  later: [],
  ...change,
});

const reaches = (machine: Machine, way: Route): boolean =>
  machine.adapters.some((one) => one.index === way.index && one.connected && one.addresses.length > 0);

/** What a packet to the metadata service meets: the route of the best kind, on an adapter with an address. */
export const metadataAnswers = (machine: Machine): boolean =>
  machine.routes.some(
    (way) =>
      way.prefix === "169.254.169.254/32" &&
      way.store === "ActiveStore" &&
      way.nextHop === GATEWAY &&
      reaches(machine, way),
  );
