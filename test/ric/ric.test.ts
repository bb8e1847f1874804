import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Addresses, environmentOf, mountHandlers, readDirectory } from "../../bin/handlers.ts";
import { hostClock } from "../../bin/host-clock.ts";
import { bindPorts } from "../../bin/ports.ts";
import { closeServer, startServers } from "../../bin/servers.ts";
import { deploymentBundles } from "../../lib/deployment-bundles.ts";
import { type FunctionName, type FunctionShape, functions } from "../../lib/functions.ts";
import { activity } from "../../lib/sandbox/core/activity.ts";
import { createSimulation } from "../../lib/sandbox/core/simulation.ts";
import { openStore } from "../../lib/sandbox/core/store.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { demoConfiguration } from "../../lib/sandbox/demo-configuration.ts";
import { seedAccount } from "../../lib/sandbox/seed-account.ts";
import { createSimulator, lambdaName, type Simulator } from "../../lib/sandbox/simulator.ts";
import { type DeployedFunction, deployedFunction } from "./deployed-function.ts";

/** Both servers and a workflow that reaches everything: ledger, bucket, secrets, cluster and Slack. */
const bundled = ["front-door", "cloud-events", "look"] as const;

const folder = mkdtempSync(join(tmpdir(), "casement-deployed-"));
const deployed = new Map<FunctionName, DeployedFunction>();
let simulator: Simulator;
let stop: () => Promise<void>;

/** The simulator on loopback and on the host's time, with a bundle under AWS's runtime client behind every function. */
async function raise(): Promise<void> {
  const places = await bindPorts(0);
  const store = openStore(":memory:");
  const simulation = createSimulation({ clock: hostClock, store, seed: 1 });
  const slack = `http://127.0.0.1:${places.slack.port}`;
  simulator = await createSimulator({ simulation, host: hostClock, hostTime: (ms) => ms, slackAddress: () => slack });
  const kubernetes = `https://127.0.0.1:${places.kubernetes.port}`;
  const configuration = demoConfiguration({ apiServer: kubernetes, authority: simulator.kubernetes.authorityPem });
  await seedAccount(simulator, configuration, kubernetes);
  const bundles = await deploymentBundles(bundled, folder, configuration);
  const aws = `http://127.0.0.1:${places.aws.port}`;
  const addresses: Addresses = { aws, slack, now: Date.now, slackNow: Date.now, configuration };
  mountHandlers(simulator, addresses);
  for (const name of bundled) {
    const running = await deployedFunction(bundles[name], environmentOf(simulator, name, addresses));
    deployed.set(name, running);
    const { executionSeconds }: FunctionShape = functions[name];
    const limits = executionSeconds ? { executionTimeoutSeconds: executionSeconds } : {};
    simulator.lambda.mount(lambdaName(name), limits, (event) => running.invoke(event));
  }
  const servers = await startServers(simulator, places, activity(), async () => ({
    status: 404,
    headers: {},
    body: "",
  }));
  simulator.resume();
  stop = async () => {
    await Promise.all([...deployed.values()].map((running) => running.stop()));
    await Promise.all(servers.map(closeServer));
    await simulator.dynamodb.close();
    store.close();
  };
}

beforeAll(raise);
afterAll(() => stop());

const answeredBy = (name: FunctionName): number => deployed.get(name)?.answered() ?? 0;

describe("bundles made for deployment, under AWS's own runtime client", () => {
  it("take an event of the schedule and read Slack's directory into the ledger", async () => {
    await readDirectory(simulator);
    expect(answeredBy("cloud-events")).toBe(1);
  });

  it("refuse a request that nobody signed", async () => {
    const forged = { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "command=/win" };
    expect(await deployed.get("front-door")?.invoke(forged)).toMatchObject({ statusCode: 401 });
  });

  it("answer a signed command, and a durable function carries it out", async () => {
    await simulator.slack.ui.type("U0OPERATOR", demo.slack.channelId, "/win nodes");
    const told = () => JSON.stringify(simulator.slack.ui.messagesFor("U0OPERATOR"));
    await vi.waitFor(() => expect(told()).toMatch(/No Windows nodes found/), {
      timeout: 30_000,
      interval: 200,
    });
    await vi.waitFor(() => expect(answeredBy("look")).toBeGreaterThan(0), { timeout: 30_000, interval: 200 });
    await vi.waitFor(() => expect(simulator.lambda.executions().map(({ status }) => status)).toEqual(["SUCCEEDED"]), {
      timeout: 30_000,
      interval: 200,
    });
  });
});
