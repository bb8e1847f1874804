import { afterEach, expect, test } from "vitest";
import { RESTART_SERVICES } from "../../../../lambdas/messages/slack/buttons.ts";
import { expectSound, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { look } from "../../looking.ts";
import { said } from "../../mirroring.ts";
import { podOn, running, shortName, web } from "../../others.ts";
import { PROXY, proxied, setProxy, startProxying } from "../../proxying.ts";
import { privately } from "../../reading.ts";
import { bootIdOf } from "../../restarting.ts";

let here: Journey;
afterEach(() => here.close());

const LONG = { timeout: 300_000 };
const OFFER = "The cluster's proxy is written on";
const unasked = { approvals: { restart: { needs: 0 } } };

test("a written proxy is in force once its services are restarted, as the offer's button does", LONG, async () => {
  here = await startProxying(unasked);
  await here.pass(35);
  await setProxy(here, { httpsProxy: `http://${PROXY}` });
  await here.until(() => said(here, OFFER) === 2, 80, "the offers");
  expect((await look(here, `/win why ${shortName(web)}`)).said).toContain("restarts its services without a reboot");
  const boot = bootIdOf(here);
  const offers = here.simulator.slack.messages().filter(({ blocks }) => JSON.stringify(blocks).includes("restart web"));
  await here.press("operator", RESTART_SERVICES, offers[0]?.ts);
  await settled(here, 240);
  const { operation } = await newest(here);
  expect(operation).toMatchObject({ status: "succeeded", request: { command: "restart", due: true } });
  expect(operation.summary).toContain("2 of 2 nodes are restarted and proven");
  expect(bootIdOf(here)).toBe(boot);
  const container = { name: "after", image: "quay.io/team/tool:1", imagePullPolicy: "Always" };
  here.simulator.kubernetes.create(podOn(web, "after", { spec: { containers: [container] } }));
  await here.until(() => running(here, "after") === 1, 5, "the pod");
  expect(proxied(here)).toEqual([`CONNECT quay.io:443 200 by ${web.instanceId}`]);
  expect((await look(here, `/win why ${shortName(web)}`)).said).not.toContain("waits for a reboot");
  expect((await look(here, "/win nodes")).said).not.toMatch(new RegExp(`${shortName(web)}.*proxy`));
  await expectSound(here);
});

test("nothing is restarted with --due where nothing waits for it", LONG, async () => {
  here = await startProxying(unasked);
  await here.type("operator", "/win restart web --due");
  await settled(here, 20);
  expect([here.said().join("\n"), ...privately(here, "operator")].join("\n")).toContain(
    "No node of `web` waits for a restart",
  );
});
