import { expect } from "vitest";
import { answersHash, type ProxyPlace, type Questions } from "../../lambdas/machine/questions.ts";
import { pendingVariables } from "./apply-variables.ts";
import { type MachineCase, sha256 } from "./case.ts";
import { exits } from "./exits.ts";
import { pendingFiles } from "./pending-files.ts";
import {
  adapter,
  BOOT_KEY,
  ENVIRONMENT_KEY,
  GATEWAY,
  MAC,
  type Machine,
  route,
  SERVICING_KEY,
  service,
  withMetadata,
} from "./windows.ts";

const authority = "-----BEGIN CERTIFICATE-----\n";
const asks = { script: "observe", exitCode: 0 } as const;
const nextHop = GATEWAY;
const named = "Ethernet 6";
const mac = MAC;
const overlay = "OVNKubernetesHybridOverlayNetwork";
const guardTask = { state: "Ready", lastResult: 0, nextResult: 0 };
const boots = [
  { at: "2026-11-20T08:00:00Z", source: "User32", id: 1074, text: "shutdown.exe has initiated the restart" },
  { at: "2026-11-21T09:00:00Z", source: "EventLog", id: 6008, text: "The previous system shutdown was unexpected." },
];

/** Start of the process of every service that runs, in the stand-ins and on the simulated machine. */
const PROCESS_START = "2026-01-01T00:00:00Z";

/** Questions whose answers are wanted whole. */
const whole = (questions: Questions) => () => ({ questions, whole: true });

const agentCase = (name: string, before: Partial<Machine>, proxiedBy: readonly ProxyPlace[]): MachineCase => ({
  ...asks,
  name,
  before,
  request: whole({ agent: true }),
  answers: { agent: { proxiedBy } },
});

const byService = { services: { AmazonSSMAgent: service({ environment: ["A=1", "https_proxy=http://proxy:3128"] }) } };
const byMachine = { registry: { [BOOT_KEY]: { BootId: 7 }, [ENVIRONMENT_KEY]: { HTTP_PROXY: "http://proxy:3128" } } };
const otherVariables = {
  services: { AmazonSSMAgent: service({ environment: ["NO_PROXY=10.0.0.1", "HTTPS_PROXY="] }) },
};

/** The account's S3 answers where the metadata service does, which names its region. */
const agentProxies: readonly MachineCase[] = [
  agentCase("finds the agent's proxy among the variables of its service", byService, ["service"]),
  agentCase("finds the agent's proxy among the variables of the machine", { ...byMachine, ...byService }, [
    "service",
    "machine",
  ]),
  agentCase("finds no proxy of the agent where S3 answers without it", { ...byService, routes: withMetadata }, []),
  agentCase("finds no proxy of the agent in other variables", otherVariables, []),
];

