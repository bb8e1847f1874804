import type { Server } from "node:http";
import { environmentOf, ledgerOf } from "../../bin/handlers.ts";
import { hostClock } from "../../bin/host-clock.ts";
import { listen } from "../../bin/listen.ts";
import { clients } from "../../lambdas/clients/clients.ts";
import type { Configuration } from "../../lambdas/configuration.ts";
import { settings } from "../../lambdas/settings.ts";
import { directory } from "../../lambdas/steps/slack/directory.ts";
import { foundationOn } from "../../lib/sandbox/core/foundation.ts";
import { openStore } from "../../lib/sandbox/core/store.ts";
import { httpDoor } from "../../lib/sandbox/doors.ts";
import { furnish } from "../../lib/sandbox/furnish.ts";
import { type Ground, ground, lambdaName } from "../../lib/sandbox/ground.ts";
import { VISITOR } from "../../lib/sandbox/principals.ts";
import { townConfiguration } from "../../lib/sandbox/town-configuration.ts";

/** The ground that both bundles stand on while they are measured. */
export interface BenchGround {
  readonly configuration: Configuration;
  readonly signingSecret: string;
  /** Environment of the front door's process, as Lambda would give it. */
  readonly environment: Readonly<Record<string, string>>;
  /** Operations that were taken on. */
  operations(): Promise<number>;
  close(): Promise<void>;
}

const listening = async (door: Server): Promise<string> => `http://127.0.0.1:${await listen(door, 0)}`;

async function build(): Promise<Ground> {
  const foundation = foundationOn({ clock: hostClock, store: openStore(":memory:"), seed: 1 });
  return ground({ foundation, host: hostClock, hostTime: (ms) => ms, slackAddress: () => "http://slack.invalid" });
}

/** Raises AWS and Slack on loopback, without machines; what the door starts ends at once, so that it takes no time here. */
export async function benchGround(): Promise<BenchGround> {
  const stand = await build();
  const configuration = townConfiguration({
    apiServer: "https://kubernetes.invalid",
    authority: stand.kubernetes.authorityPem,
  });
  await furnish(stand, configuration, "https://kubernetes.invalid");
  stand.lambda.mount(lambdaName("add-nodes"), { executionTimeoutSeconds: 60 }, async () => ({ Status: "SUCCEEDED" }));
  const doors = [httpDoor(stand.aws.answer), httpDoor(stand.slack.answer)] as const;
  const [aws, slack] = await Promise.all([listening(doors[0]), listening(doors[1])]);
  const addresses = { aws, slack, now: Date.now, slackNow: Date.now, configuration };
  const owner = settings(environmentOf(stand, VISITOR, addresses));
  const world = { clients: clients(owner), settings: owner, now: Date.now };
  await directory(world).write({ groups: {}, standings: {}, readAt: new Date().toISOString() });
  return {
    configuration,
    signingSecret: stand.keys.signingSecret,
    environment: environmentOf(stand, "front-door", addresses),
    operations: async () => (await ledgerOf(stand, addresses).operations(1_000)).length,
    close: async () => {
      for (const door of doors) door.close().closeAllConnections();
      await stand.dynamodb.close();
    },
  };
}
