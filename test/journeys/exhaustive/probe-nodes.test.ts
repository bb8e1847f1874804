import { afterEach, expect, test } from "vitest";
import { calls, expectSound, newest } from "../evidence.ts";
import type { Journey } from "../journey.ts";
import { cordonByHand, otherWeb, web } from "../others.ts";
import { injectFault } from "../outside.ts";
import { openly } from "../reading.ts";
import { withSeedNodes } from "../removal.ts";

let here: Journey;
afterEach(() => here.close());

const images = {
  "2019": "mcr.microsoft.com/windows/servercore:ltsc2019",
  "2022": "mcr.microsoft.com/windows/servercore:ltsc2022",
  linux: "docker.io/library/busybox:1.37",
};
const withImages = (more: object = {}) => withSeedNodes({ configuration: { probe: { images }, ...more } });

const made = (): number =>
  calls(here, "kubernetes", "create pods").filter(({ principal }) => /act$/.test(principal)).length;
const cards = (): string[] =>
  openly(here).filter((text) => text.includes("pods on it do not work") || text.includes("pods on them do not work"));

/** Time in which each node had its turn. */
const aRound = 6 * 60 + 40;

test("A node that says Ready and is dead is told with the evidence, once a day, and its button asks for the proven reboot", async () => {
  here = await withImages();
  injectFault(here, "data-plane-dead", { instanceId: web.instanceId });
  await here.until(() => cards().length > 0, aRound, "the card");
  expect(cards()).toEqual([
    expect.stringMatching(
      /`ip-10-0-3-7\S+` is Ready, but pods on it do not work\. A pod on the node [\s\S]*\[Why\][\s\S]*\[Reboot/,
    ),
  ]);
  expect(made()).toBeGreaterThan(0);
  await here.pass(2);
  const names = here.simulator.kubernetes.objects("pods").map(({ metadata }) => metadata.name);
  expect(names.filter((name) => name.startsWith("probe-"))).toEqual([]);
  await expectSound(here);
  await here.press("operator", "do-next");
  await here.pass(1);
  expect((await newest(here)).operation.request.command).toMatch(/why|reboot/);
});

test("Nodes that are cordoned, and pools that say so, are not probed", async () => {
  here = await withImages();
  const { pools } = here.configuration;
  await here.close();
  const off = { ...pools, batch: { ...pools.batch, probe: false } };
  here = await withImages({ pools: off });
  await cordonByHand(here, web);
  await cordonByHand(here, otherWeb);
  await here.pass(aRound);
  expect(made()).toBe(0);
});

test("While the API server is away nothing is probed and nothing is called dead", async () => {
  here = await withImages();
  injectFault(here, "kubernetes-5xx", { principal: "system:serviceaccount:casement:act" });
  await here.pass(150);
  expect(cards()).toEqual([]);
});
