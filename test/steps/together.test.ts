import { describe, expect, it } from "vitest";
import type { StepContext } from "../../lambdas/steps/context.ts";
import { readingOnce } from "../../lambdas/steps/together.ts";
import { type Answers, answering, xml } from "./answering.ts";
import { type ApiAnswers, apiRefusal, apiServer, clusterSecret, listOf } from "./api-server.ts";

const [one, other] = ["i-0aaa", "i-0bbb"];

const instances = [one, other]
  .map((id) => `<item><instancesSet><item><instanceId>${id}</instanceId></item></instancesSet></item>`)
  .join("");

const answers: Answers = {
  ...clusterSecret(),
  DescribeInstances: xml("DescribeInstances", `<reservationSet>${instances}</reservationSet>`),
  DescribeInstanceInformation: () => ({ body: { InstanceInformationList: [{ InstanceId: other }] } }),
  DescribeInstancePatchStates: () => ({
    body: { InstancePatchStates: [{ InstanceId: one, InstalledPendingRebootCount: 2 }] },
  }),
  DescribeInstanceAssociationsStatus: () => ({ body: {} }),
  Query: () => ({ body: { Items: [] } }),
};

const MACHINES = "GET /apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api/machines";

/** Verbs on two machines together; what was asked of AWS and of the API server is kept. */
function world(ofCluster: ApiAnswers = {}) {
  const { exchange, requests } = apiServer({ [MACHINES]: apiRefusal(404), ...ofCluster });
  const { verbs, asked } = answering(answers, exchange);
  return {
    verbs: verbs.together([one, other]),
    ofAws: () => asked.map(({ action }) => action).filter((action) => action !== "GetSecretValue"),
    ofServer: () => requests.map(({ action }) => action),
  };
}

describe("Verbs for facts about many machines at one time", () => {
  it("ask once about all machines, and answer about each", async () => {
    const { verbs, ofAws } = world();
    const both = <T>(read: (id: string) => Promise<T>) => Promise.all([read(one), read(other)]);
    const machines = await both((id) => verbs.instances.describe(id));
    expect(machines.map((machine) => machine?.instanceId)).toEqual([one, other]);
    const agents = await both((id) => verbs.health.agent(id));
    expect(agents.map(({ registered }) => registered)).toEqual([false, true]);
    const traces = await both((id) => verbs.traces.of(id, false));
    expect(traces.map(({ patches }) => patches?.pending ?? null)).toEqual([2, null]);
    // Systems Manager tells associations of one instance at a time.
    expect(ofAws()).toEqual([
      ...["DescribeInstances", "DescribeInstanceInformation"],
      ...["DescribeInstanceAssociationsStatus", "DescribeInstanceAssociationsStatus", "DescribeInstancePatchStates"],
    ]);
  });

  it("ask about another machine by itself", async () => {
    const { verbs, ofAws } = world();
    await verbs.instances.describe("i-0ccc");
    await verbs.instances.describe("i-0ccc");
    expect(ofAws()).toEqual(["DescribeInstances", "DescribeInstances"]);
  });

  it("read each list of the cluster and of the ledger once", async () => {
    const { verbs, ofAws, ofServer } = world({ "GET /api/v1/nodes": listOf({ metadata: { name: "win-1" } }) });
    const [nodes, same] = await Promise.all([verbs.nodes.all(), verbs.nodes.all()]);
    expect([nodes, same].map((all) => all.map(({ metadata }) => metadata?.name))).toEqual([["win-1"], ["win-1"]]);
    await verbs.stops.all();
    await verbs.stops.all();
    expect([ofServer(), ofAws()]).toEqual([["GET /api/v1/nodes"], ["Query"]]);
  });

  it("take the pods of a node from the list of all pods", async () => {
    const pod = (name: string, nodeName: string) => ({
      metadata: { name, namespace: "shop", uid: name },
      spec: { nodeName },
    });
    const { verbs, ofServer } = world({
      "GET /api/v1/pods": listOf(pod("web-0", "win-1"), pod("web-1", "win-2")),
    });
    const podsOn = async (node: string) => (await verbs.nodes.podsOn(node)).map(({ metadata }) => metadata?.name);
    expect([await podsOn("win-1"), await podsOn("win-2")]).toEqual([["web-0"], ["web-1"]]);
    expect(ofServer()).toEqual(["GET /api/v1/pods"]);
  });

  it("remember that something does not exist, and no other failure", async () => {
    let status = 503;
    const { verbs, ofServer } = world({ [MACHINES]: () => apiRefusal(status) });
    const machineOf = () => verbs.traces.of(one, false);
    await expect(machineOf()).rejects.toThrow();
    status = 404;
    await machineOf();
    await machineOf();
    expect(ofServer()).toEqual([MACHINES, MACHINES]);
  });
});

describe("Clients that read once", () => {
  const asked: string[] = [];
  const core = {
    basePath: "https://api.example.com",
    listNode: async () => asked.push("listNode"),
    readNode: async ({ name }: { name: string }) => asked.push(`readNode ${name}`),
    deleteNode: async () => asked.push("deleteNode"),
  };
  const dynamodb = async (action: string) => asked.push(action) > 0;
  const given = { clients: { dynamodb, kubernetes: { core, custom: {}, policy: {} } } } as unknown as StepContext;
  const clients = () => {
    asked.length = 0;
    return readingOnce(given, []).clients;
  };

  it("ask the ledger once for a partition, whatever the time, and for each partition", async () => {
    const once = clients().dynamodb;
    const query = (pk: string, now: number) =>
      once("Query", { TableName: "t", ExpressionAttributeValues: { ":pk": pk, ":now": now } });
    await query("nodes", 1);
    await query("nodes", 2);
    expect(asked).toEqual(["Query"]);
    await query("stops", 2);
    expect(asked).toEqual(["Query", "Query"]);
  });

  it("read an item of the ledger each time", async () => {
    const once = clients().dynamodb;
    const item = { TableName: "t", Key: { pk: "a", sk: "b" } };
    await once("GetItem", item);
    await once("GetItem", item);
    expect(asked).toEqual(["GetItem", "GetItem"]);
  });

  it("read each object of the cluster once, and write each time", async () => {
    const api = clients().kubernetes.core as unknown as typeof core;
    for (const name of ["win-1", "win-2", "win-1"]) await api.readNode({ name });
    for (const call of [api.listNode, api.listNode, api.deleteNode, api.deleteNode]) await call();
    expect(asked).toEqual(["readNode win-1", "readNode win-2", "listNode", "deleteNode", "deleteNode"]);
    expect(api.basePath).toBe(core.basePath);
  });
});
