import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import { DescribeInstancesCommand } from "@aws-sdk/client-ec2";
import { PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { ListDurableExecutionsByFunctionCommand } from "@aws-sdk/client-lambda";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import { ListSecretsCommand } from "@aws-sdk/client-secrets-manager";
import { DescribeInstanceInformationCommand } from "@aws-sdk/client-ssm";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../lib/sandbox/core/store.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { kubectlBinary, kubectlWith } from "../contract/kubectl-binary.ts";
import { hostSlowness } from "../host-time.ts";
import { account } from "./account.ts";
import { cleanUp, emptyFolder, launch, type Running, refusal, start, type, until } from "./running.ts";

const EVERYTHING = 60_000;
/** Ready within four seconds, once installed: quiet cores take less than three. */
const READY_MS = 4_000;

/** An hour of the sandbox passes within five seconds. */
const HOUR_MS = 15_000;
const END_MS = 4_000;

const fields = [
  "ui",
  "frontDoor",
  "signingSecret",
  "slack",
  "botToken",
  "aws",
  "region",
  "accessKeyId",
  "secretAccessKey",
  "kubernetes",
  "kubeconfig",
  "control",
];

const refusesConnections = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(false);
    });
    socket.once("error", () => resolve(true));
  });

/** Ctrl-C: the end is clean, soon, and frees every port. */
async function expectCleanEnd(running: Running): Promise<void> {
  const began = performance.now();
  const { code, err } = await running.signal("SIGINT");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(performance.now() - began).toBeLessThan(END_MS);
  const { ui, frontDoor, slack, aws, kubernetes } = running.endpoints;
  expect(await Promise.all([ui, frontDoor, slack, aws, kubernetes].map(refusesConnections))).toEqual(
    Array(5).fill(true),
  );
}

