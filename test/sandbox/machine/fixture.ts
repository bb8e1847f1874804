import { configurationOf } from "../../../lambdas/configuration/configuration.ts";
import type { PayloadManifest } from "../../../lambdas/machine/payload.ts";
import type { Action, Observation } from "../../../lambdas/machine/plan.ts";
import type { MachineSpec } from "../../../lambdas/profiles/machine-facts.ts";
import { join } from "../../../lambdas/profiles/okd/join.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { scriptDocuments } from "../../../lib/constructs/script-document.ts";
import { scriptText } from "../../../lib/constructs/script-text.ts";
import { AwsError } from "../../../lib/sandbox/core/aws-service.ts";
import type { Cloud, InstanceFacts, InstanceRole, KubernetesApi } from "../../../lib/sandbox/core/ports.ts";
import { createSimulation, type Simulation } from "../../../lib/sandbox/core/simulation.ts";
import { openStore, type Store } from "../../../lib/sandbox/core/store.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { sha256Of } from "../../../lib/sandbox/machine/disk.ts";
import { type Machines, machines } from "../../../lib/sandbox/machine/machines.ts";
import { payloadContent } from "../../../lib/sandbox/machine/payload.ts";
import type { Job, SsmBackend, StepResult } from "../../../lib/sandbox/machine/ssm-backend.ts";
import { type Registries, registries } from "../../../lib/sandbox/registries/registries.ts";
import { type ManualClock, manualClock } from "../manual-clock.ts";

export const minutes = (count: number): number => count * 60_000;

export function manualSimulation(clock: ManualClock, store: Store = openStore(":memory:"), seed = 11): Simulation {
  return createSimulation({ clock, store, seed, busy: clock.busy });
}

/** An instance as EC2 would describe it; `number` makes it unique. */
export const instance = (number: number, more: Partial<InstanceFacts> = {}): InstanceFacts => ({
  instanceId: `i-0${String(number).padStart(16, "0")}`,
  state: "running",
  imageId: "ami-0123456789abcdef0",
  platform: "windows",
  build: "10.0.20348",
  instanceType: "m5a.large",
  zone: "us-west-2a",
  privateIp: `10.0.0.${100 + number}`,
  privateDnsName: `ip-10-0-0-${100 + number}.us-west-2.compute.internal`,
  mac: `02-AB-CD-00-00-${String(number).padStart(2, "0")}`,
  gateway: "10.0.0.1",
  subnetCidr: "10.0.0.0/24",
  instanceProfileArn: demo.instanceProfileArn,
  tags: { "casement:cluster": demo.cluster.name, "casement:launched": "yes" },
  ...more,
});

/** Bucket and secrets as the node role may read them. */
export function roleFor(bucket: ReadonlyMap<string, string>, secrets: ReadonlyMap<string, string>): InstanceRole {
  return {
    readObject: async (_, name, key, version) => {
      const content = bucket.get(`${name}/${key}@${version}`);
      if (content === undefined) throw new AwsError("AccessDenied", "Access Denied", 403);
      return Buffer.from(content);
    },
    readSecret: async (instanceId, secretId) => {
      const secret = secrets.get(`${instanceId}/${secretId}`);
      if (secret === undefined) throw new AwsError("AccessDeniedException", `not authorized to read ${secretId}`);
      return secret;
    },
    registryPassword: async (_, region) => Buffer.from(`AWS:${region}`).toString("base64"),
  };
}

const PEM = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";

export const configuration = configurationOf({
  cluster: {
    name: demo.cluster.name,
    id: demo.cluster.id,
    profile: "okd",
    version: demo.cluster.version,
    region: demo.region,
    apiServer: "https://api-int.prod-west.example.com:6443",
    certificateAuthority: PEM,
    serviceNetwork: demo.networks.service,
    clusterNetwork: demo.networks.cluster,
    machineNetwork: demo.networks.machine,
  },
  slack: { teamId: "T0TOWN", appId: "A0TOWN", botUserId: "U0TOWN", botId: "B0TOWN", channel: "C0TOWN" },
  pools: {
    web: {
      windows: "2022",
      instanceTypes: ["m5a.large"],
      subnets: [demo.subnets[0].id],
      securityGroup: demo.securityGroups.windowsNodes,
      maximum: 8,
      taint: { key: "os", value: "Windows", effect: "NoSchedule" },
    },
  },
  bucket: demo.bucket,
  ledgerTable: demo.ledgerTable,
  instanceProfileArn: demo.instanceProfileArn,
});

const contentFor = (name: string): string => {
  if (name.endsWith(".ps1")) return scriptText(name.slice(0, -".ps1".length));
  return payloadContent(name.replace(/\.exe$/, ""), name === "containerd.exe" ? "1.7.28" : demo.cluster.version);
};

/** The payload in the bucket, and its manifest. */
export function payload(): { bucket: Map<string, string>; manifest: PayloadManifest } {
  const bucket = new Map<string, string>();
  const files = [...okd.payloadPaths].map(([name, path]) => {
    const content = contentFor(name);
    bucket.set(`${demo.bucket}/payload/${name}@v1`, content);
    const sha256 = sha256Of(content);
    return { name, version: "1", path, key: `payload/${name}`, versionId: "v1", sha256, size: content.length };
  });
  return { bucket, manifest: { format: 1, profile: "okd", kubernetes: demo.cluster.version, files } };
}

