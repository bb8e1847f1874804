import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import {
  APPROVE_OPERATION,
  KEEP_INSTANCE,
  OPEN_AWS,
  OPEN_RUNBOOK,
  TERMINATE_INSTANCE,
} from "../../../lambdas/messages/slack/buttons.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { demoProbe } from "../../../lib/sandbox/demo-configuration.ts";
import { windowsNodes } from "../../../lib/sandbox/demo-nodes.ts";
import { drainedWorkloads } from "../../../lib/sandbox/demo-workloads.ts";
import { RUNBOOK_ADDRESS } from "../../../lib/sandbox/page/runbook-address.ts";
import { newest, settled, spoken, wordsOf } from "../evidence.ts";
import { type Journey, startJourney } from "../journey.ts";
import { createSet } from "../mirroring.ts";
import { kubectl } from "../others.ts";
import { injectFault } from "../outside.ts";
import { answerTo, dialogOf, openly } from "../reading.ts";

const tour = readFileSync("docs/tour.md", "utf8");
const BUDGET = "/apis/policy/v1/namespaces/default/poddisruptionbudgets/checkout";

let here: Journey;
afterEach(() => here.close());

const answered = (command: string): Promise<string> => answerTo(here, command);

/** Types a command of the tour, and waits until it has an end or a question. */
async function posted(command: string, minutes = 60): Promise<string> {
  await here.type("operator", command);
  await settled(here, minutes);
  return openly(here).at(-1) ?? "";
}

/** Types a command of the tour that another person has to approve; the card. */
async function asked(command: string): Promise<string> {
  await here.type("operator", command);
  await here.until(() => (openly(here).at(-1) ?? "").includes("Needs 1 approval"), 10, "the card");
  return openly(here).at(-1) ?? "";
}

const allowed = (maxUnavailable: number): Promise<void> => kubectl(here, "PATCH", BUDGET, { spec: { maxUnavailable } });

/** A command of the tour, as it stands there, and how it is followed. */
type Stop = readonly [command: string, follow: (command: string) => Promise<void>];

