import { afterEach, expect, test } from "vitest";
import { expectSound, newest, settled } from "../../evidence.ts";
import { launchedId } from "../../failing.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { look } from "../../looking.ts";
import { reconciles } from "../../mirroring.ts";
import { podOn, running } from "../../others.ts";
import { PROXY, proxied, setProxy } from "../../proxying.ts";

let here: Journey;
afterEach(() => here.close());

const machine = () => here.simulator.machines.describe(launchedId(here));
const service = (name: string) => machine()?.services.find((one) => one.name === name);

test("a new node has the proxy before its containerd starts, and its first pull goes through it", async () => {
  here = await startJourney();
  here.simulator.registries.proxies.declare(PROXY);
  await setProxy(here, { httpsProxy: `http://${PROXY}` });
  await here.type("operator", "/win add web");
  await here.until(() => service("kubelet")?.environment.length === 2, 60, "the variables");
  expect(service("containerd")?.state).not.toBe("Running");
  await settled(here);
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("succeeded");
  const [{ nodeName, instanceId } = { nodeName: null, instanceId: null }] = nodes;
  const node = { name: nodeName ?? "", instanceId: instanceId ?? "" };
  here.simulator.kubernetes.create(
    podOn(node, "tool", { spec: { containers: [{ name: "tool", image: "quay.io/team/tool:1" }] } }),
  );
  await here.until(() => running(here, "tool") === 1, 3, "the pod");
  expect(proxied(here)).toContain(`CONNECT quay.io:443 200 by ${instanceId}`);
  await here.pass(65);
  expect((await look(here, "/win proxy")).said).toContain("in force on 1 node");
  expect(await reconciles(here)).toEqual([]);
  await expectSound(here);
});
