import { ApiException } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { describeNode, listNodes } from "../../../lambdas/capabilities/look/answer.ts";
import { POOL_LABEL } from "../../../lambdas/cluster/node-keys.ts";
import { UserError } from "../../../lambdas/errors.ts";
import type { Message } from "../../../lambdas/records/records.ts";
import { TAG } from "../../../lambdas/tags.ts";
import { verbs } from "../../engine/durable-engine.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";

const settings = { runtimeVersion: "7", region: "us-west-2", runbook: null };

/** A refusal, which is not asked again. */
const refused = (): Error => new ApiException(403, "refused", {}, {});

interface Member {
  readonly name: string;
  readonly pool?: string;
  readonly isReady?: boolean;
  readonly os?: "windows" | "linux";
}

const idOf = (name: string): string => `i-0${Buffer.from(name).toString("hex").padEnd(16, "0")}`;

const nodeOf = ({ name, pool, isReady = true, os = "windows" }: Member) => ({
  metadata: {
    ...{ name, uid: `uid-${name}`, creationTimestamp: new Date(0) },
    labels: { "kubernetes.io/os": os, ...(pool === undefined ? {} : { [POOL_LABEL]: pool }) },
  },
  spec: { providerID: `aws:///us-west-2a/${idOf(name)}` },
  status: { conditions: [{ type: "Ready", status: isReady ? "True" : "False" }] },
});

const machineOf = ({ name, pool, os = "windows" }: Member) => ({
  ...{ instanceId: idOf(name), state: "running", privateIp: "10.0.0.7", privateDnsName: name, zone: "us-west-2a" },
  ...{ launchedAt: "2026-11-21T08:00:00.000Z", isWindows: os === "windows", hasProfile: true },
  tags: pool === undefined ? {} : { [TAG.pool]: pool },
});

interface Scene {
  readonly kubernetes?: Error;
  readonly ec2?: Error;
  /** Machines that are no nodes. */
  readonly left?: readonly object[];
  readonly holder?: string;
}

const alpha: Member = { name: "alpha", pool: "web" };
const bravo: Member = { name: "bravo", pool: "web", isReady: false };
const charlie: Member = { name: "charlie", pool: "batch" };
const linux: Member = { name: "linux", os: "linux" };
const members = [alpha, bravo, charlie, linux];

function world({ kubernetes, ec2, left = [], holder }: Scene) {
  const orThrow = async <T>(error: Error | undefined, value: T): Promise<T> => {
    if (error) throw error;
    return value;
  };
  return verbs({
    runtime: { read: async () => ({ configuration: configurationWith() }) },
    nodes: { all: () => orThrow(kubernetes, members.map(nodeOf)), podsOn: async () => [] },
    instances: { ofCluster: () => orThrow(ec2, members.map(machineOf)) },
    machines: { seen: { all: async () => new Map() }, assistance: { all: async () => [] } },
    unregistered: { list: async () => left },
    claims: { all: async () => [] },
    leases: { holder: async () => holder },
    stops: { all: async () => [], ofNamespace: async () => [] },
    ledger: { unfinished: async () => [] },
    breakGlass: { open: async () => [] },
    cordons: { find: async () => undefined },
  });
}

const namesIn = (message: Message): readonly string[] => {
  const text = JSON.stringify(message.blocks);
  return members.map(({ name }) => name).filter((name) => text.includes(name));
};

describe("The list of nodes", () => {
  const listed = (choice: Parameters<typeof listNodes>[1], scene: Scene = {}) =>
    listNodes(world(scene), choice, settings);

  test.each([
    [{}, ["alpha", "bravo", "charlie"]],
    [{ pool: null }, ["alpha", "bravo", "charlie"]],
    [{ pool: "web" }, ["alpha", "bravo"]],
    [{ pool: "batch" }, ["charlie"]],
    [{ notready: true }, ["bravo"]],
    [{ pool: "web", notready: true }, ["bravo"]],
  ] as const)("for %j has the Windows nodes %j, by EC2's tags and by the Nodes' labels", async (choice, names) => {
    expect(namesIn(await listed(choice))).toEqual(names);
    const unread = await listed(choice, { ec2: refused() });
    expect(namesIn(unread)).toEqual(names);
    expect(JSON.stringify(unread)).toContain("EC2");
  });

  test("names the choice that no node meets", async () => {
    expect(JSON.stringify(await listed({ pool: "gpu" }))).toContain(
      "No Windows nodes of pool `gpu` found; the cluster has 3.",
    );
    expect(JSON.stringify(await listed({ pool: "batch", notready: true }))).toContain(
      "No Windows node of pool `batch` is NotReady.",
    );
  });

  test("has the Windows machines alone while Kubernetes does not answer", async () => {
    expect(namesIn(await listed({}, { kubernetes: refused() }))).toEqual(["alpha", "bravo", "charlie"]);
    expect(namesIn(await listed({}, { kubernetes: refused(), ec2: refused() }))).toEqual([]);
  });
});

describe("The description of a node", () => {
  const described = (typed: string, scene: Scene = {}) => describeNode(world(scene), typed, settings);

  test("is of the node that is meant, with the operation that holds it", async () => {
    const message = await described("alpha", { holder: "drain-3f9c2a71:0" });
    expect(namesIn(message)).toEqual(["alpha"]);
    expect(JSON.stringify(message)).toContain("drain-3f9c2a71");
    expect(namesIn(await described(idOf("alpha")))).toEqual(["alpha"]);
    expect(namesIn(await described("alpha", { ec2: refused() }))).toEqual(["alpha"]);
  });

  test("is of the machines that are meant while Kubernetes does not answer", async () => {
    const kubernetes = refused();
    expect(namesIn(await described("charlie", { kubernetes }))).toEqual(["charlie"]);
    expect(namesIn(await described("10.0.0.7", { kubernetes }))).toEqual(["alpha", "bravo", "charlie"]);
    expect(namesIn(await described("linux", { kubernetes }))).toEqual([]);
  });

  test("is refused for an instance that is neither a node nor one of Casement's machines", async () => {
    await expect(described("i-0unknown")).rejects.toThrow(UserError);
    await expect(described("delta")).rejects.toThrow(UserError);
  });
});