const stops: readonly Stop[] = [
  ["/win help", async (command) => expect(await answered(command)).toContain("/win nodes")],
  ["/win nodes", async (command) => expect(await answered(command)).toMatch(/ip-10-0-3-7 +Ready/)],
  ["/win node ip-10-0-3-7", async (command) => expect(await answered(command)).toContain("10.0.3.7")],
  ["/win add web 2 --dry-run", async (command) => expect(await answered(command)).toContain("2 → 4 (max 8)")],
  ["/win add web 2", async (command) => expect(await posted(command)).toMatch(/^✅/)],
  [
    "/win add batch",
    async (command) => {
      injectFault(here, "feature-install-fails", {}, 1);
      await here.type("operator", command);
      await here.until(() => (openly(here).at(-1) ?? "").includes("0x800f0922"), 30, "Windows' own words");
      const shown = spoken(here).channel.at(-1);
      const buttons = shown ? [...wordsOf(shown).matchAll(/"action_id":"([\w-]+)"/g)] : [];
      expect(new Set(buttons.map(([, id]) => id))).toEqual(
        new Set([KEEP_INSTANCE, TERMINATE_INSTANCE, OPEN_RUNBOOK, OPEN_AWS]),
      );
      await here.press("operator", TERMINATE_INSTANCE);
      await settled(here);
      expect(openly(here).at(-1)).toContain("Terminated by <@U0OPERATOR>");
    },
  ],
  ["/win why ip-10-0-3-7", async (command) => expect(await answered(command)).toContain("all checks passed")],
  ["/win reboot ip-10-0-3-7", async (command) => expect(await posted(command)).toContain(`--force ip-10-0-3-7`)],
  [
    `/win reboot ip-10-0-3-7 --force ip-10-0-3-7`,
    async (command) => {
      expect(await asked(command)).toContain("1 pod loses local data");
      await here.press("approver", APPROVE_OPERATION);
      await settled(here);
      expect(openly(here).at(-1)).toContain("was rebooted and works");
    },
  ],
  [
    `/win drain ip-10-0-0-31 --force ip-10-0-0-31`,
    async (command) => {
      await allowed(0);
      const card = await asked(command);
      expect(card).toContain("It never allows an eviction: its owner must change it.");
      expect(card).toContain("[Approve the wait]");
      await here.press("approver", APPROVE_OPERATION);
      await here.until(() => (openly(here).at(-1) ?? "").includes("waiting for disruption budgets"), 10, "the budget");
      await allowed(1);
      await settled(here);
      expect(openly(here).at(-1)).toContain("is drained");
    },
  ],
  ["/win uncordon ip-10-0-0-31", async (command) => expect(await posted(command)).toContain("schedulable again")],
  [
    "/win remove ip-10-0-3-7",
    async (command) => {
      await here.type("operator", command);
      await here.pass(1);
      expect(dialogOf(here, "operator")).toContain("4 → 3 nodes");
      await here.submit("operator");
      await settled(here);
      expect(openly(here).at(-1)).toMatch(/^✅/);
    },
  ],
  [
    "/win remove ip-10-0-1-52",
    async (command) => {
      await here.type("operator", command);
      await settled(here, 5);
      expect((await newest(here)).operation.status).not.toBe("succeeded");
    },
  ],
  [
    "/win cancel add-…        (Tab completes the id)",
    async () => {
      await here.type("operator", "/win add web 2");
      const { operation } = await newest(here);
      await here.type("operator", `/win cancel ${operation.id}`);
      await settled(here);
      expect((await newest(here)).operation.status).toBe("cancelled");
    },
  ],
  ["/win add wbe", async (command) => expect(await answered(command)).toContain("web")],
  ["/win add web 0", async (command) => expect(await answered(command)).toMatch(/count|number/i)],
  ["/win add web 7", async (command) => expect(await posted(command, 5)).toContain("/win add web")],
  ["/win frobnicate", async (command) => expect(await answered(command)).toContain("frobnicate")],
  ["/win operations", async (command) => expect(await answered(command)).toContain("add-")],
  [
    "/win mirrors",
    async (command) => {
      const line = { source: "registry.example.com/shop", mirrors: ["mirror.example.com/shop"] };
      await createSet(here, "tag", "shop", line);
      expect(await answered(command)).toContain("registry.example.com");
    },
  ],
  ["/win reconcile --dry-run", async (command) => expect(await answered(command)).toContain("registry.example.com")],
  [
    "/win mirrors registry.example.com",
    async (command) => expect(await answered(command)).toContain("registry.example"),
  ],
  [
    "/win restart ip-10-0-0-31",
    async (command) => {
      await asked(command);
      await here.press("approver", APPROVE_OPERATION);
      await settled(here);
      expect(openly(here).some((one) => one.startsWith("✅ Restart services of ip-10-0-0-31"))).toBe(true);
    },
  ],
];

test("the tour's commands do what it says, in its order", async () => {
  const commands = [...tour.matchAll(/^\/win .*$/gm)].map(([command]) => command);
  // The tour adds two nodes to web three times: to see it, to cancel it, and to kill the sandbox under it.
  const known = new Set(stops.map(([command]) => command));
  expect(commands.filter((command, at) => commands.indexOf(command) === at)).toEqual([...known]);
  expect(readFileSync("README.md", "utf8")).toContain("[The tour](docs/tour.md) takes twenty minutes.");
  expect(tour).toMatch(/^# Twenty minutes in the sandbox$/m);
  expect(tour).toContain("New demo cluster: four Windows nodes, four people.");
  expect([windowsNodes.length, demo.people.length]).toEqual([4, 4]);
  here = await startJourney({ seedNodes: true, configuration: { probe: demoProbe, runbook: RUNBOOK_ADDRESS } });
  for (const object of drainedWorkloads) here.simulator.kubernetes.create(object);
  await here.pass(3);
  for (const [command, follow] of stops) await follow(command);
});
