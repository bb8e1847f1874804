import { afterEach, expect, test } from "vitest";
import { issue } from "../../../inputs/trust/issuing.ts";
import { expectSound, heldBack, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { commandsOf, nodes, paged, requested } from "../../mirroring.ts";
import { otherWeb, shortName, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { openly } from "../../reading.ts";
import {
  addByHand,
  given,
  startTrusting,
  trustedEverywhere,
  trustedOn,
  trustOnly,
  trustOperations,
  trustThese,
} from "../../trusting.ts";

let here: Journey;
afterEach(() => here.close());

const LONG = { timeout: 300_000 };

const root = await issue({ subject: "CN=Test Root" });
const byHand = await issue({ subject: "CN=Test Hand" });
/** So many that a machine takes seconds to store them. */
const many = await Promise.all(Array.from({ length: 40 }, (_, at) => issue({ subject: `CN=Test Many ${at + 10}` })));

test("a first node that fails between two authorities gets back what it had, and the others keep it", async () => {
  here = await startTrusting();
  for (const node of nodes) addByHand(here, node, byHand);
  await trustThese(here, root);
  await given(here, 1);
  const before = trustedEverywhere(here);
  expect(before).toEqual(nodes.map(() => ["Root Hand", "Root Root"]));
  await trustOnly(here, byHand, ...many);
  const half = () => nodes.find((node) => trustedOn(here, node).length > 5);
  await here.until(() => half() !== undefined, 12, "the first authorities");
  const first = half() ?? web;
  expect(trustedOn(here, first).length).toBeLessThan(42);
  injectFault(here, "disk-full", { instanceId: first.instanceId }, 1);
  await here.until(async () => (await trustOperations(here))[0]?.endedAt !== null, 30, "the end");
  await here.pass(2);
  expect(trustedEverywhere(here)).toEqual(before);
  const [operation, ...others] = await trustOperations(here);
  expect(others).toHaveLength(1);
  expect(operation?.status).toBe("failed");
  // The change, and the way back.
  expect(commandsOf(here, operation?.id ?? "")).toEqual([1, 1]);
  const why = /There is not enough space on the disk[\s\S]*what was there before is back/;
  expect(openly(here).at(-1)).toMatch(/1 node failed, 2 nodes not touched/);
  expect(openly(here).at(-1)).toMatch(why);
  expect(paged(here)).toHaveLength(1);
  expect(await heldBack(here)).toEqual([]);
  // The content is not tried again before an hour has passed, but at once when a person asks for it.
  await here.pass(30);
  expect(await trustOperations(here)).toHaveLength(2);
  expect(await requested(here)).toMatchObject({ status: "succeeded" });
  const all = ["Root Hand", ...many.map(({ subject }) => `Root ${subject.slice("CN=Test ".length)}`)].toSorted();
  expect(trustedEverywhere(here)).toEqual(nodes.map(() => all));
  await expectSound(here);
});

test("authorities survive a reboot of their node, and no tick gives them again", LONG, async () => {
  here = await startTrusting({ approvals: { authorities: { needs: 0 }, reboot: { needs: 0 } } });
  await trustThese(here, root);
  await given(here, 1);
  const boot = () => here.simulator.machines.describe(web.instanceId)?.bootId;
  const before = boot();
  await here.type("operator", `/win reboot ${shortName(web)} --force ${web.name}`);
  await settled(here, 240);
  expect((await newest(here)).operation).toMatchObject({ request: { command: "reboot" }, status: "succeeded" });
  expect(boot()).not.toBe(before);
  await here.pass(11);
  expect([trustedOn(here, web), trustedOn(here, otherWeb)]).toEqual([["Root Root"], ["Root Root"]]);
  expect(await trustOperations(here)).toHaveLength(1);
  // The machine still knows that it may remove it.
  await trustOnly(here, byHand);
  await given(here, 2);
  expect(trustedOn(here, web)).toEqual(["Root Hand"]);
  expect(paged(here)).toEqual([]);
  await expectSound(here);
});
