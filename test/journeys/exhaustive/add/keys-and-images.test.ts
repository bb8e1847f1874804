import { afterEach, expect, test } from "vitest";
import { permissionsFor } from "../../../../lib/role-permissions.ts";
import { account, place } from "../../../../lib/sandbox/demo-account.ts";
import { at, type KubeObject } from "../../../../lib/sandbox/kubernetes/model/object.ts";
import type { Pod } from "../../../../lib/sandbox/kubernetes/model/shapes.ts";
import { type Journey, startJourney } from "../../journey.ts";
import { privately } from "../../reading.ts";

let here: Journey;
afterEach(() => here.close());

const key = "arn:aws:kms:us-west-2:111122223333:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9";
const customersKey = { ...account, volumeKey: key };

test("with a customer's key as the account's default, a launch ends at once, and thread and doctor say what to configure", async () => {
  here = await startJourney({ overrides: { account: customersKey } });
  await here.type("operator", "/win add web");
  await here.until(() => here.said().join().includes("Client.InternalError"), 10);
  expect(here.said().join()).toContain("aws.volumeKey");
  await here.type("operator", "/win doctor");
  await here.until(() => privately(here, "operator").join().includes("to it in the configuration"), 5);
});

test("with the key configured, machines start and the doctor has nothing to say about keys", async () => {
  const permissions = permissionsFor({ ...place, volumeKey: key });
  here = await startJourney({ overrides: { account: customersKey, permissions }, configuration: { volumeKey: key } });
  await here.type("operator", "/win add web");
  await here.until(() => here.simulator.ec2.describe().some(({ State }) => State?.Name === "running"), 5);
  await here.type("operator", "/win doctor");
  await here.until(() => here.simulator.slack.messages().some(({ text }) => /prod-west: /.test(text)), 5);
  expect(JSON.stringify(here.simulator.slack.messages())).not.toContain("aws.volumeKey");
});

const IMAGE = "111122223333.dkr.ecr.us-west-2.amazonaws.com/shop/web:1.4";

/** A pod of a Windows node that is there already, with an image of the account's registry. */
function podFromEcr(): () => Pod | undefined {
  const nodes = here.simulator.kubernetes.objects("nodes");
  const node = nodes.find(({ metadata }) => metadata.labels?.["kubernetes.io/os"] === "windows")?.metadata.name;
  const pod: unknown = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "from-ecr", namespace: "default" },
    spec: {
      nodeName: node,
      tolerations: [{ operator: "Exists" }],
      containers: [{ name: "web", image: IMAGE }],
    },
  };
  here.simulator.kubernetes.create(pod as KubeObject);
  const found = () => here.simulator.kubernetes.objects("pods").find(({ metadata }) => metadata.name === "from-ecr");
  return () => found() as Pod | undefined;
}

test("a pod whose image lies in ECR runs: the node's role may sign in and pull", async () => {
  here = await startJourney({ seedNodes: true });
  const pod = podFromEcr();
  await here.until(() => pod()?.status?.phase === "Running", 3);
});

test.for([
  ["SignInToRegistries", "no basic auth credentials"],
  ["PullImages", "403 Forbidden"],
] as const)("without %s it waits for its image in the registry's words", async ([sid, words]) => {
  const node = permissionsFor(place).node.filter((statement) => statement.sid !== sid);
  here = await startJourney({ seedNodes: true, overrides: { permissions: { node } } });
  const pod = podFromEcr();
  const waiting = () => at(pod()?.status?.containerStatuses?.[0]?.state, "waiting");
  await here.until(() => at(waiting(), "reason") === "ImagePullBackOff", 3);
  expect(at(waiting(), "message")).toContain(words);
  await here.pass(5);
  expect(pod()?.status?.phase).toBe("Pending");
});
