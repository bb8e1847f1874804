import { afterEach, expect, test } from "vitest";
import { newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import { podsOn, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { openly } from "../../reading.ts";
import { restartable } from "../../restarting.ts";

let here: Journey;
afterEach(() => here.close());

/** A node on which the Host Networking Service restarted once, under pods that run. */
async function afterHnsRestart(): Promise<void> {
  here = await restartable();
  await here.pass(5);
  injectFault(here, "hns-restarts", { instanceId: web.instanceId }, 1);
  await here.pass(4);
}

const why = async (): Promise<string> => (await look(here, `/win why ${web.name}`)).said;

test("a restart of HNS is named with the pods that it cut off, while every service runs and the node is Ready", async () => {
  await afterHnsRestart();
  expect(podsOn(here, web).length).toBeGreaterThan(0);
  const said = await why();
  expect(said).toMatch(
    /❌ .*\(HNS\) restarted 4m\d*s? ago, after kube-proxy started: load balancers of Services are lost\./,
  );
  expect(said).toMatch(/pods? on the node ha(s|ve) no endpoint in HNS and so no network: `[^`]+\/[^`]+`/);
  expect(said).toMatch(/Windows services +ok/);
  expect(said).toMatch(/Node condition Ready +ok/);
  expect(said).toContain("[Reboot]");
});

test("the half-hourly look posts it once, with a reboot to press, and the doctor repeats it", async () => {
  await afterHnsRestart();
  await here.pass(75);
  const posted = openly(here).filter((text) => text.includes("(HNS) restarted under kube-proxy"));
  expect(posted).toEqual([expect.stringMatching(new RegExp(`on \`${web.name}\`\\.[^]*\\[Why\\]\n\\[Reboot…\\]`))]);
  expect((await look(here, "/win doctor")).said).toContain("(HNS) restarted under kube-proxy");
});

test("a restart of the services does not prove such a node, which it says at once, and a reboot does", async () => {
  await afterHnsRestart();
  await here.type("operator", `/win restart ip-10-0-3-7`);
  await settled(here, 12);
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("failed");
  expect(nodes[0]?.failure).toMatchObject({ stage: "prove", code: "endpoints-lost" });
  const said = openly(here).join("\n");
  expect(said).toContain("no endpoint in HNS and so no network");
  expect(said).toContain("reboot the node: `/win reboot` evicts these pods, so that others take their place");
  expect(said).toMatch(/\[Reboot…\] *\n?\[Why\?\]/);
  expect(nodeNamed(here, web.name)?.spec?.unschedulable).toBe(true);
  await here.type("operator", `/win reboot ip-10-0-3-7 --force ${web.name}`);
  await settled(here, 90);
  expect((await newest(here)).operation.status).toBe("succeeded");
  expect(await why()).toMatch(/Container network +ok/);
});
