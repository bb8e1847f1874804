import { afterEach, expect, test } from "vitest";
import { expectSound, heldBack, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { commandsOf, createSet, filesOn, nodes, paged, reconciles, said, startMirroring } from "../../mirroring.ts";
import { openly } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const quay = { source: "quay.io/team", mirrors: ["mirror.example.com/team"] };
const allHave = () => nodes.every((node) => "quay.io\\hosts.toml" in filesOn(here, node));
const rule = "arn:aws:events:us-west-2:111122223333:rule/casement-prod-west-inputs";

/** Sends a tick of the schedule. */
const tick = (id: string) =>
  here.simulator.lambda.send("casement-prod-west-cloud-events", {
    "detail-type": "Scheduled Event",
    id,
    resources: [rule],
  });

/** Every node has the file, was sent it once, and nothing is held back. */
async function expectOnce(): Promise<void> {
  await settled(here, 20);
  expect(allHave()).toBe(true);
  const done = (await reconciles(here)).filter(({ status }) => status === "succeeded");
  expect(done).toHaveLength(1);
  expect(commandsOf(here, done[0]?.id ?? "")).toEqual([1, 2]);
  expect(paged(here)).toEqual([]);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
}

test("two ticks at once change each node once", async () => {
  here = await startMirroring();
  await createSet(here, "tag", "team", quay);
  for (const id of ["tick-1", "tick-2"]) tick(id);
  await here.until(() => said(here, "3 nodes updated") > 0, 12, "the change");
  await expectOnce();
});

test("a tick that is delivered twice starts one operation", async () => {
  here = await startMirroring();
  await createSet(here, "tag", "team", quay);
  for (const id of ["tick-1", "tick-1"]) tick(id);
  await here.until(() => said(here, "3 nodes updated") > 0, 12, "the change");
  await expectOnce();
  expect(await reconciles(here)).toHaveLength(1);
});

test("a person who reconciles while the schedule changes nodes is told by which operation", async () => {
  here = await startMirroring();
  await createSet(here, "tag", "team", quay);
  tick("tick-1");
  await here.until(async () => (await reconciles(here)).length === 1, 3, "the schedule's operation");
  const [running] = await reconciles(here);
  await here.type("operator", "/win reconcile");
  await here.until(() => said(here, "3 nodes updated") > 0, 12, "the change");
  expect(openly(here).find((one) => one.includes("🚫"))).toContain(
    `Registry mirrors: \`${running?.id}\` is already changing nodes.`,
  );
  await expectOnce();
});

test("a tick while a person's operation changes nodes starts nothing", async () => {
  here = await startMirroring();
  await createSet(here, "tag", "team", quay);
  await here.type("operator", "/win reconcile");
  await here.until(async () => (await reconciles(here))[0]?.status === "running", 3, "the person's operation");
  tick("tick-1");
  await here.until(() => said(here, "3 nodes updated") > 0, 12, "the change");
  await expectOnce();
  expect(await reconciles(here)).toHaveLength(1);
});

test.for([
  ["two persons", async () => here.type("operator", "/win reconcile")],
  ["a person and a tick", async () => tick("tick-1")],
] as const)(
  "%s at once: one operation changes the nodes, the other one is refused or never begins",
  async ([, other]) => {
    here = await startMirroring();
    await createSet(here, "tag", "team", quay);
    await Promise.all([here.type("operator", "/win reconcile"), other()]);
    await here.until(() => said(here, "3 nodes updated") > 0, 12, "the change");
    await expectOnce();
    const others = (await reconciles(here)).filter(({ status }) => status !== "succeeded");
    expect(
      others.every(({ status, summary }) => status === "refused" && summary.includes("is already changing nodes")),
    ).toBe(true);
  },
);
