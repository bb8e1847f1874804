import { DescribeInstanceStatusCommand, DescribeInstancesCommand } from "@aws-sdk/client-ec2";
import { DescribeSecretCommand } from "@aws-sdk/client-secrets-manager";
import {
  DescribeInstanceInformationCommand,
  GetCommandInvocationCommand,
  ListCommandInvocationsCommand,
} from "@aws-sdk/client-ssm";
import type { Run } from "./run-file.ts";
import type { Scene } from "./scene.ts";
import { shapeOf } from "./shape.ts";

type Shapes = Run["shapes"];

const instance = async ({ clients }: Scene, instanceId: string) =>
  (await clients.ec2.send(new DescribeInstancesCommand({ InstanceIds: [instanceId] }))).Reservations?.[0]
    ?.Instances?.[0];

/** Lists the certificate requests that the node's kubelet has made since the run began. */
async function requestsFor({ administrator }: Scene, run: Run) {
  const { items } = await administrator.certificates.listCertificateSigningRequest();
  return items.filter(
    ({ spec, metadata }) =>
      ["kubernetes.io/kube-apiserver-client-kubelet", "kubernetes.io/kubelet-serving"].includes(spec.signerName) &&
      (metadata?.creationTimestamp?.getTime() ?? 0) >= Date.parse(run.startedAt),
  );
}

/** Takes the shapes of the services' answers about the new node. */
export async function shapesOfNode(scene: Scene, run: Run, instanceId: string, nodeName: string): Promise<Shapes> {
  const { clients, administrator } = scene;
  const Filters = [{ Key: "InstanceIds", Values: [instanceId] }];
  const [described, status, information, node, pods, requests] = await Promise.all([
    instance(scene, instanceId),
    clients.ec2.send(new DescribeInstanceStatusCommand({ InstanceIds: [instanceId] })),
    clients.ssm.send(new DescribeInstanceInformationCommand({ Filters })),
    administrator.core.readNode({ name: nodeName }),
    administrator.core.listPodForAllNamespaces({ fieldSelector: `spec.nodeName=${nodeName}` }),
    requestsFor(scene, run),
  ]);
  return {
    "ec2 DescribeInstances": shapeOf(described),
    "ec2 DescribeInstanceStatus": shapeOf(status),
    "ssm DescribeInstanceInformation": shapeOf(information),
    "kubernetes Node": shapeOf(node),
    "kubernetes Pods of the node": shapeOf(pods.items),
    "kubernetes CertificateSigningRequests": shapeOf(requests),
  };
}

/** Takes the shapes of Systems Manager's answers about a command that has ended. */
export async function shapesOfCommand({ clients }: Scene, CommandId: string, InstanceId: string): Promise<Shapes> {
  const [one, list] = await Promise.all([
    clients.ssm.send(new GetCommandInvocationCommand({ CommandId, InstanceId })),
    clients.ssm.send(new ListCommandInvocationsCommand({ CommandId, Details: true })),
  ]);
  return { "ssm GetCommandInvocation": shapeOf(one), "ssm ListCommandInvocations": shapeOf(list) };
}

/** Takes the shape of EC2's answer about a terminated instance; empty once EC2 no longer lists it. */
export async function shapesOfEnd(scene: Scene, instanceId: string): Promise<Shapes> {
  const described = await instance(scene, instanceId).catch(() => undefined);
  return described ? { "ec2 DescribeInstances of a terminated instance": shapeOf(described) } : {};
}

/** Reads the name of a service's error: its code and the HTTP status. */
function codeOf(error: unknown): string {
  const { name, code, body, $metadata } = Object(error);
  const status = $metadata?.httpStatusCode ?? code;
  const reason = typeof body === "string" ? reasonIn(body) : name;
  return `${status} ${reason}`;
}

function reasonIn(body: string): string {
  try {
    return String(JSON.parse(body).reason);
  } catch {
    return "no reason";
  }
}

/** Well-formed ids of things that do not exist. */
const NO_INSTANCE = "i-00000000000000000";
const NO_COMMAND = "00000000-0000-4000-8000-000000000000";
const NO_NAME = "casement-acceptance-none";

/** Asks each service for an object that does not exist, and takes its error. Changes nothing. */
export async function answersTo({ clients, administrator, secretOf }: Scene): Promise<Run["answers"]> {
  const { ec2, ssm, secrets } = clients;
  const unknown = { CommandId: NO_COMMAND, InstanceId: NO_INSTANCE };
  const questions: Readonly<Record<string, () => Promise<unknown>>> = {
    "ec2 DescribeInstances, unknown id": () => ec2.send(new DescribeInstancesCommand({ InstanceIds: [NO_INSTANCE] })),
    "ec2 DescribeInstances, malformed id": () => ec2.send(new DescribeInstancesCommand({ InstanceIds: ["i-x"] })),
    "ssm GetCommandInvocation, unknown command": () => ssm.send(new GetCommandInvocationCommand(unknown)),
    "secretsmanager DescribeSecret, unknown": () =>
      secrets.send(new DescribeSecretCommand({ SecretId: secretOf(NO_INSTANCE) })),
    "kubernetes get Node, unknown": () => administrator.core.readNode({ name: NO_NAME }),
    "kubernetes get Pod, unknown": () => administrator.core.readNamespacedPod({ name: NO_NAME, namespace: "default" }),
    "kubernetes get CertificateSigningRequest, unknown": () =>
      administrator.certificates.readCertificateSigningRequest({ name: NO_NAME }),
  };
  const asked = Object.entries(questions).map(async ([name, question]) => {
    const answer = await question().then(() => "200", codeOf);
    return [name, answer] as const;
  });
  return Object.fromEntries(await Promise.all(asked));
}
