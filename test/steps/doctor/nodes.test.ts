import { describe, expect, test } from "vitest";
import type { SeenMachine } from "../../../lambdas/machine/seen-machine.ts";
import type { SeenTrouble } from "../../../lambdas/machine/seen-troubles.ts";
import { nodeIdentities } from "../../../lambdas/steps/doctor/nodes/node-identities.ts";
import { otherMachines } from "../../../lambdas/steps/doctor/nodes/other-machines.ts";
import { nodesReady } from "../../../lambdas/steps/doctor/nodes/readiness.ts";
import { seenNodes } from "../../../lambdas/steps/doctor/nodes/seen-nodes.ts";
import { unregisteredMachines } from "../../../lambdas/steps/doctor/nodes/unregistered-machines.ts";
import { TAG } from "../../../lambdas/tags.ts";
import { type ApiAnswers, apiRefusal, listOf } from "../api-server.ts";
import { foundIn, recorded } from "./a-cluster.ts";
import { launchedTags, listing } from "./a-patient.ts";

const MINUTE = 60_000;
const NOW = Date.parse("2026-11-21T12:00:00Z");
const at = (minutesAgo: number): string => new Date(NOW - minutesAgo * MINUTE).toISOString();

const node = (name: string, instance: string, { os = "windows", ready = "True", taints = [] as object[] } = {}) => ({
  metadata: { name, uid: `uid-${name}`, labels: { "kubernetes.io/os": os } },
  spec: { providerID: `aws:///us-west-2a/${instance}`, taints },
  status: { conditions: [{ type: "Ready", status: ready, lastTransitionTime: at(10) }] },
});

/** A cluster with these Nodes, in which no other controller claims a machine. */
const nodes = (...all: readonly object[]): ApiAnswers => ({
  "GET /api/v1/nodes": listOf(...all),
  "GET /apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api/machines": apiRefusal(404),
  "GET /api/v1/namespaces/openshift-windows-machine-config-operator/configmaps/windows-instances": apiRefusal(404),
});

test("Each check of nodes has its name", () => {
  const checks = [nodesReady, nodeIdentities, otherMachines, seenNodes, unregisteredMachines];
  expect(checks.map(({ area, what }) => `${area}: ${what}`)).toEqual([
    "Nodes: which nodes are Ready",
    "Nodes: which Node belongs to which machine",
    "Nodes: the machines of other owners",
    "Nodes: what the last look found on machines",
    "Nodes: the machines that are not nodes",
  ]);
});

describe("Which nodes are Ready", () => {
  test("names those of Windows in service that are not, with pool and beginning", async () => {
    const aws = listing({ id: "i-1", tags: { ...launchedTags, [TAG.pool]: "web" } }, { id: "i-2" });
    const api = nodes(
      node("ready", "i-9"),
      node("pooled", "i-1", { ready: "False" }),
      node("unpooled", "i-2", { ready: "Unknown" }),
      node("foreign", "i-3", { ready: "False" }),
      node("linux", "i-4", { os: "linux", ready: "False" }),
      node("starting", "i-5", { ready: "False", taints: [{ key: "casement.dev/starting", effect: "NoSchedule" }] }),
    );
    expect(await foundIn(nodesReady, api, { aws, now: NOW })).toEqual([
      {
        kind: "nodes-not-ready",
        nodes: [
          { node: "pooled", pool: "web", since: at(10) },
          { node: "unpooled", pool: null, since: at(10) },
          { node: "foreign", pool: null, since: at(10) },
        ],
        at: at(0),
      },
    ]);
  });

  test("is no finding where all are", async () => {
    expect(await foundIn(nodesReady, nodes(node("ready", "i-1")), { aws: listing() })).toEqual([]);
  });
});

