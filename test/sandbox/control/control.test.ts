import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { control } from "../../../lib/sandbox/control/control.ts";
import { schemaDocument } from "../../../lib/sandbox/control/schema.ts";
import { bench, CHANNEL, manualClock, simulationAt } from "../slack/workbench.ts";

const machine = {
  instanceId: "i-0a",
  bootId: "b1",
  power: "on",
  services: [{ name: "kubelet", state: "Running", startType: "Automatic", commandLine: "kubelet", environment: [] }],
  files: [{ path: "C:\\k\\kubelet.exe", sha256: "00", size: 1 }],
  routes: [{ prefix: "169.254.169.254/32", nextHop: "10.0.0.1", interface: "Ethernet" }],
  tasks: [{ name: "guard", enabled: true }],
  certificates: [{ store: "Root", thumbprint: "AB", subject: "CN=a" }],
  features: ["Containers"],
};
const operation = {
  id: "add-1",
  command: "add",
  user: "U0OPERATOR",
  status: "running" as const,
  nodes: [{ name: "web-1", stage: "launch" }],
};
const person = { id: "U0OPERATOR", name: "olivia", roles: ["operator"], kubernetesToken: "token" };

function office() {
  const clock = manualClock();
  const simulation = simulationAt(clock);
  const { service } = bench({}, clock);
  let speed = 1;
  const api = control({
    simulation,
    speed: {
      current: () => speed,
      set: (value) => {
        speed = value;
      },
      advance: (seconds) => clock.advance(seconds * 1000),
    },
    readers: {
      instances: () => [{ InstanceId: "i-0a" }],
      machines: async () => [machine],
      nodes: () => [{ metadata: { name: "web-1" } }],
      operations: async () => [operation],
      messages: () => service.messages(),
      people: () => ({ teamId: "T0CASEMENT", channelId: CHANNEL, people: [person] }),
      faultValues: () => ({ instanceId: ["i-0a"], node: ["web-1.a.internal", "web-2.a.internal", "web-2.b.internal"] }),
    },
  });
  simulation.faults.declare({
    kind: "no-capacity",
    sentence: "EC2 has none.",
    fields: { instanceType: "which" },
  });
  simulation.faults.declare({
    kind: "clock-wrong",
    sentence: "Wrong.",
    fields: { how: "which" },
    values: { how: ["ahead"] },
  });
  const ask = async (method: string, url: string, body?: unknown, headers: Record<string, string> = {}) => {
    const bytes = Buffer.from(body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body));
    const { status, body: text } = await api.answer({ method, url, headers, body: bytes });
    return { status, body: JSON.parse(String(text)) };
  };
  return { ask, clock, simulation, service };
}

