import { hostClock } from "../../bin/host-clock.ts";
import { commands } from "../../lambdas/commands/list.ts";
import { control } from "../../lib/sandbox/control/control.ts";
import { page } from "../../lib/sandbox/page/page.ts";
import { type Slack, slack } from "../../lib/sandbox/slack/slack.ts";
import { town } from "../../lib/sandbox/town.ts";
import { boltApp, ground, SECRET, TOKEN } from "../sandbox/slack/workbench.ts";
import { bot } from "./bot.ts";
import { agents, instances, nodes, operations } from "./samples.ts";

const setting = {
  cluster: town.cluster.name,
  channels: [
    { id: town.slack.channelId, name: town.slack.channelName },
    { id: "C0GENERAL0", name: "general" },
  ],
  bot: { userId: town.slack.botUserId, name: "Casement" },
  people: town.people.map(({ id, realName, roles }) => ({ id, name: realName, roles })),
  vocabulary: { commandWord: "/win", commands, pools: ["web", "batch"] },
};

/** The page over the real simulated Slack, a real Bolt app with the product's words, and a world that stands still. */
export function smallGround() {
  const foundation = ground(hostClock);
  const holder: { service?: Slack } = {};
  const bolt = boltApp(() => holder.service as Slack);
  bot(bolt.app);
  const service = slack(foundation, {
    town,
    signingSecret: SECRET,
    botToken: TOKEN,
    requestUrl: bolt.requestUrl,
    host: hostClock,
    address: () => "http://slack.test",
  });
  holder.service = service;
  let speed = 1;
  const controlApi = control({
    foundation,
    speed: {
      current: () => speed,
      set: (next) => {
        speed = next;
      },
      advance: async () => {},
    },
    sources: {
      instances: () => instances,
      machines: () => [],
      nodes: () => nodes,
      operations: () => operations,
      messages: service.messages,
      people: () => ({ teamId: town.slack.teamId, channelId: town.slack.channelId, people: [] }),
    },
  });
  const parts = { desk: service.desk, control: controlApi, agents: () => agents, speed: () => speed, setting };
  return { foundation, slack: service, page: page(parts) };
}