describe("Which Node belongs to which machine", () => {
  test("is a finding for a Node of another name, and for several Nodes of one machine", async () => {
    const aws = {
      ...listing({ id: "i-1", dns: "win-1" }, { id: "i-2", dns: "win-2" }, { id: "i-3", dns: "win-3" }),
      ...recorded({}),
    };
    const api = nodes(node("win-1", "i-1"), node("other", "i-2"), node("win-3", "i-3"), node("twin", "i-3"));
    expect(await foundIn(nodeIdentities, api, { aws })).toEqual([
      { kind: "node-identity", fault: { kind: "other-name", instanceId: "i-2", node: "other", wanted: "win-2" } },
      {
        kind: "node-identity",
        fault: { kind: "several-nodes", instanceId: "i-3", nodes: ["win-3", "twin"], wanted: "win-3" },
      },
    ]);
  });
});

describe("The machines of other owners", () => {
  const tags = { "aws:autoscaling:groupName": "asg" };
  const agents = (...all: readonly (readonly [string, string])[]) => ({
    DescribeInstanceInformation: () => ({
      body: { InstanceInformationList: all.map(([InstanceId, PingStatus]) => ({ InstanceId, PingStatus })) },
    }),
  });
  const owned = (id: string, more: object = {}) => ({ id, tags, ...more });
  const names = (ids: readonly string[]) => ids.map((id) => node(`node-${id}`, id));

  test("that no command reaches are named by the reason", async () => {
    const aws = {
      ...listing(
        owned("i-1", { profile: "" }),
        owned("i-2"),
        owned("i-3"),
        owned("i-4"),
        owned("i-5", { profile: "" }),
        owned("i-6", { state: "stopped" }),
        { id: "i-7", tags: {} },
        { id: "i-8", tags: { ...tags, ...launchedTags } },
        owned("i-9"),
      ),
      ...agents(["i-3", "ConnectionLost"], ["i-4", "Online"], ["i-5", "Online"]),
      ...recorded({}),
    };
    const registered = names(["i-1", "i-2", "i-3", "i-4", "i-5", "i-6", "i-7", "i-8"]);
    expect(await foundIn(otherMachines, nodes(...registered), { aws })).toEqual([
      { kind: "others-without-profile", machines: ["i-1"] },
      { kind: "others-without-agent", machines: ["i-2"] },
      { kind: "others-silent", machines: ["i-3"] },
    ]);
  });

  test("whose tag or approval has no effect are named with the fault", async () => {
    const managed = { ...tags, [TAG.managed]: "prod-west" };
    const approval = {
      instanceId: "i-3",
      launchedAt: "",
      owner: { kind: "auto-scaling-group", owner: "asg" },
      state: "assisted",
      operation: "assist-1",
      askedBy: null,
      approvedBy: [],
      at: at(9),
    } as const;
    const aws = {
      ...listing(owned("i-1", { tags: managed }), owned("i-2"), owned("i-3", { tags: managed }), owned("i-4")),
      ...agents(...["i-1", "i-2", "i-3", "i-4"].map((id) => [id, "Online"] as const)),
      ...recorded({ "i-3": { assistance: approval }, "i-4": { assistance: { ...approval, instanceId: "i-4" } } }),
    };
    expect(await foundIn(otherMachines, nodes(...names(["i-1", "i-2", "i-3", "i-4"])), { aws })).toEqual([
      {
        kind: "assistance-without-power",
        machines: [
          { instanceId: "i-1", fault: "tag-of-others" },
          { instanceId: "i-4", fault: "tag-gone" },
        ],
      },
    ]);
  });
});

