import { afterEach, expect, test } from "vitest";
import { expectSound, heldBack } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { nodes, paged, reconciles, replaceAnswers, requested, said } from "../../mirroring.ts";
import { kubectl, otherWeb, web } from "../../others.ts";
import { environmentOf, PROXY, setProxy, startProxying, writtenOn } from "../../proxying.ts";
import { openly } from "../../reading.ts";
import { release } from "../../releases.ts";

let here: Journey;
afterEach(() => here.close());

const address = `http://${PROXY}`;
const OBJECT = "/apis/config.openshift.io/v1/proxies/cluster";
const CONFIG_MAPS = "/api/v1/namespaces/casement/configmaps";

test("a variable that somebody else has set stops the change on the first node, and stays as it is", async () => {
  here = await startProxying();
  environmentOf(here, otherWeb).push("https_proxy=http://theirs.example.com:8080");
  await setProxy(here, { httpsProxy: address });
  await here.until(() => said(here, "*Proxy*") === 1, 60, "the end");
  expect(openly(here).at(-1)).toContain(
    "Casement did not set HTTPS_PROXY in the environment of the service containerd",
  );
  expect(writtenOn(here, otherWeb)).toEqual(["https_proxy=http://theirs.example.com:8080"]);
  expect([...writtenOn(here, otherWeb, "kubelet"), ...writtenOn(here, web)]).toEqual([]);
  await here.pass(21);
  expect(paged(here)).toEqual([expect.stringContaining("HTTPS_PROXY")]);
  expect(await reconciles(here)).toHaveLength(1);
  environmentOf(here, otherWeb).pop();
  expect(await requested(here)).toMatchObject({ status: "succeeded" });
  expect(writtenOn(here, otherWeb)).toHaveLength(2);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});

test("a proxy that Casement may not read changes no node, and people are called once", async () => {
  here = await startProxying();
  await setProxy(here, { httpsProxy: address });
  const body = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403, message: "no" };
  const back = replaceAnswers(here, (url) => (url.startsWith(OBJECT) ? { status: 403, body } : undefined));
  await here.until(() => said(here, "The proxy cannot be kept up to date") === 1, 30, "the message");
  await here.pass(21);
  // The Proxy names the bundle of authorities as well, which has a message of its own.
  const why = "The proxy cannot be kept up to date: Casement is not allowed to read Proxy cluster: apply the manifest";
  const calls = () => paged(here).filter((one) => one.includes(why));
  expect(said(here, why)).toBe(1);
  expect(nodes.flatMap((node) => writtenOn(here, node))).toEqual([]);
  expect(calls()).toHaveLength(1);
  back();
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "the change");
});

test("the proxy of the ConfigMap reaches the nodes, and its removal is asked for", async () => {
  here = await startProxying();
  release(here, { cluster: { ...here.configuration.cluster, inputs: "configmap" } });
  await kubectl(here, "POST", CONFIG_MAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "inputs", namespace: "casement" },
    data: { "proxy.yaml": `httpsProxy: ${address}\n` },
  });
  await here.until(() => said(here, "3 nodes updated") === 1, 30, "the change");
  expect(writtenOn(here, web).at(-1)).toBe(`HTTPS_PROXY=${address}`);
  await kubectl(here, "PATCH", `${CONFIG_MAPS}/inputs`, { data: { "proxy.yaml": null } });
  await here.until(() => said(here, "the cluster has no proxy any more") === 1, 30, "the question");
  expect(writtenOn(here, web)).toHaveLength(2);
  expect(await requested(here)).toMatchObject({ status: "succeeded" });
  expect(nodes.flatMap((node) => writtenOn(here, node))).toEqual([]);
  await expectSound(here);
});