describe("every answer fits the schema that is served", () => {
  const check = async (ask: ReturnType<typeof office>["ask"], name: string, value: unknown) => {
    const { body: schema } = await ask("GET", "/schema");
    const ajv = new Ajv2020({ strict: true, strictTypes: false, validateFormats: false });
    ajv.addKeyword("calls").addSchema(schema, "control");
    const valid = ajv.getSchema(`control#/$defs/${name}`);
    expect(valid?.(value), JSON.stringify(valid?.errors)).toBe(true);
  };

  test.each([
    ["State", "GET", "/state", undefined],
    ["Messages", "GET", "/messages", undefined],
    ["Calls", "GET", "/calls?service=ec2&after=0", undefined],
    ["People", "GET", "/people", undefined],
    ["Faults", "GET", "/faults", undefined],
    ["FaultInjected", "POST", "/faults", { kind: "no-capacity", match: { instanceType: "m5.large" } }],
    ["Clock", "POST", "/clock", { speed: 10 }],
    ["Problem", "GET", "/nothing", undefined],
  ])("%s", async (name, method, url, body) => {
    const { ask, simulation, service } = office();
    await service.ui.type("U0OPERATOR", CHANNEL, "/lose");
    simulation.faults.inject("no-capacity", {}, 2);
    simulation.calls.record({ service: "ec2", action: "RunInstances", principal: "p", status: 200, error: null });
    await check(ask, name, (await ask(method, url, body)).body);
  });

  test("and a wrong answer would not", async () => {
    const { ask } = office();
    await expect(check(ask, "State", { now: "today" })).rejects.toThrow();
    await expect(check(ask, "Messages", [{ text: "hello" }])).rejects.toThrow();
  });

  test("and each call that is listed names definitions that are there", () => {
    const { calls, $defs } = schemaDocument() as { calls: object; $defs: Record<string, unknown> };
    const names = [...JSON.stringify(calls).matchAll(/#\/\$defs\/(\w+)/g)].map((match) => String(match[1]));
    expect(names.filter((name) => !(name in $defs))).toEqual([]);
    expect(Object.keys(calls)).toHaveLength(8);
  });
});

describe("what it tells", () => {
  test("the state as the services know it", async () => {
    const { ask, clock } = office();
    const { body } = await ask("GET", "/state");
    expect(body).toEqual({
      now: new Date(clock.now()).toISOString(),
      instances: [{ InstanceId: "i-0a" }],
      machines: [machine],
      nodes: [{ metadata: { name: "web-1" } }],
      operations: [operation],
    });
    expect((await ask("GET", "/people")).body.people).toEqual([person]);
  });

  test("the calls of one service after a number", async () => {
    const { ask, simulation } = office();
    for (const service of ["ec2", "ssm", "ec2"]) {
      simulation.calls.record({ service, action: "A", principal: "p", status: 200, error: null });
    }
    expect((await ask("GET", "/calls?service=ec2&after=1")).body).toMatchObject([{ seq: 3, service: "ec2" }]);
    expect((await ask("GET", "/calls?after=1")).body).toHaveLength(2);
    expect((await ask("GET", "/calls?after=soon")).status).toBe(400);
  });
});

describe("what it changes", () => {
  test("faults, until they are ended", async () => {
    const { ask } = office();
    const { body: injected } = await ask("POST", "/faults", { kind: "no-capacity", count: 3 });
    expect((await ask("GET", "/faults")).body.inForce).toEqual([
      { id: injected.id, kind: "no-capacity", match: {}, count: 3 },
    ]);
    expect(await ask("DELETE", `/faults/${injected.id}`)).toEqual({ status: 200, body: { id: injected.id } });
    expect((await ask("DELETE", `/faults/${injected.id}`)).status).toBe(404);
  });

  test("a fault of a node by its short name, unless two nodes have it", async () => {
    const { ask, simulation } = office();
    simulation.faults.declare({ kind: "silent", sentence: "Silent.", fields: { node: "which" } });
    const named = (node: string) => ask("POST", "/faults", { kind: "silent", match: { node } });
    expect((await named("web-1")).status).toBe(200);
    expect((await named("web-2.a.internal")).status).toBe(200);
    const { body } = await named("web-2");
    expect(body.error).toMatch('No node of fault silent is "web-2". It may be: web-1.a.internal, web-2.a.internal');
    expect((await ask("GET", "/faults")).body.inForce).toMatchObject([
      { match: { node: "web-1.a.internal" } },
      { match: { node: "web-2.a.internal" } },
    ]);
  });

  test("no fault that can never apply", async () => {
    const { ask } = office();
    const match = { how: "sideways" };
    const { status, body } = await ask("POST", "/faults", { kind: "clock-wrong", match });
    expect([status, body.error]).toEqual([400, 'No how of fault clock-wrong is "sideways". It may be: ahead.']);
    expect((await ask("GET", "/faults")).body.inForce).toEqual([]);
  });

  test("faults under their former path, /mishaps", async () => {
    const { ask } = office();
    const { body: injected } = await ask("POST", "/mishaps", { kind: "no-capacity" });
    expect((await ask("GET", "/mishaps")).body).toEqual((await ask("GET", "/faults")).body);
    expect((await ask("DELETE", `/mishaps/${injected.id}`)).body).toEqual(injected);
    expect((await ask("GET", "/faults")).body.inForce).toEqual([]);
  });

  test("the clock's speed, and a jump that has happened when it answers", async () => {
    const { ask, clock } = office();
    const before = clock.now();
    const { body } = await ask("POST", "/clock", { advance: 60 });
    expect(body).toEqual({ now: new Date(before + 60_000).toISOString(), speed: 1 });
    expect((await ask("POST", "/clock", { speed: 2.5 })).body.speed).toBe(2.5);
  });

  test.each([
    ["/faults", { kind: "earthquake" }],
    ["/faults", { kind: "no-capacity", match: { colour: "red" } }],
    ["/faults", { kind: "no-capacity", match: { constructor: "red" } }],
    ["/faults", '{ "kind": "no-capacity", "match": { "__proto__": "red" } }'],
    ["/faults", { kind: "no-capacity", count: 0 }],
    ["/faults", { kind: "no-capacity", wanted: true }],
    ["/faults", "{"],
    ["/clock", {}],
    ["/clock", { speed: 0 }],
    ["/clock", { speed: "fast" }],
    ["/clock", { advance: -1 }],
    ["/clock", { advance: 1e12 }],
    ["/clock", { speed: 1, advance: 1 }],
    ["/clock", "null"],
  ])("but not POST %s with %j", async (url, body) => {
    const { ask, clock } = office();
    const before = clock.now();
    const answer = await ask("POST", url, body);
    expect(answer).toMatchObject({ status: 400, body: { error: expect.stringMatching(/^[A-Z].*\.$/s) } });
    expect(clock.now()).toBe(before);
    expect((await ask("GET", "/faults")).body.inForce).toEqual([]);
  });

  test("and says which of kind and match it does not know", async () => {
    const { ask } = office();
    const errorTo = async (body: object) => (await ask("POST", "/faults", body)).body.error;
    expect(await errorTo({ kind: "earthquake" })).toContain('kind "earthquake"');
    expect(await errorTo({ kind: "no-capacity", match: { colour: "red" } })).toContain("by instanceType only");
  });

  test.each([
    ["GET", "/", 404],
    ["GET", "/constructor", 404],
    ["GET", "/faults/", 404],
    ["POST", "/state", 405],
    ["GET", "/clock", 405],
    ["GET", "/faults/fault-1", 405],
    ["DELETE", "/faults", 405],
  ])("and answers %s %s with %i", async (method, url, status) => {
    const { ask } = office();
    expect(await ask(method, url)).toMatchObject({ status, body: { error: expect.any(String) } });
  });
});

describe("who may ask", () => {
  test.each([
    [{ host: "127.0.0.1:4601" }],
    [{ host: "localhost" }],
    [{ host: "[::1]:4601" }],
    [{ host: "127.0.0.1:4601", origin: "http://127.0.0.1:4601" }],
  ])("%j may", async (headers) => {
    expect((await office().ask("GET", "/faults", undefined, headers)).status).toBe(200);
  });

  test.each([
    [{ host: "evil.example:4601" }],
    [{ host: "127.0.0.1.evil.example" }],
    [{ host: "127.0.0.1:4601", origin: "https://evil.example" }],
    [{ host: "127.0.0.1:4601", origin: "http://127.0.0.1:9999" }],
    [{ host: "127.0.0.1:4601", origin: "null" }],
  ])("%j may not", async (headers) => {
    const answer = await office().ask("POST", "/clock", { speed: 100 }, headers);
    expect(answer).toMatchObject({ status: 403, body: { error: expect.any(String) } });
  });
});
