import { afterEach, describe, expect, test } from "vitest";
import { CONTINUE_DRAIN } from "../../../../lambdas/messages/slack/buttons.ts";
import type { KubeObject } from "../../../../lib/sandbox/kubernetes/model/object.ts";
import { calls, heldBack, newest, nodeNamed, settled } from "../../evidence.ts";
import type { Journey } from "../../journey.ts";
import { ec2, podOn, podsOn, running, shortName, web } from "../../others.ts";
import { asAdministrator, injectFault } from "../../outside.ts";
import { openly } from "../../reading.ts";
import { withSeedNodes } from "../../removal.ts";

let here: Journey;
afterEach(() => here.close());

const SHORT = shortName(web);
const FORCED = `/win drain ${SHORT} --force ${web.name}`;

const begin = async (evict = 4): Promise<void> => {
  const deadlines = { drain: { evict, continue: 30 } };
  here = await withSeedNodes({ configuration: { approvals: { drain: { needs: 0 } }, deadlines } });
};
const asks = (): boolean => openly(here).at(-1)?.includes("is not drained yet") ?? false;
const question = async (): Promise<string> => {
  await here.until(asks, 15, "the question");
  return openly(here).at(-1) ?? "";
};
const created = (object: object): KubeObject => here.simulator.kubernetes.create(object as KubeObject);

describe("V21 a pod that is stuck on a node whose kubelet is silent", () => {
  test("is shown with the command that forgets it only once EC2 shows the instance as stopped", async () => {
    await begin(6);
    const lifecycle = { preStop: { sleep: { seconds: 120 } } };
    const containers = [{ name: "slow", image: "registry.example.com/shop/slow:1", lifecycle }];
    created(podOn(web, "slow", { spec: { containers, terminationGracePeriodSeconds: 150 } }));
    await here.until(() => running(here, "slow") === 1, 2, "the slow pod");
    await here.type("operator", FORCED);
    const told = () => here.simulator.kubernetes.objects("pods").find(({ metadata }) => metadata.name === "slow");
    await here.until(() => told()?.metadata.deletionTimestamp !== undefined, 4, "the eviction");
    injectFault(here, "kubernetes-5xx", { principal: `system:node:${web.name}` });
    const runs = await question();
    expect(runs).toMatch(/1 pod stuck terminating \(default\/slow\)/);
    expect(runs).not.toContain("out-of-service");
    const ready = nodeNamed(here, web.name)?.status?.conditions?.find(({ type }) => type === "Ready");
    expect(ready?.status).toBe("Unknown");

    await ec2(here, "StopInstances", { "InstanceId.1": web.instanceId });
    await here.press("operator", CONTINUE_DRAIN);
    await settled(here, 10);
    const stopped = (await newest(here)).nodes[0]?.failure?.why;
    expect(stopped).toContain("EC2 shows the instance as stopped");
    expect(stopped).toContain(
      `kubectl taint nodes ${web.name} node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`,
    );
    expect(stopped).toContain("kubectl delete pod -n default slow --grace-period=0 --force");
  });
});

test("DR-15 an eviction that RBAC refuses is asked for until the deadline, named with its cause, and works once the right is back", async () => {
  await begin();
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/casement-act";
  const roles = here.simulator.kubernetes.objects("clusterroles", "rbac.authorization.k8s.io");
  const role = roles.find(({ metadata }) => metadata.name === "casement-act") as KubeObject & {
    readonly rules: readonly { readonly resources: readonly string[] }[];
  };
  const rules = role.rules.filter(({ resources }) => !resources.includes("pods/eviction"));
  await asAdministrator(here, "PUT", path, { ...role, rules });
  await here.type("operator", FORCED);
  expect(await question()).toMatch(/the right to evict \d+ pods? \([\s\S]*cannot create resource/);
  const refused = calls(here, "kubernetes", "create pods/eviction").filter(({ error }) => error !== null);
  expect(refused.length).toBeGreaterThan(10);
  const { resourceVersion: _old, ...metadata } = role.metadata;
  await asAdministrator(here, "PUT", path, { ...role, metadata });
  await here.press("operator", CONTINUE_DRAIN);
  await settled(here, 10);
  expect((await newest(here)).operation.status).toBe("succeeded");
});

test("V5 a drain leaves a static pod on the node and waits for it no longer than for none", async () => {
  await begin();
  const annotations = { "kubernetes.io/config.mirror": "0f1e", "kubernetes.io/config.source": "file" };
  const owner = { apiVersion: "v1", kind: "Node", name: web.name, uid: nodeNamed(here, web.name)?.metadata?.uid };
  const metadata = { annotations, ownerReferences: [{ ...owner, controller: true }] };
  created(podOn(web, "logs-static", { metadata }));
  await here.until(() => running(here, "logs-static") === 1, 2, "the static pod");
  await here.type("operator", FORCED);
  await settled(here, 10);
  expect((await newest(here)).operation.summary).toContain("is drained");
  expect(podsOn(here, web)).toContain("logs-static");
  expect(await heldBack(here)).toEqual([]);
});
