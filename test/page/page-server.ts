import { hostClock } from "../../bin/host-clock.ts";
import { commands } from "../../lambdas/commands/list.ts";
import { control } from "../../lib/sandbox/control/control.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { page } from "../../lib/sandbox/page/page.ts";
import { type Slack, slack } from "../../lib/sandbox/slack/slack.ts";
import { boltApp, SECRET, simulationAt, TOKEN } from "../sandbox/slack/workbench.ts";
import { bot } from "./bot.ts";
import { agents, instances, machines, nodes, operations, shownOperations } from "./samples.ts";

const setting = {
  cluster: demo.cluster.name,
  channels: [
    { id: demo.slack.channelId, name: demo.slack.channelName },
    { id: "C0GENERAL0", name: "general" },
  ],
  bot: { userId: demo.slack.botUserId, name: "Casement" },
  people: demo.people.map(({ id, realName, roles }) => ({ id, name: realName, roles })),
  vocabulary: { commandWord: "/win", commands, pools: ["web", "batch"] },
};

/** The page over the real simulated Slack, a real Bolt app with the product's words, and sample state that does not change. */
export function servedPage() {
  const simulation = simulationAt(hostClock);
  const holder: { service?: Slack } = {};
  const bolt = boltApp(() => holder.service as Slack);
  bot(bolt.app);
  const service = slack(simulation, {
    demo,
    signingSecret: SECRET,
    botToken: TOKEN,
    requestUrl: bolt.requestUrl,
    host: hostClock,
    address: () => "http://slack.test",
  });
  holder.service = service;
  let speed = 1;
  const controlApi = control({
    simulation,
    speed: {
      current: () => speed,
      set: (next) => {
        speed = next;
      },
      advance: async () => {},
    },
    readers: {
      instances: () => instances,
      machines: () => machines,
      nodes: () => nodes,
      operations: () => operations,
      messages: service.messages,
      people: () => ({ teamId: demo.slack.teamId, channelId: demo.slack.channelId, people: [] }),
      faultValues: () => ({}),
    },
  });
  const parts = { ui: service.ui, control: controlApi, agents: () => agents, speed: () => speed, setting };
  return { simulation, slack: service, page: page({ ...parts, operations: async () => shownOperations }) };
}
