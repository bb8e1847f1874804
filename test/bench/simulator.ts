import type { Server } from "node:http";
import { environmentOf } from "../../bin/handlers.ts";
import { hostClock } from "../../bin/host-clock.ts";
import { listen } from "../../bin/ports.ts";
import { clients } from "../../lambdas/clients/clients.ts";
import type { Configuration } from "../../lambdas/configuration/configuration.ts";
import { settings } from "../../lambdas/settings.ts";
import { roster } from "../../lambdas/steps/slack/roster.ts";
import { createSimulation } from "../../lib/sandbox/core/simulation.ts";
import { openStore } from "../../lib/sandbox/core/store.ts";
import type { WireRequest, WireResponse } from "../../lib/sandbox/core/wire.ts";
import { demoConfiguration } from "../../lib/sandbox/demo-configuration.ts";
import { httpServer } from "../../lib/sandbox/http-server.ts";
import { OWNER } from "../../lib/sandbox/principals.ts";
import { seedAccount } from "../../lib/sandbox/seed-account.ts";
import { createSimulator, lambdaName, type Simulator } from "../../lib/sandbox/simulator.ts";

/** Simulator that both bundles call while they are measured. It answers a kind of call once, and then repeats the answer at once. */
export interface BenchSimulator {
  readonly configuration: Configuration;
  readonly signingSecret: string;
  /** Environment of the front door's process, as Lambda would give it. */
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const listening = async (server: Server): Promise<string> => `http://127.0.0.1:${await listen(server, 0)}`;

/** Calls with one key have one answer: a read is known by all of its request, a write by its action and address. */
function keyOf({ method, url, headers, body }: WireRequest): string {
  const action = headers["x-amz-target"] ?? "";
  return [method, url, action, /\.Get/.test(action) ? Buffer.from(body).toString("utf8") : ""].join(" ");
}

/**
 * Gives the first answer to every later call of the same key. The figures are those of the front door: the simulator
 * needs about 5 ms of one core for a write, one write at a time, so its own work would be most of what is measured.
 */
function atOnce(answer: (request: WireRequest) => Promise<WireResponse>): typeof answer {
  const known = new Map<string, WireResponse>();
  return async (request) => {
    const key = keyOf(request);
    const response = known.get(key) ?? (await answer(request));
    if (response.status < 300) known.set(key, response);
    return response;
  };
}

async function build(): Promise<Simulator> {
  const simulation = createSimulation({ clock: hostClock, store: openStore(":memory:"), seed: 1 });
  return createSimulator({
    simulation,
    host: hostClock,
    hostTime: (ms) => ms,
    slackAddress: () => "http://slack.invalid",
  });
}

/** Raises AWS and Slack on loopback, without machines; what the server starts ends at once, so that it takes no time here. */
export async function benchSimulator(): Promise<BenchSimulator> {
  const simulator = await build();
  const configuration = demoConfiguration({
    apiServer: "https://kubernetes.invalid",
    authority: simulator.kubernetes.authorityPem,
  });
  await seedAccount(simulator, configuration, "https://kubernetes.invalid");
  simulator.lambda.mount(lambdaName("add-nodes"), { executionTimeoutSeconds: 60 }, async () => ({
    Status: "SUCCEEDED",
  }));
  const servers = [httpServer(atOnce(simulator.aws.answer)), httpServer(simulator.slack.answer)] as const;
  const [aws, slack] = await Promise.all([listening(servers[0]), listening(servers[1])]);
  const addresses = { aws, slack, now: Date.now, slackNow: Date.now, configuration };
  const owner = settings(environmentOf(simulator, OWNER, addresses));
  const context = { clients: clients(owner), settings: owner, now: Date.now };
  await roster(context).write({ groups: {}, memberships: {}, unreadablePools: [], readAt: new Date().toISOString() });
  return {
    configuration,
    signingSecret: simulator.keys.signingSecret,
    environment: environmentOf(simulator, "front-door", addresses),
    close: async () => {
      for (const server of servers) server.close().closeAllConnections();
      await simulator.dynamodb.close();
    },
  };
}
