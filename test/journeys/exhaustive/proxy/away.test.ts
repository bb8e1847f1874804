import { afterEach, expect, test } from "vitest";
import { expectSound, heldBack } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { commandedBy } from "../../killing.ts";
import { nodes, paged, reconciles, said } from "../../mirroring.ts";
import { kubectl, otherWeb, type SeedNode, shortName } from "../../others.ts";
import { PROXY, setProxy, startProxying, writtenOn } from "../../proxying.ts";
import { privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const proxyOf = (scheme: "http" | "https") => `http://${scheme}.${PROXY}`;
const setting = (scheme: "http" | "https") => setProxy(here, { httpsProxy: proxyOf(scheme) });
const updated = (words: string) => here.until(() => said(here, words) === 1, 30, words);

/** The proxy that a machine has for containerd and for the kubelet. */
const proxyOn = (node: SeedNode): readonly string[] =>
  ["containerd", "kubelet"].flatMap((service) =>
    writtenOn(here, node, service).flatMap((one) => one.split("HTTPS_PROXY=")[1] ?? []),
  );
const both = (address: string): readonly string[] => [address, address];

/** Is a machine given no command about inputs? */
const isLeftAlone = ({ instanceId }: SeedNode): boolean => !commandedBy(here, "reconcile-").includes(instanceId);

const annotate = (hold: string | null): Promise<void> =>
  kubectl(here, "PATCH", `/api/v1/nodes/${otherWeb.name}`, {
    metadata: { annotations: { "casement.dev/hold": hold } },
  });

/** Holds of a node, each with its end and with what a person's reconcile answers. */
const holds = [
  [
    "an operator",
    () => here.type("operator", `/win hold ${shortName(otherWeb)} --reason "disk"`),
    () => here.type("operator", `/win unhold ${shortName(otherWeb)}`),
    /nothing to change\.\n• `\S+` is held by .*: disk\./,
  ],
  [
    "an annotation",
    () => annotate("kernel dump"),
    () => annotate(null),
    /nothing to change\.\n• `\S+` is held by the annotation .*: kernel dump\./,
  ],
] as const;

test.for(holds)("a node that %s holds gets no proxy before the hold ends", async ([, hold, end, why]) => {
  here = await startProxying();
  await hold();
  await here.pass(1);
  await setting("http");
  await updated("2 nodes updated");
  await here.pass(11);
  expect(await reconciles(here)).toHaveLength(1);
  await here.type("operator", `/win reconcile ${shortName(otherWeb)}`);
  await here.pass(2);
  expect(privately(here, "operator").at(-1)).toMatch(why);
  expect(writtenOn(here, otherWeb)).toEqual([]);
  expect(isLeftAlone(otherWeb)).toBe(true);
  await end();
  await updated("1 node updated");
  expect(nodes.map(proxyOn)).toEqual(nodes.map(() => both(proxyOf("http"))));
  expect(paged(here)).toEqual([]);
  expect(await heldBack(here)).toEqual([]);
  await expectSound(here);
});

test("a frozen pool keeps its proxy until the thaw, although the cluster has another one", async () => {
  here = await startProxying();
  await setting("http");
  await updated("3 nodes updated");
  await here.type("operator", '/win freeze web --reason "release night" --for 4h');
  await here.pass(1);
  await setting("https");
  await updated("1 node updated");
  await here.type("operator", "/win reconcile web");
  await here.pass(11);
  const old = both(proxyOf("http"));
  expect(nodes.map(proxyOn)).toEqual([old, old, both(proxyOf("https"))]);
  expect(privately(here, "operator").at(-1)).toMatch(
    /nothing to change\. The requested nodes are up to date; .* frozen or held were left out/,
  );
  await here.type("operator", "/win thaw web");
  await updated("2 nodes updated");
  expect(nodes.map(proxyOn)).toEqual(nodes.map(() => both(proxyOf("https"))));
  expect(paged(here)).toEqual([]);
  await expectSound(here);
});

test("a removed proxy stays on nodes while the cluster is frozen, and leaves them after the thaw", async () => {
  here = await startProxying();
  await setting("http");
  await updated("3 nodes updated");
  await here.type("operator", '/win freeze --reason "release night" --for 4h');
  await here.pass(1);
  await setProxy(here, {});
  await here.pass(21);
  expect(nodes.map(proxyOn)).toEqual(nodes.map(() => both(proxyOf("http"))));
  expect(await reconciles(here)).toHaveLength(1);
  await here.type("operator", "/win thaw");
  await here.until(() => said(here, "3 nodes updated") === 2, 30, "the removal");
  for (const node of nodes) expect([...writtenOn(here, node), ...writtenOn(here, node, "kubelet")]).toEqual([]);
  expect(paged(here)).toEqual([]);
  await expectSound(here);
});
