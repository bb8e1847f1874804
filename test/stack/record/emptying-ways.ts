import { APPROVE_OPERATION, CANCEL_OPERATION, RESUME_ROLLOUT } from "../../../lambdas/messages/slack/buttons.ts";
import { asked } from "../../journeys/assisting.ts";
import { newest, settled } from "../../journeys/evidence.ts";
import type { Journey } from "../../journeys/journey.ts";
import { passTo } from "../../journeys/maintenance.ts";
import { SHORT, unasked } from "../../journeys/on-web.ts";
import { guardedPod, web } from "../../journeys/others.ts";
import { injectFault } from "../../journeys/outside.ts";
import { poolOfFour } from "../../journeys/pool-of-four.ts";
import { withSeedNodes } from "../../journeys/removal.ts";
import { commands, FORCE, stageReached, type Way } from "./way.ts";

type Emptying = "drain" | "reboot";

const approved =
  (command: Emptying) =>
  async (here: Journey): Promise<void> => {
    await asked(here, `${command} ${SHORT} ${FORCE}`);
    await here.press("approver", APPROVE_OPERATION);
    await settled(here, 240);
  };

const cancelled =
  (command: Emptying) =>
  async (here: Journey): Promise<void> => {
    await guardedPod(here, web);
    await here.type("operator", `/win ${command} ${SHORT} ${FORCE}`);
    await stageReached(here, "evict");
    await here.press("operator", CANCEL_OPERATION);
    await settled(here);
  };

/** Drains of a node, and the stops that refuse one. */
export const drains: readonly Way[] = [
  {
    name: "drain, approved",
    keeps: ["drain-node"],
    begin: withSeedNodes,
    go: approved("drain"),
  },
  {
    name: "drain, denied",
    keeps: ["drain-node"],
    begin: withSeedNodes,
    go: async (here) => {
      await asked(here, `drain ${SHORT} ${FORCE}`);
      await here.type("approver", `/win deny ${(await newest(here)).operation.id}`);
      await settled(here);
    },
  },
  {
    name: "drain, cancelled",
    keeps: ["drain-node"],
    begin: () => unasked("drain"),
    go: cancelled("drain"),
  },
  {
    name: "drain, at a time that was given",
    keeps: ["drain-node", "sweep"],
    begin: withSeedNodes,
    go: async (here) => {
      await asked(here, `drain ${SHORT} ${FORCE} --at "Sat 04:10"`);
      await here.press("approver", APPROVE_OPERATION);
      await passTo(here, "2026-11-21T04:31");
      await settled(here);
    },
  },
  {
    name: "freeze and hold, and what they refuse",
    keeps: ["stop-changes", "drain-node", "reboot-node"],
    begin: () => unasked("drain"),
    go: commands(
      'freeze web --reason "release night" --for 4h',
      `drain ${SHORT} ${FORCE}`,
      `reboot ${SHORT} ${FORCE}`,
      "thaw web",
      `hold ${SHORT} --reason "disk errors"`,
      `drain ${SHORT} ${FORCE}`,
      `unhold ${SHORT}`,
      "thaw web",
    ),
  },
];

/** Names of the nodes of pool web. */
const ofWeb = (here: Journey): string[] =>
  here.simulator.kubernetes
    .objects("nodes")
    .filter(({ metadata }) => metadata.labels?.["casement.dev/pool"] === "web")
    .map(({ metadata }) => metadata.name);

const impatientFour = async (): Promise<Journey> =>
  (await poolOfFour(2, { deadlines: { reboot: { reboot: 20, prove: 12 } } })).here;

/** Begins a rollout whose first machine does not come back. */
async function pausedRollout(here: Journey): Promise<void> {
  injectFault(here, "boot-hangs", {}, 1);
  await here.type("operator", "/win reboot web");
  await here.until(async () => (await newest(here)).operation.rollout?.paused != null, 300, "the pause");
}

/** Reboots of one node and of a pool, and the proof of one. */
export const reboots: readonly Way[] = [
  {
    name: "reboot, approved",
    keeps: ["reboot-node"],
    begin: withSeedNodes,
    go: approved("reboot"),
  },
  {
    name: "reboot, not proven",
    keeps: ["reboot-node"],
    begin: () => unasked("reboot", { reboot: { reboot: 20, prove: 12 } }),
    go: async (here) => {
      injectFault(here, "service-exits", { instanceId: web.instanceId, service: "kubelet" });
      await here.type("operator", `/win reboot ${SHORT} ${FORCE}`);
      await settled(here, 240);
    },
  },
  {
    name: "reboot, cancelled",
    keeps: ["reboot-node"],
    begin: () => unasked("reboot"),
    go: cancelled("reboot"),
  },
  {
    name: "rollout of two nodes",
    keeps: ["reboot-nodes", "reboot-node"],
    begin: async () => (await poolOfFour(1)).here,
    go: async (here) => {
      const [first, second] = ofWeb(here);
      await here.type("operator", `/win reboot ${first} ${second} --dry-run`);
      await settled(here, 30);
      await here.type("operator", `/win reboot ${first} ${second}`);
      await settled(here, 240);
    },
  },
  {
    name: "rollout whose first node fails, resumed",
    keeps: ["reboot-nodes", "reboot-node"],
    begin: impatientFour,
    go: async (here) => {
      await pausedRollout(here);
      await here.press("operator", RESUME_ROLLOUT);
      await settled(here, 300);
    },
  },
  {
    name: "rollout whose first node fails, resumed after its execution has ended",
    keeps: ["reboot-nodes"],
    begin: impatientFour,
    go: async (here) => {
      await pausedRollout(here);
      await settled(here, 300);
      await here.type("operator", `/win resume ${(await newest(here)).operation.id}`);
      await settled(here, 300);
    },
  },
  { name: "prove", keeps: ["reboot-node"], begin: withSeedNodes, go: commands(`prove ${SHORT}`) },
];
