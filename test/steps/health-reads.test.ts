import type { V1Pod } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { health } from "../../lambdas/steps/health.ts";
import { podNamed } from "../drain/objects.ts";
import { type Answers, answering } from "./answering.ts";
import { apiServer, clusterSecret, listOf } from "./api-server.ts";
import { launched } from "./cluster/cluster-objects.ts";

const on = (aws: Answers, api: Parameters<typeof apiServer>[0] = {}) => {
  const { exchange, requests } = apiServer(api);
  const { context, asked } = answering({ ...clusterSecret(), ...aws }, exchange);
  return { verbs: health(context), asked, requests };
};
const statuses = (...items: readonly string[]): Answers => ({
  DescribeInstanceStatus: () => ({
    body: `<DescribeInstanceStatusResponse><instanceStatusSet>${items
      .map((one) => `<item>${one}</item>`)
      .join("")}</instanceStatusSet></DescribeInstanceStatusResponse>`,
  }),
});
const event = (code: string, description: string, at = "<notBefore>2026-12-01T00:00:00.000Z</notBefore>"): string =>
  `<item><code>${code}</code><description>${description}</description>${at}</item>`;
const events = (...all: readonly string[]): string => `<eventsSet>${all.join("")}</eventsSet>`;

describe("EC2's facts about an instance", () => {
  test("are its state, its three checks and the events to come", async () => {
    const status = [
      "<systemStatus><status>ok</status></systemStatus>",
      "<instanceStatus><status>impaired</status></instanceStatus>",
      "<attachedEbsStatus><status>initializing</status></attachedEbsStatus>",
      events(
        event("instance-reboot", "reboot"),
        event("instance-stop", "[Completed] stop"),
        event("system-reboot", "[Canceled] reboot"),
        event("instance-retirement", "not [Completed]", ""),
      ),
    ].join("");
    const { verbs, asked } = on(statuses(status));
    const machine = launched({ because: "Client.x", hasProfile: false, mac: "02:aa:bb:cc:dd:01" });
    expect(await verbs.instance(machine)).toEqual({
      events: [
        { code: "instance-reboot", notBefore: "2026-12-01T00:00:00.000Z" },
        { code: "instance-retirement", notBefore: null },
      ],
      instanceId: "i-0aaa",
      state: "running",
      because: "Client.x",
      system: "ok",
      instance: "impaired",
      volumes: "initializing",
      hasProfile: false,
      mac: "02-AA-BB-CC-DD-01",
    });
    expect(asked).toMatchObject([{ input: { "InstanceId.1": "i-0aaa", IncludeAllInstances: "true" } }]);
  });

  test("are without data where EC2 has none", async () => {
    expect(await on(statuses()).verbs.instance(launched())).toEqual({
      instanceId: "i-0aaa",
      state: "running",
      because: "",
      system: "insufficient-data",
      instance: "insufficient-data",
      volumes: "not-applicable",
      mac: null,
    });
  });
});

test("The events of the region are listed by instance", async () => {
  const one = (id: string, ...all: readonly string[]) => `<instanceId>${id}</instanceId>${events(...all)}`;
  const { verbs, asked } = on(
    statuses(one("i-1", event("instance-stop", "stop")), one("i-2", event("x", "[Completed] x"))),
  );
  expect([...(await verbs.scheduledEvents())]).toEqual([
    ["i-1", [{ code: "instance-stop", notBefore: "2026-12-01T00:00:00.000Z" }]],
    ["i-2", []],
  ]);
  expect(asked).toMatchObject([
    {
      input: {
        IncludeAllInstances: "true",
        "Filter.1.Name": "event.code",
        "Filter.1.Value.1": "instance-reboot",
        "Filter.1.Value.5": "instance-stop",
      },
    },
  ]);
});

describe("An agent", () => {
  const agent = (...list: readonly object[]) =>
    on({ DescribeInstanceInformation: () => ({ body: { InstanceInformationList: list } }) });

  test("that reports is online, with its last report", async () => {
    const { verbs, asked } = agent({ InstanceId: "i-1", PingStatus: "Online", LastPingDateTime: 60 });
    expect(await verbs.agent("i-1")).toEqual({
      registered: true,
      online: true,
      lastPingAt: "1970-01-01T00:01:00.000Z",
      failure: null,
      isDeaf: false,
    });
    expect(asked).toMatchObject([{ input: { Filters: [{ Key: "InstanceIds", Values: ["i-1"] }] } }]);
  });

  test.each([
    [[{ InstanceId: "i-1", PingStatus: "ConnectionLost" }], true],
    [[], false],
  ])("of %j is not online", async (list, registered) => {
    expect(await agent(...list).verbs.agent("i-1")).toEqual({
      registered,
      online: false,
      lastPingAt: null,
      failure: null,
      isDeaf: false,
    });
  });
});