describe("a sandbox that runs", () => {
  let here: Running;
  beforeAll(async () => {
    kubectlBinary();
    here = await start(emptyFolder());
  }, EVERYTHING);
  afterAll(cleanUp);

  const kubectl = (kubeconfig: string) => kubectlWith(kubeconfig, here.folder);
  const admin = () => kubectl(join(here.folder, here.endpoints.kubeconfig));

  test("is ready soon and says where", { timeout: EVERYTHING }, async () => {
    // The first start of all compiles, and a machine may be busy or slow: the promise is about one that is neither.
    const times: number[] = [];
    while (times.length < 5 && !times.some((ms) => ms < READY_MS)) {
      const again = await start(emptyFolder());
      times.push(again.readyMs / hostSlowness());
      await again.signal("SIGKILL");
    }
    expect(Math.min(...times)).toBeLessThan(READY_MS);
  });

  test("writes exactly the fields of the contract, for its owner alone", () => {
    expect(Object.keys(here.endpoints).sort()).toEqual([...fields].sort());
    const state = join(here.folder, ".sandbox");
    for (const name of ["endpoints.json", "kubeconfig"]) expect(statSync(join(state, name)).mode & 0o777).toBe(0o600);
    expect(statSync(state).mode & 0o777).toBe(0o700);
    expect(here.endpoints.kubernetes).toMatch(/^https:/);
  });

  test("lets kubectl in by the kubeconfig", async () => {
    const { code, out } = await admin()(["get", "nodes", "-l", "kubernetes.io/os=windows", "--no-headers"]);
    expect(code).toBe(0);
    expect(out.trim().split("\n")).toHaveLength(4);
    expect(out).not.toContain("NotReady");
  });

  test("gives people tokens with their own rights in the cluster", async () => {
    const { people } = await here.control("GET /people");
    expect(people.map(({ roles }) => roles)).toEqual([["operator"], ["approver", "operator"], [], ["approver"]]);
    const [operator, , visitor] = people;
    const config = JSON.parse(readFileSync(join(here.folder, here.endpoints.kubeconfig), "utf8"));
    const as = (token = "", ...words: string[]) => {
      const file = join(here.folder, "person");
      const users = [{ name: "admin", user: { token } }];
      writeFileSync(file, JSON.stringify({ ...config, users }), { mode: 0o600 });
      return kubectl(file)(words);
    };
    expect((await as(operator?.kubernetesToken, "get", "nodes")).code).toBe(0);
    expect((await as(operator?.kubernetesToken, "auth", "whoami")).out).toContain(operator?.id);
    expect((await as(visitor?.kubernetesToken, "get", "nodes")).err).toContain("Forbidden");
    expect((await as("nonsense", "get", "nodes")).err).toMatch(/Unauthorized|logged in/);
  });

  test("answers Slack's signed requests and refuses all others", async () => {
    const answer = await type(here, "help");
    expect(answer.status).toBe(200);
    expect(await answer.text()).toContain("/win add");
    expect((await type(here, "help", { secret: "not the secret" })).status).toBe(401);
    expect((await fetch(here.endpoints.frontDoor, { method: "POST", body: "command=%2Fwin" })).status).toBe(401);
  });

  test("answers Slack's Web API to the bot's token alone", async () => {
    const ask = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` };
      return (await fetch(`${here.endpoints.slack}/api/auth.test`, { method: "POST", headers })).json();
    };
    expect(await ask(here.endpoints.botToken)).toMatchObject({ ok: true, user_id: demo.slack.botUserId });
    expect(await ask("xoxb-wrong")).toEqual({ ok: false, error: "invalid_auth" });
  });

  test("speaks to the AWS SDK for each service", async () => {
    const { dynamodb, ec2, events, lambda, s3, secrets, ssm } = account(here);
    const prefix = `casement-${demo.cluster.name}`;
    expect((await ec2.send(new DescribeInstancesCommand({}))).Reservations).toHaveLength(9);
    expect((await ssm.send(new DescribeInstanceInformationCommand({}))).InstanceInformationList).toHaveLength(4);
    expect((await s3.send(new ListObjectsV2Command({ Bucket: demo.bucket }))).KeyCount).toBeGreaterThan(5);
    expect((await secrets.send(new ListSecretsCommand({}))).SecretList?.length).toBeGreaterThan(1);
    const table = await dynamodb.send(new DescribeTableCommand({ TableName: demo.ledgerTable }));
    expect(table.Table?.TableStatus).toBe("ACTIVE");
    const executions = new ListDurableExecutionsByFunctionCommand({ FunctionName: `${prefix}-add-nodes` });
    expect((await lambda.send(executions)).DurableExecutions).toEqual([]);
    const event = { Source: "outside", DetailType: "Greeting", Detail: "{}" };
    expect((await events.send(new PutEventsCommand({ Entries: [event] }))).FailedEntryCount).toBe(0);
  });

  test("refuses the AWS SDK with a wrong key", async () => {
    const stranger = { ...here, endpoints: { ...here.endpoints, secretAccessKey: "wrong" } };
    await expect(account(stranger).ec2.send(new DescribeInstancesCommand({}))).rejects.toMatchObject({
      name: "AuthFailure",
    });
  });

  test("keeps each call of the control API to its own schema", async () => {
    const schema = (await (await fetch(`${here.endpoints.control}/schema`)).json()) as object;
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema(schema, "control");
    const kept = (name: string, value: unknown) => expect(ajv.validate(`control#/$defs/${name}`, value)).toBe(true);
    const state = await here.control("GET /state");
    kept("State", state);
    kept("Messages", await here.control("GET /messages"));
    kept("People", await here.control("GET /people"));
    const calls = await here.control("GET /calls", undefined, "?service=ec2&after=0");
    kept("Calls", calls);
    expect(new Set(calls.map(({ service }) => service))).toEqual(new Set(["ec2"]));
    expect(state.machines.filter(({ services }) => services.length > 0)).toHaveLength(4);
  });

  test("orders a fault and ends it", async () => {
    const { kinds } = await here.control("GET /faults");
    expect(kinds.length).toBeGreaterThan(5);
    const { id } = await here.control("POST /faults", { kind: "aws-throttle", match: { service: "ec2" } });
    const throttled = account(here).ec2.send(new DescribeInstancesCommand({}));
    await expect(throttled).rejects.toMatchObject({ name: "RequestLimitExceeded" });
    expect((await here.control("GET /faults")).inForce).toHaveLength(1);
    expect((await fetch(`${here.endpoints.control}/faults/${id}`, { method: "DELETE" })).status).toBe(200);
    expect((await here.control("GET /faults")).inForce).toEqual([]);
    expect((await account(here).ec2.send(new DescribeInstancesCommand({}))).Reservations).toHaveLength(9);
  });

  test("passes an hour in some seconds", async () => {
    const before = await here.control("GET /state");
    // The first hour invokes some functions for the first time, and a machine may be busy.
    const times: number[] = [];
    while (times.length < 4 && !times.some((ms) => ms < HOUR_MS)) {
      const began = performance.now();
      await here.control("POST /clock", { advance: 3_600 });
      times.push(performance.now() - began);
    }
    expect(Math.min(...times)).toBeLessThan(HOUR_MS);
    const { now } = await here.control("GET /state");
    expect(Date.parse(now) - Date.parse(before.now)).toBeGreaterThanOrEqual(times.length * 3_600_000);
    const { out } = await admin()(["get", "nodes", "--no-headers"]);
    expect(out).not.toContain("NotReady");
  }, 240_000);

  test("runs at the speed that it is told", async () => {
    expect(await here.control("POST /clock", { speed: 2_000 })).toMatchObject({ speed: 2_000 });
    const before = Date.parse((await here.control("GET /state")).now);
    await until("a minute", async () => {
      const { now } = await here.control("GET /state");
      return Date.parse(now) - before >= 60_000 ? true : undefined;
    });
    expect((await here.control("POST /clock", { speed: 10 })).speed).toBe(10);
  });

  test("does not share its state with a second one", async () => {
    const { code, err } = await refusal(here.folder, "--port", "0");
    expect(code).toBe(1);
    expect(err).toBe("casement: another sandbox runs on the state in .sandbox: end it, or start this one elsewhere\n");
    expect((await refusal(here.folder, "--port", "0", "--fresh")).code).toBe(1);
    expect((await here.control("GET /state")).nodes).toHaveLength(9);
  });
});

