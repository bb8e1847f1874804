import { expect, test } from "vitest";
import { MACHINES } from "../../../lambdas/records/ledger-table.ts";
import { agentChecks } from "../../../lambdas/steps/doctor/agents.ts";
import { TAG } from "../../../lambdas/tags.ts";
import type { Answers } from "../answering.ts";
import { examined, type ListedInstance, launchedTags, listing, refusal } from "./a-patient.ts";

const [agents, statusChecks, sending] = agentChecks;
if (!agents || !statusChecks || !sending) throw new Error("a check is missing");

/** The moment of the check. */
const AT = "1970-01-01T00:00:00.000Z";
const MINUTE_S = 60;

interface Reported {
  readonly id: string;
  readonly minutesAgo?: number;
  readonly version?: string;
  readonly ping?: string;
}

const reports = (...agents: readonly Reported[]): Answers => ({
  DescribeInstanceInformation: () => ({
    body: {
      InstanceInformationList: agents.map(({ id, minutesAgo, version = "3.3.1", ping = "Online" }) => ({
        InstanceId: id,
        PingStatus: ping,
        AgentVersion: version,
        ...(minutesAgo === undefined ? {} : { LastPingDateTime: -minutesAgo * MINUTE_S }),
      })),
    },
  }),
});

/** Observations of machines, some behind a proxy. */
const observed = (proxied: Readonly<Record<string, boolean>>): Answers => ({
  Query: ({ ExpressionAttributeValues }) => ({
    body: {
      Items: JSON.stringify(ExpressionAttributeValues).includes(MACHINES)
        ? Object.entries(proxied).map(([id, isProxied]) => ({
            ...{ pk: { S: MACHINES }, sk: { S: id } },
            seen: {
              M: {
                version: { N: "1" },
                value: {
                  M: {
                    instanceId: { S: id },
                    node: { S: `node of ${id}` },
                    ...(isProxied ? { proxiedBy: { L: [{ S: "service" }] } } : {}),
                  },
                },
              },
            },
          }))
        : [],
    },
  }),
});

const findings = async (
  instances: readonly ListedInstance[],
  reported: readonly Reported[],
  proxied: Readonly<Record<string, boolean>> = {},
) => (await examined(agents, { ...listing(...instances), ...reports(...reported), ...observed(proxied) })).found;

test("Agents that report, in a supported version and without a proxy, are no finding", async () => {
  const found = await findings([{ id: "i-1" }], [{ id: "i-1", minutesAgo: 10 }], { "i-1": false, "i-2": true });
  expect(found).toEqual([]);
});

test("A silent agent is named by its node, its pool, its last report and a missing instance profile", async () => {
  const tags = { ...launchedTags, [TAG.pool]: "web" };
  const found = await findings(
    [{ id: "i-1", dns: "win-1", tags }, { id: "i-2", profile: "" }, { id: "i-3" }, { id: "i-4" }],
    [{ id: "i-1", minutesAgo: 12 }, { id: "i-2", minutesAgo: 2, ping: "ConnectionLost" }, { id: "i-3" }],
  );
  expect(found).toEqual([
    {
      kind: "agents-silent",
      agents: [
        { node: "win-1", pool: "web", since: "1969-12-31T23:48:00.000Z" },
        { node: "i-2", pool: null, since: "1969-12-31T23:58:00.000Z", lacksProfile: true },
      ],
      at: AT,
    },
  ]);
});

test("Only running machines that Casement launched for this cluster are looked at", async () => {
  const others: readonly ListedInstance[] = [
    { id: "i-1", state: "stopped" },
    { id: "i-2", tags: {} },
    { id: "i-3", tags: { ...launchedTags, [TAG.cluster]: "another" } },
  ];
  const old = others.map(({ id }) => ({ id, minutesAgo: 60, version: "3.1.0" }));
  expect(await findings(others, old, { "i-1": true })).toEqual([]);
});

test("An agent behind a proxy and an old agent are one finding each", async () => {
  const found = await findings(
    [{ id: "i-1" }, { id: "i-2" }, { id: "i-3" }],
    [
      { id: "i-1", minutesAgo: 1, version: "3.2.9" },
      { id: "i-2", minutesAgo: 1, version: "3.3.0.0" },
      { id: "i-3", minutesAgo: 1, version: "" },
    ],
    { "i-1": false, "i-2": true },
  );
  expect(found).toEqual([
    { kind: "agents-proxied", nodes: ["node of i-2"] },
    { kind: "agents-old", machines: ["i-1"], wanted: "3.3" },
  ]);
});

test("Status checks are only read, and a denial is thrown", async () => {
  const body = "<DescribeInstanceStatusResponse/>";
  const read = await examined(statusChecks, { DescribeInstanceStatus: () => ({ body }) });
  expect(read).toMatchObject({ found: [], asked: [{ input: { MaxResults: "5" } }] });
  const denial =
    "<Response><Errors><Error><Code>UnauthorizedOperation</Code><Message>no</Message></Error></Errors></Response>";
  const denied = await examined(statusChecks, { DescribeInstanceStatus: () => ({ status: 403, body: denial }) });
  expect(denied.found).toBe("UnauthorizedOperation");
});

test("The right to look at machines is tried on one of them", async () => {
  const { found } = await examined(sending, {
    ...listing({ id: "i-1" }),
    SendCommand: refusal("AccessDeniedException"),
  });
  expect(found).toBe("AccessDeniedException");
});
