import { afterEach, expect, test } from "vitest";
import { linuxNode } from "../../../sandbox/kubernetes/cluster.ts";
import { calls, expectSound, newest } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import { cordonByHand, otherWeb, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { poolOfFour } from "../../pool-of-four.ts";
import { openly } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const images = {
  "2019": "mcr.microsoft.com/windows/servercore:ltsc2019",
  "2022": "mcr.microsoft.com/windows/servercore:ltsc2022",
  linux: "docker.io/library/busybox:1.37",
};
/** Rounds of probes take most of a day, in which nothing else is looked at here. */
const schedules = ["probe"] as const;
const withImages = (more: object = {}) => withSeedNodes({ configuration: { probe: { images }, ...more }, schedules });

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

test("Why names a data plane that the last scheduled probe found dead, and says of a node that works when it was probed", async () => {
  here = await withImages();
  injectFault(here, "data-plane-dead", { instanceId: web.instanceId });
  await here.until(() => cards().length > 0, aRound, "the card");
  await here.pass(aRound);
  const dead = await look(here, `/win why ${web.name}`);
  expect(dead.said).toMatch(
    /❌ .*A pod on the node cannot resolve cluster DNS names\. The probe failed \d+(h|m)\S* ago/,
  );
  expect(dead.said).toMatch(/Data plane +WRONG, probed \d+(h|m)\S* ago/);
  expect(dead.said).toContain("[Reboot]");
  const well = await look(here, `/win why ${otherWeb.name}`);
  expect(well.said).toMatch(/all checks passed/);
  expect(well.said).toMatch(/Data plane +ok, probed \d+(h|m)\S* ago/);
  await expectSound(here);
});

test("Why names a node whose pods alone do not reach the host outside of the cluster that the configuration names", async () => {
  here = await withImages({ probe: { images, outside: "registry.example.com:443" } });
  injectFault(here, "data-plane-dead", { instanceId: web.instanceId, how: "no outside" });
  await here.until(() => cards().length > 0, aRound, "the card");
  expect(cards()).toHaveLength(1);
  const dead = await look(here, `/win why ${web.name}`);
  expect(dead.said).toMatch(
    /❌ .*A pod on the node does not reach a host outside of the cluster, which a pod on a Linux node reaches \(`registry\.example\.com:443`\)/,
  );
  expect(dead.said).toContain("NAT gateway");
  await expectSound(here);
});

test("Why says that a data plane was not probed, and the reason", async () => {
  here = await withSeedNodes();
  const none = await look(here, `/win why ${web.name}`);
  expect(none.said).toContain("all checks passed.");
  expect(none.said).toMatch(/Data plane +not probed/);
  expect(none.said).toContain("Data plane not probed: `probe.images` names no image for Linux.");
  await here.close();
  here = await withImages();
  injectFault(here, "pod-rejected", { node: web.name, namespace: "casement", reason: "OutOfpods" });
  const soon = await look(here, `/win why ${web.name}`);
  expect(soon.said).toContain("Data plane not probed: its turn has not come yet.");
  await here.pass(aRound);
  expect(cards()).toEqual([]);
  const tried = await look(here, `/win why ${web.name}`);
  expect(tried.said).toMatch(/Data plane +not probed, tried \d+(h|m)\S* ago/);
  expect(tried.said).toContain("the kubelet of the node did not run it (OutOfpods: Pod was rejected");
});

test("Nodes that die one after the other are one card about their common cause once they are more than three, and their own cards say so", async () => {
  ({ here } = await poolOfFour(1, { probe: { images } }, { schedules }));
  here.simulator.kubernetes.create(linuxNode("lin"));
  injectFault(here, "data-plane-dead");
  await here.pass(aRound);
  const [common = "", ...more] = cards().filter((text) => text.includes("pods on them do not work"));
  expect(more).toEqual([]);
  expect(common).toMatch(/4 nodes\S* are Ready, but pods on them do not work[\s\S]*One cause is likely/);
  const own = cards().filter((text) => text.includes("pods on it do not work"));
  expect(own.length).toBeGreaterThan(0);
  expect(own.length).toBeLessThanOrEqual(3);
  for (const card of own) {
    expect(card).toContain("nodes that fail at once");
    expect(card).not.toContain("[Reboot");
  }
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