describe("Ctrl-C", () => {
  afterEach(cleanUp);

  test("ends an idle sandbox", { timeout: EVERYTHING }, async () => {
    await expectCleanEnd(await start(emptyFolder()));
  });

  test("ends it in the middle of an add, which goes on at the next start", { timeout: EVERYTHING }, async () => {
    const running = await start(emptyFolder(), "--speed", "60");
    await type(running, "add web");
    await until("a launch", async () => {
      const { operations } = await running.control("GET /state");
      return operations[0]?.nodes.some(({ stage }) => stage === "launch") || undefined;
    });
    await expectCleanEnd(running);
    const again = await start(running.folder, "--speed", "60");
    expect((await again.control("GET /state")).operations).toMatchObject([{ command: "add", status: "running" }]);
  });

  test("ends it while its clock is moved", { timeout: EVERYTHING }, async () => {
    const running = await start(emptyFolder());
    await type(running, "add web");
    const moved = running.control("POST /clock", { advance: 86_400 }).catch(() => "cut off");
    await new Promise((resolve) => setTimeout(resolve, 300));
    await expectCleanEnd(running);
    expect(await moved).toBe("cut off");
  });

  test("ends it before it stands, and the next start begins anew", { timeout: EVERYTHING }, async () => {
    const folder = emptyFolder();
    const { child, ended } = launch(folder, ["--port", "0"]);
    await until("its state", async () => existsSync(join(folder, ".sandbox/sandbox.db")) || undefined);
    child.kill("SIGINT");
    expect(await ended).toEqual({ code: 0, signal: null, out: "", err: "" });
    expect((await (await start(folder)).control("GET /state")).nodes).toHaveLength(9);
  });
});

describe("a larger cluster", () => {
  afterEach(cleanUp);

  test("has as many Windows nodes as asked for, keeps them, and is not enlarged afterwards", {
    timeout: EVERYTHING,
  }, async () => {
    const running = await start(emptyFolder(), "--nodes", "40");
    const windows = async (here: Running) =>
      (await here.control("GET /state")).nodes.filter(
        (node) => Object(node.metadata).labels?.["kubernetes.io/os"] === "windows",
      );
    expect(await windows(running)).toHaveLength(40);
    await running.signal("SIGINT");
    const { code, err } = await refusal(running.folder, "--port", "0", "--nodes", "50");
    expect(code).toBe(1);
    expect(err).toContain("began with 40 Windows nodes: start anew with --fresh --nodes 50");
    const again = await start(running.folder);
    expect(await windows(again)).toHaveLength(40);
  });
});

