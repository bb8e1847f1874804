import { assist, EDGE, typed } from "../../journeys/assisting.ts";
import { settled } from "../../journeys/evidence.ts";
import { asked, impatient, keepOne } from "../../journeys/failing.ts";
import { startJourney } from "../../journeys/journey.ts";
import { nodes, replaceSignerOf, startTalking } from "../../journeys/kubelet-signer.ts";
import { SHORT } from "../../journeys/on-web.ts";
import { guardedPod, web } from "../../journeys/others.ts";
import { injectFault } from "../../journeys/outside.ts";
import { confirmRemoval, withSeedNodes } from "../../journeys/removal.ts";
import { stopAll } from "../../journeys/stopping.ts";
import { drains, reboots } from "./emptying-ways.ts";
import { commands, stageReached, type Way } from "./way.ts";

const adds: readonly Way[] = [
  {
    name: "add of two nodes",
    keeps: ["add-nodes", "provision-node"],
    begin: startJourney,
    go: commands("add web 2 --dry-run", "add web 2", "add web 9"),
  },
  {
    name: "add that fails, its machine terminated by a person",
    keeps: ["add-nodes", "provision-node"],
    begin: () => startJourney({ configuration: impatient }),
    go: async (here) => {
      injectFault(here, "feature-install-fails");
      await here.type("operator", "/win add web");
      await asked(here);
      await here.press("operator", "terminate-instance");
      await settled(here);
    },
  },
  {
    name: "add that fails, its machine kept by a person",
    keeps: ["add-nodes", "provision-node", "sweep"],
    begin: () => startJourney({ configuration: impatient }),
    go: async (here) => {
      await keepOne(here);
      await here.pass(20);
    },
  },
];

const others: readonly Way[] = [
  {
    name: "remove, confirmed",
    keeps: ["remove-node"],
    begin: withSeedNodes,
    go: async (here) => {
      await confirmRemoval(here, SHORT);
      await settled(here);
    },
  },
  {
    name: "remove, its execution stopped",
    keeps: ["sweep"],
    begin: withSeedNodes,
    go: async (here) => {
      await guardedPod(here, web);
      await confirmRemoval(here, SHORT);
      await stageReached(here, "evict");
      await stopAll(here);
      await here.pass(40);
    },
  },
  {
    name: "cordon and uncordon",
    keeps: ["cordon-node"],
    begin: withSeedNodes,
    go: commands(`cordon ${SHORT} --dry-run`, `cordon ${SHORT}`, `cordon ${SHORT}`, `uncordon ${SHORT}`),
  },
  {
    name: "assist and its end",
    keeps: ["assist-node"],
    begin: withSeedNodes,
    go: async (here) => {
      await typed(here, `assist ${EDGE} --dry-run`);
      await assist(here);
      await typed(here, `assist ${EDGE} --end`);
    },
  },
  {
    name: "guard of a pool",
    keeps: ["guard-node"],
    begin: withSeedNodes,
    go: commands("guard web --dry-run", "guard web"),
  },
];

const images = {
  "2019": "mcr.microsoft.com/windows/servercore:ltsc2019",
  "2022": "mcr.microsoft.com/windows/servercore:ltsc2022",
  linux: "docker.io/library/busybox:1.37",
};

const schedules: readonly Way[] = [
  {
    name: "a new authority of the kubelets",
    keeps: ["update-authority"],
    begin: () => startTalking(nodes),
    go: async (here) => {
      await replaceSignerOf(here);
      await here.pass(60);
    },
  },
  {
    name: "seven hours of schedules",
    keeps: ["probe-nodes", "watch-reboots", "sweep", "look", "update-authority"],
    begin: () => withSeedNodes({ configuration: { probe: { images } } }),
    go: async (here) => {
      await here.pass(60);
      injectFault(here, "boots-by-itself", { instanceId: web.instanceId, how: "windows-update" }, 1);
      await here.pass(6 * 60);
    },
  },
];

const looks: readonly Way[] = [
  {
    name: "looks",
    keeps: ["look"],
    begin: withSeedNodes,
    go: commands(`why ${SHORT}`, "nodes", `node ${SHORT}`, "operations", "audit", "why ip-10-9-9-9"),
  },
  {
    name: "doctor",
    keeps: ["look", "provision-node", "assist-node", "drain-node", "reboot-node", "remove-node", "sweep"],
    begin: withSeedNodes,
    go: commands("doctor"),
  },
];

/** Ways that are recorded for the next release: each workflow, and each of its important ends. */
export const ways: readonly Way[] = [...adds, ...drains, ...reboots, ...others, ...schedules, ...looks];