/** All cases of observe.ps1 that is asked single questions. */
export const questionCases: readonly MachineCase[] = [
  {
    ...asks,
    name: "tells files, folders and what is not there",
    folders: ["C:\\k"],
    files: { "C:\\k\\kubelet.conf": authority },
    request: whole({ paths: ["C:\\k\\kubelet.conf", "C:\\k", "C:\\k\\missing"] }),
    answers: {
      paths: [
        { path: "C:\\k\\kubelet.conf", kind: "file", sha256: sha256(authority), size: authority.length },
        { path: "C:\\k", kind: "folder", sha256: null, size: null },
        { path: "C:\\k\\missing", kind: null, sha256: null, size: null },
      ],
    },
  },
  {
    ...asks,
    name: "tells services with the end of the log of one that does not run, without its secrets",
    before: { services: { kubelet: service(), containerd: service({ state: "Stopped", startType: "Manual" }) } },
    files: { "C:\\var\\log\\containerd.log": "first\nlast Authorization: Bearer canary-1234567890\n" },
    request: whole({
      services: [
        { name: "kubelet", log: "C:\\missing.log" },
        { name: "containerd", log: "C:\\var\\log\\containerd.log" },
        { name: "kube-proxy" },
      ],
    }),
    answers: {
      services: [
        {
          name: "kubelet",
          state: "Running",
          startType: "Automatic",
          exitCode: 0,
          process: 4711,
          startedAt: PROCESS_START,
          log: "",
        },
        {
          name: "containerd",
          state: "Stopped",
          startType: "Manual",
          exitCode: 0,
          process: 0,
          startedAt: null,
          log: expect.stringMatching(
            /^first last Authorization: Bearer? ?\[hidden\]|^first last Authorization: \[hidden\]/,
          ),
        },
        { name: "kube-proxy", state: null, startType: null, exitCode: null, process: null, startedAt: null, log: "" },
      ],
    },
  },
  {
    ...asks,
    name: "tells a service that was not started since the boot apart from one that ended",
    before: {
      services: {
        kubelet: service({ state: "Stopped", exitCode: 1077 }),
        containerd: service({ state: "Stopped", exitCode: 255 }),
      },
    },
    request: whole({ services: [{ name: "kubelet" }, { name: "containerd" }] }),
    answers: {
      services: [
        {
          name: "kubelet",
          state: "Stopped",
          startType: "Automatic",
          exitCode: 1077,
          process: 0,
          startedAt: null,
          log: "",
        },
        {
          name: "containerd",
          state: "Stopped",
          startType: "Automatic",
          exitCode: 255,
          process: 0,
          startedAt: null,
          log: "",
        },
      ],
    },
  },
  {
    ...asks,
    name: "tells a store without certificates, events without secrets in one line, and a damaged record as no repairs",
    before: {
      log: [
        {
          at: "2026-11-20T08:00:00Z",
          source: "User32",
          id: 1074,
          text: "restart\r\nAuthorization: Bearer canary-1234567890",
        },
      ],
    },
    files: { "C:\\Casement\\guard.json": '{"repairs":"many"}' },
    request: whole({ certificates: ["Missing"], boot: true, guard: true }),
    answers: {
      certificates: [{ store: "Missing", thumbprints: [] }],
      boot: {
        bootedAt: expect.any(String),
        events: [
          {
            id: 1074,
            at: "2026-11-20T08:00:00Z",
            text: expect.stringMatching(/^restart Authorization: .*\[hidden\]$/),
          },
        ],
      },
      guard: { present: false, sha256: null, taskEnabled: false, lastResult: null, error: "", repairs: 0 },
    },
  },
  {
    ...asks,
    name: "tells tasks, with the error that a failing one keeps",
    before: {
      tasks: {
        "Casement guard": guardTask,
        "Casement network": { ...guardTask, state: "Disabled", lastResult: 1 },
        "Casement new": { ...guardTask, lastResult: 267_011 },
      },
    },
    files: { "C:\\Casement\\network.json": '{"error":"the HNS network did not come"}' },
    request: whole({
      tasks: [
        { name: "Casement guard" },
        { name: "Casement network", record: "C:\\Casement\\network.json" },
        { name: "Casement new" },
        { name: "Casement gone" },
      ],
    }),
    answers: {
      tasks: [
        { name: "Casement guard", enabled: true, lastResult: 0, error: "" },
        { name: "Casement network", enabled: false, lastResult: 1, error: "the HNS network did not come" },
        { name: "Casement new", enabled: true, lastResult: null, error: "" },
        { name: "Casement gone", enabled: null, lastResult: null, error: "" },
      ],
    },
  },
  {
    ...asks,
    name: "tells firewall rules, registry values without secrets, and certificates, in the order of their codes",
    before: {
      firewall: {
        kubelet: {
          enabled: "True",
          action: "Allow",
          direction: "Inbound",
          profile: "Any",
          protocol: "TCP",
          port: 10_250,
          remoteAddresses: ["10.0.9.0", "10.0.0.0/16"],
        },
      },
      registry: { [BOOT_KEY]: { BootId: 7 }, [ENVIRONMENT_KEY]: { HTTPS_PROXY: "http://us:canary@proxy:3128" } },
      certificates: { Root: ["BB", "AA"] },
    },
    request: whole({
      rules: ["kubelet", "other"],
      registry: [
        { key: BOOT_KEY, name: "BootId" },
        { key: ENVIRONMENT_KEY, name: "HTTP_PROXY" },
        { key: ENVIRONMENT_KEY, name: "HTTPS_PROXY" },
      ],
      certificates: ["Root"],
    }),
    answers: {
      rules: [
        {
          name: "kubelet",
          enabled: true,
          action: "Allow",
          protocol: "TCP",
          ports: "10250",
          remoteAddresses: ["10.0.0.0/16", "10.0.9.0"],
        },
        { name: "other", enabled: null, action: null, protocol: null, ports: null, remoteAddresses: [] },
      ],
      registry: [
        { key: BOOT_KEY, name: "BootId", value: "7" },
        { key: ENVIRONMENT_KEY, name: "HTTP_PROXY", value: null },
        { key: ENVIRONMENT_KEY, name: "HTTPS_PROXY", value: "http://us:[hidden]@proxy:3128" },
      ],
      certificates: [{ store: "Root", thumbprints: ["AA", "BB"] }],
    },
  },
  {
    ...asks,
    name: "tells routes with the adapter that they lead by, and whether it has an address",
    before: {
      adapters: [adapter(6, MAC, "10.0.0.20"), { ...adapter(7, "02-AA-BB-CC-DD-02", ""), addresses: [] }],
      routes: [route("169.254.169.254/32", GATEWAY, 6), route("169.254.169.253/32", GATEWAY, 7)],
    },
    request: whole({
      routes: ["169.254.169.254/32", "169.254.169.253/32", "169.254.169.123/32"],
      metadata: true,
    }),
    answers: {
      routes: [
        { prefix: "169.254.169.254/32", nextHop, interface: named, mac, usable: true },
        {
          prefix: "169.254.169.253/32",
          nextHop,
          interface: "Ethernet 7",
          mac: "02-AA-BB-CC-DD-02",
          usable: false,
        },
      ],
      metadata: { answers: true },
    },
  },
  {
    ...asks,
    name: "tells container networks, and which endpoints the host has",
    before: {
      hns: {
        networks: [{ name: overlay, id: "n1", subnets: [], managementIp: "" }],
        endpoints: [
          { name: "VIPEndpoint", id: "e1", network: "n1", ip: "10.132.1.2", compartment: 1 },
          { name: "left", id: "e2", network: "n1", ip: "10.132.1.3", compartment: 0 },
        ],
      },
    },
    request: whole({ hns: true }),
    answers: {
      hns: {
        networks: [overlay],
        endpoints: [
          { name: "VIPEndpoint", ip: "10.132.1.2", attached: true },
          { name: "left", ip: "10.132.1.3", attached: false },
        ],
      },
    },
  },
  {
    ...asks,
    name: "tells what waits for a reboot",
    before: {
      features: { Containers: "InstallPending" },
      registry: { [BOOT_KEY]: { BootId: 7 }, [ENVIRONMENT_KEY]: {}, [SERVICING_KEY]: {} },
    },
    request: whole({ reboot: true }),
    answers: { reboot: { reasons: ["servicing"] } },
  },
  ...pendingFiles,
  {
    ...asks,
    name: "tells the last events about starts and ends, the newest first",
    before: { log: boots },
    request: whole({ boot: true, disk: true }),
    answers: {
      boot: {
        bootedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
        events: boots.toReversed().map(({ id, at, text }) => ({ id, at, text })),
      },
      disk: { freeBytes: 75_161_927_680, sizeBytes: 107_374_182_400 },
    },
  },
  {
    ...asks,
    name: "tells the guard with its repairs",
    before: { tasks: { "Casement guard": { ...guardTask, lastResult: 1 } } },
    files: {
      "C:\\Casement\\guard.ps1": authority,
      "C:\\Casement\\guard.json": '{"repairs":3,"error":"2 interfaces are equally likely: nothing was written"}',
    },
    request: whole({ guard: true }),
    answers: {
      guard: {
        present: true,
        sha256: sha256(authority),
        taskEnabled: true,
        lastResult: 1,
        error: "2 interfaces are equally likely: nothing was written",
        repairs: 3,
      },
    },
  },
  {
    ...asks,
    name: "gives one hash for each group and no answers where it is not asked for them whole",
    request: () => ({ questions: { metadata: true, paths: ["C:\\missing"] } }),
    answers: null,
    result: {
      script: "observe",
      ok: true,
      bootId: "7",
      hashes: { metadata: answersHash({ answers: false }), paths: expect.stringMatching(/^[0-9a-f]{16}$/) },
      failed: {},
    },
  },
  {
    ...asks,
    name: "answers the other groups where it does not know one",
    request: () => ({ questions: { moon: true, metadata: true } }),
    result: {
      ok: true,
      hashes: { metadata: answersHash({ answers: false }) },
      failed: { moon: "this script knows no such group" },
    },
  },
  {
    ...asks,
    name: "cuts words where a list of many machines would not show the verdict whole",
    request: () => ({ questions: Object.fromEntries(Array.from({ length: 70 }, (_, at) => [`group-${at}`, true])) }),
    result: { ok: true, failed: { "group-0": "this scrip", "group-69": "this scrip" } },
  },
  ...agentProxies,
  ...exits,
  ...pendingVariables,
];