describe("What the last look found on machines", () => {
  const seen = (instanceId: string, name: string, more: Partial<SeenMachine> = {}) => ({
    [instanceId]: {
      seen: {
        instanceId,
        node: name,
        uid: `uid-${name}`,
        bootId: "7",
        launchedAt: "",
        reasons: [],
        dueSince: null,
        seenAt: at(10),
        ...more,
      },
    },
  });
  const chronic = (more: Partial<SeenMachine> = {}): Partial<SeenMachine> => ({
    reasons: ["file-renames"],
    chronic: ["file-renames"],
    dueSince: at(60),
    ...more,
  });
  const trouble = (one: object): SeenTrouble => ({ since: at(20), mark: "m", ...one }) as SeenTrouble;
  const found = (records: object, ...names: readonly (readonly [string, string, string?])[]) =>
    foundIn(seenNodes, nodes(...names.map(([name, id, os = "windows"]) => node(name, id, { os }))), {
      aws: recorded(records as never),
      now: NOW,
    });

  test("is a reboot without effect, with the reasons of the first node", async () => {
    const records = {
      ...seen("i-1", "a", chronic({ reboot: { reasons: ["file-renames"], at: at(90) }, file: "C:\\x" })),
      ...seen("i-2", "b", chronic()),
      ...seen("i-3", "c", { reasons: ["file-renames"], dueSince: at(60) }),
      ...seen("i-4", "d", chronic()),
      ...seen("i-5", "another", chronic()),
      ...seen("i-6", "f", chronic({ seenAt: at(101) })),
      ...seen("i-7", "g", chronic({ dueSince: null })),
    };
    const all = ["a", "b", "c", "e", "f", "g"] as const;
    const named = all.map((name, index) => [name, `i-${[1, 2, 3, 5, 6, 7][index]}`] as const);
    expect(await found(records, ...named, ["d", "i-4", "linux"])).toEqual([
      {
        kind: "reboots-without-effect",
        nodes: ["a", "b"],
        first: { reasons: ["file-renames"], rebootedAt: at(90), file: "C:\\x" },
      },
    ]);
  });

  test("is each trouble once, with all of its nodes, until it has ended", async () => {
    const stopped = (service: string) => trouble({ kind: "service-stopped", service });
    const records = {
      ...seen("i-1", "a", { troubles: [stopped("kubelet"), trouble({ kind: "disk-low" })] }),
      ...seen("i-2", "b", { troubles: [stopped("kubelet"), stopped("containerd")] }),
      ...seen("i-3", "c", { troubles: [trouble({ kind: "disk-low", isPosted: true, endedBy: "n" })] }),
      ...seen("i-4", "d", { troubles: [stopped("kubelet")], seenAt: at(101) }),
      ...seen("i-5", "another", { troubles: [stopped("kubelet")] }),
      ...seen("i-6", "f", { troubles: [stopped("kubelet")] }),
      ...seen("i-7", "g"),
    };
    const named = ["a", "b", "c", "d", "e"].map((name, index) => [name, `i-${index + 1}`] as const);
    expect(await found(records, ...named, ["f", "i-6", "linux"], ["g", "i-7"], ["h", "i-8"])).toEqual([
      { kind: "machine-trouble", trouble: stopped("kubelet"), nodes: ["a", "b"] },
      { kind: "machine-trouble", trouble: trouble({ kind: "disk-low" }), nodes: ["a"] },
      { kind: "machine-trouble", trouble: stopped("containerd"), nodes: ["b"] },
    ]);
  });
});

describe("The machines that are not nodes", () => {
  const HOUR = 60;
  const running = (id: string) => ({ id, tags: { ...launchedTags, [TAG.pool]: "web" } });
  const launchedAgo = (minutes: number) => {
    const { DescribeInstances } = listing(running("i-1"), { id: "i-2" }, { id: "i-3", tags: {} });
    return {
      DescribeInstances: (input: Record<string, unknown>) => {
        const { body } = DescribeInstances?.(input) ?? { body: "" };
        return { body: String(body).replaceAll("<tagSet>", `<launchTime>${at(minutes)}</launchTime><tagSet>`) };
      },
    };
  };

  test("are those that no operation works on, ten minutes after their launch", async () => {
    const api = nodes(node("win-2", "i-2"));
    const machine = { instanceId: "i-1", pool: "web", operation: null, state: "left", failedAt: null, since: at(HOUR) };
    const kind = "unregistered-machine";
    expect(await foundIn(unregisteredMachines, api, { aws: launchedAgo(HOUR), now: NOW })).toEqual([
      { kind, machine, at: at(0) },
    ]);
    expect(await foundIn(unregisteredMachines, api, { aws: launchedAgo(10), now: NOW })).toEqual([]);
    expect(await foundIn(unregisteredMachines, api, { aws: launchedAgo(10.1), now: NOW })).toHaveLength(1);
  });
});