describe("The pods in the pods' network", () => {
  const running = (...starts: readonly (string | undefined)[]): V1Pod["status"] =>
    ({
      phase: "Running",
      podIP: "10.132.0.9",
      containerStatuses: starts.map((startedAt) => ({ state: startedAt ? { running: { startedAt } } : {} })),
    }) as unknown as V1Pod["status"];
  const [early, late] = ["2026-11-21T08:00:00.000Z", "2026-11-21T09:00:00.000Z"];
  const found = async (...pods: readonly V1Pod[]) =>
    on({}, { "GET /api/v1/pods": listOf(...pods) }).verbs.podsOf("win-1");

  test("are those with a running container, since the first of them started", async () => {
    expect(await found(podNamed("web-0", { status: running(late, early, undefined) }))).toEqual([
      { name: "shop/web-0", ip: "10.132.0.9", since: early },
    ]);
  });

  test.each<[string, Parameters<typeof podNamed>[1]]>([
    ["in the host's network", { spec: { hostNetwork: true }, status: running(early) }],
    ["that is terminating", { metadata: { name: "a", deletionTimestamp: new Date(0) }, status: running(early) }],
    ["that is pending", { status: { ...running(early), phase: "Pending" } }],
    ["without an address", { status: { ...running(early), podIP: "" } }],
    ["whose containers have not started", { status: running(undefined) }],
    ["without containers", { status: { phase: "Running", podIP: "10.132.0.9" } }],
  ])("are not one %s", async (_what, given) => {
    expect(await found(podNamed("web-0", given))).toEqual([]);
  });
});

describe("The cluster's facts about a node", () => {
  const CSRS = "GET /apis/certificates.k8s.io/v1/certificatesigningrequests";
  const PODS = "GET /api/v1/pods";
  const request = (name: string, username: string, more: object = {}) => ({
    metadata: { name, creationTimestamp: "2026-11-21T08:00:00Z" },
    spec: {
      username,
      signerName: "kubernetes.io/kubelet-serving",
      request: Buffer.from("no request").toString("base64"),
      ...more,
    },
  });
  const own = request("own", "system:node:win-1");
  const naming = request("naming", "system:anonymous", {
    request: Buffer.from(
      `-----BEGIN CERTIFICATE REQUEST-----\n${Buffer.from("CN=system:node:win-1").toString("base64")}\n-----END CERTIFICATE REQUEST-----`,
    ).toString("base64"),
  });
  const older = request("older", "system:node:win-1");
  older.metadata.creationTimestamp = "2026-11-21T07:00:00Z";
  const all = listOf(
    own,
    older,
    naming,
    request("of another node", "system:node:win-2"),
    request("of another signer", "system:node:win-1", { signerName: "example.com/x" }),
    { ...own, metadata: { name: "approved" }, status: { conditions: [{ type: "Approved", status: "True" }] } },
  );
  const waiting = [
    { name: "older", since: "2026-11-21T07:00:00.000Z" },
    { name: "own", since: "2026-11-21T08:00:00.000Z" },
  ];
  const ofOthers = { name: "naming", by: "system:anonymous", since: "2026-11-21T08:00:00.000Z" };
  const ready = (status: string) => ({
    metadata: { name: "win-1" },
    status: { conditions: [{ type: "Ready", status }] },
  });

  test.each([
    ["Ready", ready("True"), waiting],
    ["not Ready", ready("False"), [...waiting, ofOthers]],
    ["missing", undefined, [...waiting, ofOthers]],
  ])("that is %s are its requests and pods", async (_what, node, requests) => {
    const { verbs, requests: asked } = on({}, { [CSRS]: all, [PODS]: listOf() });
    const facts = await verbs.node("win-1", node);
    expect(facts).toMatchObject({ registered: node !== undefined, requests, pods: [] });
    expect(asked.some(({ action }) => action === PODS)).toBe(node !== undefined);
  });
});