export function okdFacts(facts: InstanceFacts, manifest: PayloadManifest, kubeletClients = PEM): MachineSpec {
  const pool = configuration.pools.web;
  if (!pool) throw new Error("the configuration has no pool web");
  return {
    configuration,
    poolName: "web",
    pool,
    nodeName: facts.privateDnsName,
    nodeIp: facts.privateIp,
    build: facts.build ?? "",
    payload: manifest,
    kubeletClients,
    joinSecretId: "join",
  };
}

/** A kubeconfig in a secret, like the machine's. */
export const joinSecret = (token: string): string =>
  JSON.stringify({ kubeconfig: join.kubeconfig(configuration, token) });

export const stages = {
  guard: okd.plans.guard,
  features: okd.plans.features,
  payload: okd.plans.payload,
  configure: okd.plans.configure,
};

/** Report at the end of a command. */
export interface Report {
  readonly commandId: string;
  readonly status: string;
  readonly steps: readonly StepResult[];
}

/** The simulated machines, with Systems Manager played by the test. */
export interface Fixture {
  readonly clock: ManualClock;
  readonly simulation: Simulation;
  readonly machines: Machines;
  readonly registries: Registries;
  readonly instances: Map<string, InstanceFacts>;
  readonly bucket: Map<string, string>;
  readonly secrets: Map<string, string>;
  /** The machines' role; a test may replace its members. */
  readonly role: { -readonly [Name in keyof InstanceRole]: InstanceRole[Name] };
  readonly manifest: PayloadManifest;
  readonly pings: { instanceId: string; at: number }[];
  readonly reports: Report[];
  start(facts: InstanceFacts): void;
  online(instanceId: string): Promise<void>;
  run(instanceId: string, script: string, request: object): Promise<Report>;
  apply(instanceId: string, actions: readonly Action[]): Promise<Report>;
  observe(instanceId: string): Promise<Observation>;
}

const deaf: KubernetesApi = { answer: async () => ({ status: 503, headers: {}, body: "{}" }) };

/** A document's script as SSM delivers it. */
export function jobOf(commandId: string, script: string, request: object): Job {
  const content = JSON.parse(scriptDocuments(demo.cluster.name).find((one) => one.script === script)?.content ?? "{}");
  const [step] = content.mainSteps;
  return {
    commandId,
    documentName: `casement-${script}`,
    parameters: { Request: [Buffer.from(JSON.stringify(request)).toString("base64")] },
    steps: [
      {
        name: step.name,
        action: step.action,
        script: step.inputs.runCommand,
        timeoutSeconds: 1800,
        platform: "Windows",
      },
    ],
  };
}

export interface FixtureOptions {
  readonly kubernetes?: KubernetesApi;
  readonly clock?: ManualClock;
  readonly store?: Store;
  readonly instances?: Map<string, InstanceFacts>;
  readonly simulation?: Simulation;
}

export function machineFixture(options: FixtureOptions = {}): Fixture {
  const clock = options.clock ?? manualClock();
  const simulation = options.simulation ?? manualSimulation(clock, options.store);
  const instances = options.instances ?? new Map<string, InstanceFacts>();
  const { bucket, manifest } = payload();
  const secrets = new Map<string, string>();
  const cloud: Cloud = {
    instance: (id) => instances.get(id),
    instances: () => [...instances.values()],
    shutDownByGuest: () => undefined,
  };
  const role = { ...roleFor(bucket, secrets) };
  const images = registries(simulation);
  const yard = machines(simulation, { kubernetes: options.kubernetes ?? deaf, cloud, role, registries: images });
  const pings: Fixture["pings"] = [];
  const reports: Report[] = [];
  const control: SsmBackend = {
    ping: (instanceId) => void pings.push({ instanceId, at: clock.now() }),
    ready: () => undefined,
    report: (_, commandId, status, steps) => void reports.push({ commandId, status, steps }),
  };
  yard.attach(control);
  let commands = 0;
  const fixture: Fixture = {
    clock,
    simulation,
    machines: yard,
    registries: images,
    instances,
    bucket,
    secrets,
    role,
    manifest,
    pings,
    reports,
    start: (facts) => {
      instances.set(facts.instanceId, facts);
      simulation.bus.announce({ kind: "instance-state", instanceId: facts.instanceId, state: "running" });
    },
    online: (id) => clock.until(() => pings.some((ping) => ping.instanceId === id), minutes(10)),
    run: async (id, script, request) => {
      commands += 1;
      const commandId = `command-${commands}`;
      if (!yard.deliver(id, jobOf(commandId, script, request))) throw new Error(`no agent listens on ${id}`);
      await clock.until(() => reports.some((report) => report.commandId === commandId), minutes(40));
      return reports.find((report) => report.commandId === commandId) as Report;
    },
    apply: (id, actions) => {
      const plan = { format: 2, operation: "test", notAfter: clock.now() / 1000 + 60, actions };
      return fixture.run(id, "apply", { plan });
    },
    observe: async (id) => resultOf(await fixture.run(id, "observe", {})) as unknown as Observation,
  };
  return fixture;
}

/** Reads the JSON line that a script printed last. */
export function resultOf(report: Report): Record<string, unknown> {
  const line = report.steps.at(-1)?.stdout.trim().split("\n").at(-1) ?? "";
  return JSON.parse(line === "" ? "{}" : line);
}
