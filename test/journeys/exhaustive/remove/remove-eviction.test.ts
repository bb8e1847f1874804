import { afterEach, expect, test } from "vitest";
import { userOf } from "../../../../lambdas/cluster/accounts.ts";
import { CANCEL_OPERATION } from "../../../../lambdas/messages/slack/buttons.ts";
import type { KubeObject } from "../../../../lib/sandbox/kubernetes/model/object.ts";
import { calls, newest, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { allowDisruptions, cordonByHand, guardedPod, podOn, podsOn, running, stateOf, web } from "../../others.ts";
import { dialogOf, openly } from "../../reading.ts";
import { ask, confirmRemoval, expectGone, expectKept, withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

test("a budget holds the removal up, says so, and lets it go on when it allows", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  expect(await ask(here, "ip-10-0-3-7")).toMatch(/⛔ Disruption budget `default\/guard` blocks `default\/guarded`/);
  await here.submit("operator");
  await here.pass(3.5);
  expect(openly(here)[0]).toMatch(
    /evicting pods.*waiting for disruption budgets to allow the eviction of 1 pod \(default\/guarded: The disruption budget guard needs 1 healthy pods and has 1/,
  );
  expect(openly(here)[0]).toMatch(/evicting pods \(\d\/\d\) · since \S+/);
  await allowDisruptions(here);
  await expectGone(here, web);
});

test("a budget that never allows ends the removal half an hour after its deadline: uncordoned, with pod and budget named", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  await confirmRemoval(here, "ip-10-0-3-7");
  await expectKept(here, web);
  const { operation, nodes } = await newest(here);
  expect(operation.status).toBe("failed");
  const minutes = (Date.parse(operation.endedAt ?? "") - Date.parse(nodes[0]?.startedAt ?? "")) / 60_000;
  expect([minutes > 45, minutes < 46]).toEqual([true, true]);
  const [message] = openly(here);
  for (const words of ["failed at eviction", "default/guarded", "disruption budget guard", "schedulable again"])
    expect(message).toContain(words);
  expect(message).toContain("`/win remove ip-10-0-3-7` tries again.");
  expect(running(here, "guarded")).toBe(1);
});

test("a node that somebody had cordoned before stays cordoned when the removal fails", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  await cordonByHand(here, web);
  await confirmRemoval(here, "ip-10-0-3-7");
  await expectKept(here, web, true);
  expect(openly(here)[0]).toContain("the node is cordoned, as it was before");
});

test("an overloaded API server is no budget: the eviction is asked for again until it is heard", async () => {
  here = await withSeedNodes();
  here.simulator.simulation.faults.inject("kubernetes-throttle", { resource: "pods/eviction" }, 4);
  await confirmRemoval(here, "ip-10-0-3-7");
  await here.pass(0.3);
  expect(openly(here)[0]).not.toContain("budget");
  await expectGone(here, web);
});

test("one pod that the API server does not evict holds up no other, and is named while it does", async () => {
  here = await withSeedNodes({ configuration: { approvals: { remove: { needs: 0 } } } });
  const names = ["shop-1", "shop-2", "shop-3", "shop-4"];
  for (const name of names) here.simulator.kubernetes.create(podOn(web, name));
  await here.pass(1);
  const stuck = here.simulator.simulation.faults.inject("kubernetes-5xx", {
    resource: "pods/eviction",
    name: "shop-2",
  });
  await confirmRemoval(here, "ip-10-0-3-7");
  // Connections get half a minute first.
  await here.pass(2);
  expect(podsOn(here, web).filter((name) => names.includes(name))).toEqual(["shop-2"]);
  expect(openly(here)[0]).toContain(
    "waiting for the API server to evict 1 pod (default/shop-2: the API server answered 503: the server is currently unable to handle the request)",
  );
  here.simulator.simulation.faults.end(stuck?.id ?? "");
  await expectGone(here, web);
});

test("Cancel during an eviction that a budget blocks puts the node back", async () => {
  here = await withSeedNodes();
  await guardedPod(here, web);
  await confirmRemoval(here, "ip-10-0-3-7");
  await here.pass(2);
  const shown = await here.press("approver", CANCEL_OPERATION);
  expect(shown.error).toBeNull();
  await expectKept(here, web);
  expect((await newest(here)).operation).toMatchObject({ status: "cancelled", cancelledBy: "U0APPROVER" });
  expect(openly(here)[0]).toContain("schedulable again");
  expect(openly(here)[0]).not.toContain("[Cancel]");
});

test("pods leave by the eviction API alone, by UID and with their own grace", async () => {
  here = await withSeedNodes();
  here.simulator.kubernetes.create(podOn(web, "slow", { spec: { terminationGracePeriodSeconds: 75 } }));
  await here.pass(1);
  await confirmRemoval(here, "ip-10-0-3-7");
  const pod = () =>
    here.simulator.kubernetes.objects("pods").find(({ metadata }) => metadata.name === "slow")?.metadata ?? null;
  await here.until(() => pod()?.deletionTimestamp !== undefined, 5);
  expect(pod()?.deletionGracePeriodSeconds).toBe(75);
  await expectGone(here, web);
  const ours = calls(here, "kubernetes").filter(({ principal }) => principal === userOf("act"));
  expect(ours.some(({ action }) => action === "delete pods")).toBe(false);
  expect(ours.some(({ action }) => action === "create pods/eviction")).toBe(true);
});

test("DaemonSet pods and static pods stay until the machine goes", async () => {
  here = await withSeedNodes();
  here.simulator.kubernetes.create({
    apiVersion: "apps/v1",
    kind: "DaemonSet",
    metadata: { name: "exporter", namespace: "default" },
    spec: {
      selector: { matchLabels: { app: "exporter" } },
      template: {
        metadata: { labels: { app: "exporter" } },
        spec: {
          nodeSelector: { "kubernetes.io/os": "windows" },
          tolerations: [{ operator: "Exists" }],
          containers: [{ name: "exporter", image: "registry.example.com/exporter:1" }],
        },
      },
    },
  } as unknown as KubeObject);
  const mirror = { annotations: { "kubernetes.io/config.mirror": "abc" } };
  here.simulator.kubernetes.create(podOn(web, "static", { metadata: mirror }));
  await here.until(() => podsOn(here, web).some((name) => name.startsWith("exporter")), 2);
  const facts = await ask(here, "ip-10-0-3-7");
  expect(facts).not.toMatch(/exporter|static/);
  await here.submit("operator");
  await here.until(() => stateOf(here, web) !== "running", 10);
  expect(podsOn(here, web)).toEqual(expect.arrayContaining([expect.stringMatching(/^exporter/), "static"]));
  await expectGone(here, web);
});

test("a dialog that nobody answers ends by itself and says so; pressing Remove then comes too late", async () => {
  here = await withSeedNodes();
  await ask(here, "ip-10-0-3-7");
  await settled(here);
  expect((await newest(here)).operation.status).toBe("cancelled");
  expect(dialogOf(here, "operator")).toContain("The dialog timed out. Nothing was changed.");
  expect(dialogOf(here, "operator")).not.toContain("[Remove]");
  await expectKept(here, web);
});
