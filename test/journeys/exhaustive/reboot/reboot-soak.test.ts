import { afterEach, expect, test } from "vitest";
import { expectSound, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { isCordoned, SHORT } from "../../on-web.ts";
import { web } from "../../others.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

/** A reboot of a node whose pool watches it for ten minutes, up to that watch. */
async function soaking(): Promise<void> {
  const { configuration: before, close } = await withSeedNodes();
  await close();
  const pools = { ...before.pools, web: { ...before.pools.web, soakSeconds: 600 } };
  here = await withSeedNodes({ configuration: { pools, approvals: { reboot: { needs: 0 } } } });
  await here.type("operator", `/win reboot ${SHORT} --force ${web.name}`);
  await here.until(async () => /soakSeconds/.test((await newest(here)).nodes[0]?.waitsFor ?? ""), 60, "the soak");
}

test("a pool's soak keeps a proven node cordoned for its time, and then gives it back", async () => {
  await soaking();
  await here.pass(8);
  expect(isCordoned(here)).toBe(true);
  await settled(here, 10);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(isCordoned(here)).toBe(false);
  await expectSound(here);
});

test("a machine that boots again in its soak is not proven, and stays cordoned", async () => {
  await soaking();
  here.simulator.simulation.bus.announce({ kind: "instance-reboot", instanceId: web.instanceId });
  await settled(here, 30);
  expect((await newest(here)).nodes[0]?.failure).toMatchObject({ stage: "prove" });
  expect((await newest(here)).nodes[0]?.failure?.why).toContain("while it was watched after its proof");
  expect(isCordoned(here)).toBe(true);
});
