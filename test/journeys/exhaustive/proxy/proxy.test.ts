import { afterEach, expect, test } from "vitest";
import { expectSound } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { commandsOf, reconciles, said } from "../../mirroring.ts";
import { batch, edge, otherWeb, web } from "../../others.ts";
import { PROXY, setProxy, startProxying, writtenOn } from "../../proxying.ts";

let here: Journey;
afterEach(() => here.close());

const nodes = [web, otherWeb, batch] as const;
const address = `http://${PROXY}`;

test("a proxy reaches every node that Casement manages, one node first, and restarts nothing", async () => {
  here = await startProxying();
  const processes = () => nodes.map(({ instanceId }) => here.simulator.machines.describe(instanceId)?.bootId);
  const before = processes();
  await setProxy(here, { httpProxy: address, httpsProxy: address, noProxy: "registry.example.com" });
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "the end");
  const [operation] = await reconciles(here);
  expect(operation).toMatchObject({ status: "succeeded", origin: { by: "rule", rule: "proxy" } });
  expect(commandsOf(here, operation?.id ?? "")).toEqual([1, 2]);
  for (const node of nodes)
    for (const service of ["containerd", "kubelet"]) {
      const [noProxy, ...rest] = writtenOn(here, node, service);
      expect(noProxy).toMatch(/^NO_PROXY=.*169\.254\.169\.254.*registry\.example\.com/);
      expect(rest).toEqual([`HTTP_PROXY=${address}`, `HTTPS_PROXY=${address}`]);
    }
  expect(writtenOn(here, edge)).toEqual([]);
  expect(processes()).toEqual(before);
  await here.pass(20);
  expect(await reconciles(here)).toHaveLength(1);
  await expectSound(here);
});

test("an edited proxy changes its variable alone, and a removed proxy takes all of them back", async () => {
  here = await startProxying();
  await setProxy(here, { httpProxy: address, httpsProxy: address });
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "the first change");
  await setProxy(here, { httpsProxy: address });
  await here.until(() => said(here, "3 nodes updated") === 2, 30, "the second change");
  expect(writtenOn(here, web).map((one) => one.split("=")[0])).toEqual(["NO_PROXY", "HTTPS_PROXY"]);
  await setProxy(here, {});
  await here.until(() => said(here, "3 nodes updated") === 3, 30, "the third change");
  for (const node of nodes) expect([...writtenOn(here, node), ...writtenOn(here, node, "kubelet")]).toEqual([]);
  await expectSound(here);
});

test("a wrong proxy is refused with its field, and no node is changed", async () => {
  here = await startProxying();
  await setProxy(here, { httpsProxy: "proxy.example.com:3128" });
  await here.until(() => said(here, "The proxy cannot be kept up to date") === 1, 30, "the message");
  expect(said(here, "Proxy/cluster: status.httpsProxy: must be an address such as")).toBe(1);
  await here.pass(20);
  expect(said(here, "The proxy cannot be kept up to date")).toBe(1);
  expect(writtenOn(here, web)).toEqual([]);
  await setProxy(here, { httpsProxy: address });
  await here.until(() => said(here, "The proxy is kept up to date again") === 1, 30, "the end of the refusal");
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "the change");
  await expectSound(here);
});
