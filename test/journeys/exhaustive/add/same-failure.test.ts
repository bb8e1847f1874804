import { afterEach, expect, test } from "vitest";
import { KEEP_INSTANCE, KEEP_ONE, TERMINATE_ALL } from "../../../../lambdas/messages/slack/buttons.ts";
import { expectSound, newest, settled } from "../../evidence.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { inThreads, openly, privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const nodesNow = async () => (await newest(here)).nodes;
const message = (): string => openly(here).at(-1) ?? "";
const decided = (question: () => Promise<boolean>, what: string) => here.until(question, 90, what);
const decisionPages = (): string[] =>
  here.simulator.topic
    .notifications()
    .map(({ message: text }) => text)
    .filter((text) => text.includes("Press Keep or Terminate"));

test("twenty machines whose certificates are denied are one question with one mention, and one press keeps one and terminates nineteen", {
  timeout: 240_000,
}, async () => {
  here = await startJourney({ neighbours: { with: ["denies-all"] } });
  await here.type("operator", "/win add batch 20");
  await decided(async () => (await nodesNow()).filter(({ status }) => status === "deciding").length === 20, "failures");
  await here.pass(2);
  const groups = message().match(/❓ \*\d+ nodes failed at/g) ?? [];
  expect(groups.length).toBeGreaterThan(0);
  expect(groups.length).toBeLessThanOrEqual(2);
  expect(message()).toContain("new nodes are frozen until the audit is over");
  expect(message().length).toBeLessThan(4_500);
  const mentions = inThreads(here).filter((text) => text.includes("this needs a decision"));
  expect(mentions.length).toBeLessThanOrEqual(2);
  expect(decisionPages().length).toBeLessThanOrEqual(2);
  await here.pass(16);
  expect(inThreads(here).filter((text) => text.includes("waiting for a decision for")).length).toBeLessThanOrEqual(2);

  const before = (await nodesNow()).filter(({ status }) => status === "deciding").length;
  await here.press("operator", KEEP_ONE);
  await here.pass(3);
  const answer = privately(here, "operator").at(-1) ?? "";
  expect(answer).toMatch(/^Your decision is recorded for (\d+) of \1 machines\.$/);
  const listed = Number(/(\d+) machines/.exec(answer)?.[1]);
  await decided(
    async () => (await nodesNow()).filter(({ status }) => status === "deciding").length === before - listed,
    "all",
  );
  const nodes = await nodesNow();
  expect(nodes.filter(({ keptAt }) => keptAt !== undefined)).toHaveLength(1);
  expect(privately(here, "operator").filter((text) => text.startsWith("Terminating"))).toEqual([]);
  if (before > listed) await here.press("operator", TERMINATE_ALL);
  await settled(here);
  await expectSound(here);
});

test("the question about three machines is answered by those who may decide, and single decisions stay in the thread", async () => {
  here = await startJourney({ neighbours: { with: ["denies-all"] } });
  await here.type("operator", "/win add web 3");
  await decided(async () => (await nodesNow()).filter(({ status }) => status === "deciding").length === 3, "failures");
  await here.pass(2);
  const single = inThreads(here).filter((text) => text.includes("[Keep for inspection]\n[Terminate now]"));
  expect(single).toHaveLength(3);
  expect(message()).toMatch(/\[Keep one, terminate \d\]\n\[Terminate all \d\]\n\[Keep all \d\]/);
  await here.press("visitor", TERMINATE_ALL);
  expect(privately(here, "visitor").at(-1)).toContain("You do not have permission to use `add`");
  expect((await nodesNow()).map(({ status }) => status)).toEqual(["deciding", "deciding", "deciding"]);
  await here.press("operator", KEEP_INSTANCE);
  await here.pass(3);
  expect((await nodesNow()).filter(({ keptAt }) => keptAt !== undefined)).toHaveLength(1);
});
