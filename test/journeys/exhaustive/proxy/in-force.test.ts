import { afterEach, expect, test } from "vitest";
import { expectSound, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import { said } from "../../mirroring.ts";
import { otherWeb, podOn, running, type SeedNode, shortName, web } from "../../others.ts";
import { injectFault } from "../../outside.ts";
import { PROXY, proxied, setProxy, startProxying } from "../../proxying.ts";
import { openly } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const LONG = { timeout: 300_000 };
const address = `http://${PROXY}`;
const OFFER = "The cluster's proxy is written on";

/** Names of the nodes of the newest operation, in the order in which they were changed. */
const orderOf = async () => (await newest(here)).nodes.map(({ nodeName }) => nodeName);

/** Reboots a node. */
async function rebooted(node: SeedNode = web): Promise<void> {
  await here.type("operator", `/win reboot ${shortName(node)} --force ${node.name}`);
  await settled(here, 240);
  const { operation } = await newest(here);
  expect([operation.request.command, operation.status]).toEqual(["reboot", "succeeded"]);
}

/** Has a node pull an image of its own from quay.io by a pod of this name. */
function pullOn(node: SeedNode, name: string): void {
  here.simulator.kubernetes.create(
    podOn(node, name, { spec: { containers: [{ name, image: `quay.io/team/${name}:1` }] } }),
  );
}

test(
  "a proxy is written and not in force until the node has rebooted, and one message for each pool offers that",
  LONG,
  async () => {
    here = await startProxying({ approvals: { reboot: { needs: 0 } } });
    await here.pass(35);
    await setProxy(here, { httpsProxy: address });
    await here.until(() => said(here, "3 nodes updated") === 1, 30, "the change");
    expect((await look(here, "/win proxy")).said).toContain("written, check pending on 3 nodes");
    await here.until(() => said(here, OFFER) === 2, 40, "the offers");
    const offers = openly(here).filter((text) => text.includes(OFFER));
    expect(offers[0]).toMatch(/written on 2 nodes of pool `web` and not in force/);
    expect(offers[1]).toMatch(/written on 1 node of pool `batch` and not in force/);
    expect((await look(here, "/win proxy")).said).toContain("written and not in force");
    expect((await look(here, "/win nodes")).said).toMatch(new RegExp(`${shortName(web)}.*proxy`));
    expect((await look(here, `/win why ${shortName(web)}`)).said).toContain("Windows waits for a reboot");
    pullOn(web, "before");
    await here.until(() => running(here, "before") === 1, 3, "the pod before");
    expect(proxied(here)).toEqual([]);

    await rebooted();
    pullOn(web, "after");
    await here.until(() => running(here, "after") === 1, 5, "the pod after");
    expect(proxied(here)).toEqual([`CONNECT quay.io:443 200 by ${web.instanceId}`]);
    await here.pass(65);
    const shown = (await look(here, "/win proxy")).said;
    expect(shown).toMatch(new RegExp(`in force on 1 node: \`${web.name}\``));
    expect(shown).toContain(
      `written and not in force, because containerd or the kubelet has run since before, on 2 nodes`,
    );
    expect(shown).toContain(otherWeb.name);
    expect(said(here, OFFER)).toBe(2);
    await expectSound(here);
  },
);

test("a proxy that is edited back before the reboot leaves nothing that waits", LONG, async () => {
  here = await startProxying();
  await setProxy(here, { httpsProxy: address });
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "the change");
  await setProxy(here, {});
  await here.until(() => said(here, "3 nodes updated") === 2, 30, "the change back");
  await here.pass(65);
  expect((await look(here, "/win nodes")).said).not.toContain("REBOOT DUE");
});

test("a proxy that denies shows in the pods of nodes that use it", LONG, async () => {
  here = await startProxying({ approvals: { reboot: { needs: 0 } } });
  await setProxy(here, { httpsProxy: address });
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "the change");
  await rebooted();
  injectFault(here, "proxy-denies", { host: PROXY });
  pullOn(web, "denied");
  await here.pass(2);
  expect(running(here, "denied")).toBe(0);
  expect(proxied(here)).toContain(`CONNECT quay.io:443 407 by ${web.instanceId}`);
});

test(
  "the doctor names nodes that do not use the proxy yet, and leaves out those whose services have restarted",
  LONG,
  async () => {
    here = await startProxying({ approvals: { restart: { needs: 0 } } });
    await setProxy(here, { httpsProxy: address });
    await here.until(() => said(here, "3 nodes updated") === 1, 30, "the change");
    await here.until(() => said(here, OFFER) === 2, 40, "the offers");
    const shown = (await look(here, "/win doctor")).said;
    expect(shown).toMatch(
      new RegExp(`\`${web.name}\`.* do not use the cluster's proxy yet, which was written there \\d+m ago`),
    );
    expect(shown).toContain("/win restart --due");
    await here.type("operator", "/win restart web --due");
    await settled(here, 240);
    expect((await newest(here)).operation.status).toBe("succeeded");
    const left = (await look(here, "/win doctor")).said;
    expect(left).toMatch(/ does not use the cluster's proxy yet/);
    expect(left).not.toContain(web.name);
  },
);

test(
  "the doctor names a silent agent, and not that its node has not confirmed the proxy for an hour",
  LONG,
  async () => {
    here = await startProxying();
    injectFault(here, "agent-silent", { node: web.name });
    await here.pass(10);
    await setProxy(here, { httpsProxy: address });
    await here.until(() => said(here, "2 nodes updated") === 1, 30, "the change");
    await here.pass(65);
    const { said: found } = await look(here, "/win doctor");
    expect(found).toMatch(new RegExp(`SSM agent[^\\n]*${web.name}`));
    expect(found).not.toContain("has not confirmed");
  },
);

test("a node that the proxy answers with 407 is the first that gets a changed proxy", LONG, async () => {
  here = await startProxying({ approvals: { reboot: { needs: 0 } } });
  await setProxy(here, { httpsProxy: address });
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "the change");
  const order = await orderOf();
  const last = order.indexOf(web.name) > order.indexOf(otherWeb.name) ? web : otherWeb;
  await rebooted(last);
  injectFault(here, "proxy-denies", { host: PROXY });
  pullOn(last, "denied");
  await here.pass(2);
  expect(running(here, "denied")).toBe(0);
  await setProxy(here, { httpsProxy: address, noProxy: "quay.io" });
  await here.until(() => said(here, "3 nodes updated") === 2, 30, "the second change");
  expect((await orderOf())[0]).toBe(last.name);
});

test("nodes that the proxy answers with 407 are the first whose services restart", LONG, async () => {
  here = await startProxying({ approvals: { reboot: { needs: 0 }, restart: { needs: 0 } } });
  await setProxy(here, { httpsProxy: address });
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "the change");
  await rebooted();
  injectFault(here, "proxy-denies", { host: PROXY });
  pullOn(web, "denied");
  await setProxy(here, { httpsProxy: address, noProxy: "quay.io" });
  await here.until(() => said(here, "3 nodes updated") === 2, 30, "the second change");
  await here.pass(35);
  await here.type("operator", "/win restart web --due");
  await settled(here, 240);
  const { operation, nodes } = await newest(here);
  expect([operation.request.command, operation.status]).toEqual(["restart", "succeeded"]);
  expect(nodes.map(({ nodeName }) => nodeName)).toEqual([web.name, otherWeb.name]);
  await here.until(() => running(here, "denied") === 1, 10, "the pod");
});
