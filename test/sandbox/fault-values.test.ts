import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { control } from "../../lib/sandbox/control/control.ts";
import type { FaultKind } from "../../lib/sandbox/core/faults.ts";
import { stateReaders } from "../../lib/sandbox/state-readers.ts";
import { type TestSimulator, testSimulator } from "../steps/test-simulator.ts";

let simulator: TestSimulator;
let ask: (method: string, body?: object) => Promise<{ status: number; body: Record<string, unknown> }>;

beforeAll(async () => {
  simulator = await testSimulator();
  const api = control({
    simulation: simulator.simulation,
    speed: { current: () => 1, set: () => undefined, advance: async () => undefined },
    readers: stateReaders(simulator, { operations: async () => [], nodes: async () => [] }),
  });
  ask = async (method, body) => {
    const answer = await api.answer({
      method,
      url: "/faults",
      headers: {},
      body: Buffer.from(body ? JSON.stringify(body) : ""),
    });
    return { status: answer.status, body: JSON.parse(String(answer.body)) };
  };
});

afterAll(() => simulator.close());

/** Fields whose values nobody can list: names that an object or a step may get later, and paths of files. */
const FREE = new Set(["name", "principal", "action", "operation", "path", "host"]);

test("each field of each fault has the list of its values, unless a later request may bring a new one", async () => {
  const kinds = (await ask("GET")).body.kinds as readonly FaultKind[];
  expect(kinds.length).toBeGreaterThan(60);
  const open = kinds.flatMap(({ kind, fields, values = {} }) =>
    Object.keys(fields).flatMap((field) => (field in values || FREE.has(field) ? [] : [`${kind}: ${field}`])),
  );
  expect(open).toEqual([]);
});

describe("A fault that can never apply is refused with what may stand there:", () => {
  test.each([
    ["agent-silent", { instanceId: "i-nowhere" }],
    ["agent-silent", { node: "ip-10-9-9-9" }],
    ["no-capacity", { type: "m5.enormous" }],
    ["no-capacity", { code: "NoRoom" }],
    ["launch-fails", { subnet: "subnet-nowhere" }],
    ["launch-fails", { code: "Server.Boredom" }],
    ["powershell-restricted", { how: "NoLanguage" }],
    ["reboot-pending", { reason: "boredom" }],
    ["data-plane-dead", { how: "half" }],
    ["record-damaged", { file: "other.json" }],
    ["aws-throttle", { service: "route53" }],
    ["aws-unreachable", { service: "ssm" }],
    ["kubernetes-5xx", { verb: "post" }],
    ["kubernetes-5xx", { resource: "node" }],
    ["webhook-denies", { namespace: "nowhere" }],
    ["pod-rejected", { reason: "OutOfLuck" }],
    ["containers-hang", { pod: "nobody" }],
    ["handler-crash", { when: "during" }],
    ["lambda-slow-start", { function: "front-door" }],
    ["slack-refuses", { code: "not_today" }],
    ["slack-http", { status: "500" }],
    ["slack-5xx", { method: "chat.shout" }],
    ["slack-5xx", { channel: "C0NOWHERE" }],
    ["command-result-lost", { script: "guard" }],
    ["event-scheduled", { code: "party" }],
    ["service-exits", { service: "kublet" }],
  ])("%s with %j", async (kind, match) => {
    const [[field, value] = []] = Object.entries(match);
    expect(await ask("POST", { kind, match })).toEqual({
      status: 400,
      body: { error: expect.stringContaining(`No ${field} of fault ${kind} is "${value}". It may be: `) },
    });
    expect((await ask("GET")).body.inForce).toEqual([]);
  });
});