describe("what cannot be started", () => {
  afterEach(cleanUp);

  const expectOneLine = async (words: RegExp, ...flags: string[]): Promise<void> => {
    const { code, out, err } = await refusal(emptyFolder(), ...flags);
    expect({ code, out, lines: err.split("\n").length }).toEqual({ code: 1, out: "", lines: 2 });
    expect(err).toMatch(/^casement: /);
    expect(err).toMatch(words);
  };

  test("a taken port is told in one line that names the flag", { timeout: EVERYTHING }, async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, "127.0.0.1", () => resolve((other.address() as AddressInfo).port));
    });
    await expectOneLine(new RegExp(`port ${port} is taken.*--port`), "--port", String(port));
    await expectOneLine(new RegExp(`port ${port} is taken.*--port`), "--port", String(port - 3));
    other.close();
  });

  test("flags that make no sense are told in one line", { timeout: EVERYTHING }, async () => {
    await expectOneLine(/--port takes a whole number from 0 to 65531, not "web"/, "--port", "web");
    await expectOneLine(/--port/, "--port", "70000");
    await expectOneLine(/--speed takes a number/, "--speed", "0");
    await expectOneLine(/--seed/, "--seed", "1.5");
    await expectOneLine(/--nodes takes a whole number from 4 to 200, not "3"/, "--nodes", "3");
    await expectOneLine(/no neighbour or controller "wmko" .*wmco.*scheduler/, "--port", "0", "--with", "wmco,wmko");
    await expectOneLine(
      /--colour.*--port, --speed, --seed, --fresh, --nodes, --with, --without, --calibration and --help/,
      "--colour",
    );
  });

  test("--help says every flag and starts nothing", { timeout: EVERYTHING }, async () => {
    const folder = emptyFolder();
    const { code, out, err } = await refusal(folder, "--help");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const flag of ["--port", "--speed", "--seed", "--fresh", "--nodes", "--with", "--without"])
      expect(out).toContain(flag);
    expect(existsSync(join(folder, ".sandbox"))).toBe(false);
  });

  test("a state of another version is told with the way out", { timeout: EVERYTHING }, async () => {
    const running = await start(emptyFolder());
    await running.signal("SIGINT");
    const store = openStore(join(running.folder, ".sandbox/sandbox.db"));
    store.collection("sandbox").set("format", 1);
    store.close();
    const { code, err } = await refusal(running.folder, "--port", "0");
    expect(code).toBe(1);
    expect(err).toContain("of another version of Casement: start anew with --fresh");
  });

  test("a damaged state is told with the way out, which works", { timeout: EVERYTHING }, async () => {
    const running = await start(emptyFolder());
    await running.signal("SIGINT");
    writeFileSync(join(running.folder, ".sandbox/sandbox.db"), "not what was written");
    const { code, err } = await refusal(running.folder, "--port", "0");
    expect({ code, lines: err.split("\n").length }).toEqual({ code: 1, lines: 2 });
    expect(err).toContain("--fresh");
    const anew = await start(running.folder, "--fresh");
    expect((await anew.control("GET /state")).nodes).toHaveLength(9);
  });

  test("a state of which a part is gone, empty or cut is told with the way out", { timeout: EVERYTHING }, async () => {
    const running = await start(emptyFolder());
    await running.signal("SIGINT");
    const [state, ledger] = [join(running.folder, ".sandbox"), join(running.folder, ".sandbox/ledger")];
    const copy = join(running.folder, "copy");
    cpSync(state, copy, { recursive: true });
    const log = () => readdirSync(ledger).find((name) => name.endsWith(".log")) ?? "";
    const losses: readonly (readonly [loss: () => void, words: string])[] = [
      [() => rmSync(join(state, "sandbox.db")), "sandbox.db is missing or empty"],
      [() => truncateSync(join(state, "sandbox.db")), "sandbox.db is missing or empty"],
      [() => rmSync(ledger, { recursive: true }), "the ledger in .sandbox is not the one of this state"],
      [
        () => truncateSync(join(ledger, log()), Math.floor(statSync(join(ledger, log())).size / 2)),
        "or has lost its end",
      ],
    ];
    for (const [lose, words] of losses) {
      rmSync(state, { recursive: true });
      cpSync(copy, state, { recursive: true });
      lose();
      const { code, err } = await refusal(running.folder, "--port", "0");
      expect({ code, lines: err.split("\n").length }).toEqual({ code: 1, lines: 2 });
      expect(err).toContain(words);
      expect(err).toContain("start anew with --fresh");
    }
  });
});
