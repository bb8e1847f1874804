import type { InstanceRecord } from "../../lib/sandbox/aws/ec2/records.ts";
import { windowsNodes } from "../../lib/sandbox/demo-nodes.ts";
import type { KubeObject } from "../../lib/sandbox/kubernetes/model/object.ts";
import type { Journey } from "./journey.ts";

/** A Windows node that the demo cluster starts with. */
export interface SeedNode {
  readonly name: string;
  readonly instanceId: string;
}

const seedNode = (address: string): SeedNode => ({
  name: `ip-${address.replaceAll(".", "-")}.us-west-2.compute.internal`,
  instanceId: windowsNodes.find(({ privateIp }) => privateIp === address)?.instanceId ?? "",
});

/** The two nodes of pool web, the protected one of pool batch, the one of a MachineSet. */
export const web = seedNode("10.0.3.7");
export const otherWeb = seedNode("10.0.0.31");
export const batch = seedNode("10.0.1.41");
export const edge = seedNode("10.0.1.52");

/** A cluster administrator at kubectl. */
export async function kubectl(here: Journey, method: string, url: string, body: object = {}): Promise<void> {
  const { certificate } = await here.simulator.kubernetes.adminCredentials();
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const request = {
    method,
    url,
    headers: { "content-type": type, accept: "application/json" },
    body: Buffer.from(JSON.stringify(body)),
  };
  const answer = await here.drive(here.simulator.kubernetes.answer(request, { clientCertificate: certificate }));
  if (answer.status >= 400) throw new Error(`${method} ${url}: ${String(answer.body)}`);
}

/** Cordons a node by hand, or opens it. */
export const cordonByHand = (here: Journey, { name }: SeedNode, unschedulable = true): Promise<void> =>
  kubectl(here, "PATCH", `/api/v1/nodes/${name}`, { spec: { unschedulable } });

/** The owner of the account at the EC2 console. */
export async function ec2(here: Journey, action: string, fields: Readonly<Record<string, string>>): Promise<void> {
  const request = {
    method: "POST",
    url: "/",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: Buffer.from(new URLSearchParams({ Action: action, Version: "2016-11-15", ...fields }).toString()),
  };
  const owner = { principal: "owner", require: () => undefined };
  await here.drive(here.simulator.ec2.service.answer(action, request, owner));
}

/** Puts a tag on an instance. */
export const tag = (here: Journey, { instanceId }: SeedNode, key: string, value: string): Promise<void> =>
  ec2(here, "CreateTags", { "ResourceId.1": instanceId, "Tag.1.Key": key, "Tag.1.Value": value });

/** Auto Scaling's own tag: no user can write one that begins with "aws:". */
export async function joinScalingGroup(here: Journey, { instanceId }: SeedNode, group: string): Promise<void> {
  const instances = here.simulator.simulation.store.collection<InstanceRecord>("ec2-instances");
  const instance = instances.get(instanceId);
  if (instance)
    instances.set(instanceId, { ...instance, tags: { ...instance.tags, "aws:autoscaling:groupName": group } });
}

/** The instance's state in EC2. */
export const stateOf = (here: Journey, { instanceId }: SeedNode): string | undefined =>
  here.simulator.ec2.describe().find((instance) => instance.InstanceId === instanceId)?.State?.Name;

interface Pod extends KubeObject {
  readonly spec: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string };
}

/** Names of the pods on a node. */
export const podsOn = (here: Journey, { name }: SeedNode): string[] =>
  (here.simulator.kubernetes.objects("pods") as Pod[])
    .filter(({ spec }) => spec.nodeName === name)
    .map(({ metadata }) => metadata.name);

/** Finds the node of pool web on which the scheduler put an app's pods. */
export const homeOf = (here: Journey, app: string): SeedNode =>
  podsOn(here, web).some((name) => name.startsWith(app)) ? web : otherWeb;

/** A node as people call it: "ip-10-0-3-7". */
export const shortName = ({ name }: SeedNode): string => name.split(".")[0] ?? "";

/** Number of pods of an app that run, on whichever node. */
export const running = (here: Journey, app: string): number =>
  (here.simulator.kubernetes.objects("pods") as Pod[]).filter(
    ({ metadata, status }) => metadata.labels?.app === app && status?.phase === "Running",
  ).length;

/** A pod by its manifest, placed on a node as the scheduler or the kubelet itself would have. */
export const podOn = (node: SeedNode, name: string, more: { metadata?: object; spec?: object } = {}): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", labels: { app: name }, ...more.metadata },
    spec: {
      nodeName: node.name,
      tolerations: [{ key: "os", operator: "Exists" }],
      containers: [{ name, image: "registry.example.com/shop/tool:1" }],
      ...more.spec,
    },
  }) as unknown as KubeObject;

/** Creates a workload of two pods that are like this one. */
export function twoReplicas({ simulator }: Journey, name: string, pod: KubeObject & { readonly spec?: object }): void {
  simulator.kubernetes.create({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, namespace: "default" },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: pod.spec },
    },
  } as never);
}

/** A pod on the node that its budget "guard" does not let go. */
export async function guardedPod(here: Journey, node: SeedNode): Promise<void> {
  here.simulator.kubernetes.create(podOn(node, "guarded"));
  here.simulator.kubernetes.create({
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "guard", namespace: "default" },
    spec: { minAvailable: 1, selector: { matchLabels: { app: "guarded" } } },
  } as unknown as KubeObject);
  await here.until(() => running(here, "guarded") === 1, 2, "the guarded pod");
}

/** Its owner lets the guarded pod go. */
export const allowDisruptions = (here: Journey): Promise<void> =>
  kubectl(here, "PATCH", "/apis/policy/v1/namespaces/default/poddisruptionbudgets/guard", {
    spec: { minAvailable: 0 },
  });
