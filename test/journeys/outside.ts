import { userNameOf } from "../../lambdas/cluster/accounts.ts";
import { join } from "../../lambdas/profiles/okd/join.ts";
import type { StageName } from "../../lambdas/stages.ts";
import type { KubeObject } from "../../lib/sandbox/kubernetes/model/object.ts";
import { makeRequest } from "../../lib/sandbox/machine/certificate-request.ts";
import { lambdaName } from "../../lib/sandbox/simulator.ts";
import type { Journey } from "./journey.ts";

/** Lets time pass until a node of an `add` has entered this stage. */
export const reached = (here: Journey, stage: StageName): Promise<void> =>
  here.until(() => operationsOf(here).some(({ name }) => name === `enter ${stage}`), 60, `stage ${stage}`);

interface DurableOperation {
  readonly name?: string;
}

const operationsOf = (here: Journey): DurableOperation[] =>
  here.simulator.lambda
    .executions()
    .filter(({ functionName }) => functionName === lambdaName("provision-node"))
    .flatMap(({ id }) =>
      here.simulator.simulation.store.collection<DurableOperation>(`durable-operations/${id}`).values(),
    );

/** Injects a fault that applies `count` times, or until it is ended. */
export function injectFault(here: Journey, kind: string, match: Record<string, string> = {}, count?: number): string {
  const fault = here.simulator.simulation.faults.inject(kind, match, count);
  if (!fault) throw new Error(`there is no fault ${kind} with ${JSON.stringify(match)}`);
  return fault.id;
}

/** Ends a fault. */
export const endFault = (here: Journey, id: string): boolean => here.simulator.simulation.faults.end(id);

const owner = { principal: "owner", require: () => undefined, context: {} };

/** A person with the owner's rights asks EC2 for something, past the bot. */
export async function askEc2(here: Journey, action: string, parameters: Record<string, string>): Promise<void> {
  const body = Buffer.from(new URLSearchParams({ Action: action, Version: "2016-11-15", ...parameters }).toString());
  const request = { method: "POST", url: "/", headers: {}, body };
  await here.drive(here.simulator.ec2.service.answer(action, request, owner as never));
}

/** A person terminates an instance in the console. */
export const terminateFromOutside = (here: Journey, instanceId: string): Promise<void> =>
  askEc2(here, "TerminateInstances", { "InstanceId.1": instanceId });

/** A cluster administrator talks to the API server. */
export async function asAdministrator(here: Journey, method: string, url: string, body?: object): Promise<void> {
  const { kubernetes } = here.simulator;
  const headers = { accept: "application/json", "content-type": "application/json" };
  const { certificate } = await here.drive(kubernetes.adminCredentials());
  const request = { method, url, headers, body: Buffer.from(body ? JSON.stringify(body) : "") };
  const answer = await here.drive(kubernetes.answer(request, { clientCertificate: certificate }));
  if (answer.status >= 400) throw new Error(`${method} ${url}: ${String(answer.body)}`);
}

const CSRS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/**
 * A holder of a bootstrap token asks for the certificate of a node, with a key of their own.
 * @returns the request's name
 */
export async function asksAsNode(here: Journey, nodeName: string, token?: string): Promise<string> {
  const { kubernetes } = here.simulator;
  const template = {
    commonName: `system:node:${nodeName}`,
    organizations: ["system:nodes"],
    dnsNames: [],
    ipAddresses: [],
  };
  const { request } = await here.drive(makeRequest(template));
  const body = {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { generateName: "csr-" },
    spec: {
      request: Buffer.from(request).toString("base64"),
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      usages: ["digital signature", "client auth"],
    },
  };
  const headers = {
    accept: "application/json",
    "content-type": "application/json",
    authorization: `Bearer ${token ?? kubernetes.issueToken({ name: userNameOf(join.account) }, 3_600)}`,
  };
  const asked = { method: "POST", url: CSRS, headers, body: Buffer.from(JSON.stringify(body)) };
  const answer = await here.drive(kubernetes.answer(asked));
  if (answer.status !== 201) throw new Error(String(answer.body));
  return (JSON.parse(String(answer.body)) as { metadata: { name: string } }).metadata.name;
}

/** A person approves one request with kubectl. */
export async function approvesByHand(here: Journey, name: string): Promise<void> {
  const csr = here.simulator.kubernetes
    .objects("certificatesigningrequests", "certificates.k8s.io")
    .find(({ metadata }) => metadata.name === name);
  const condition = { type: "Approved", status: "True", reason: "KubectlApprove", message: "by kubectl" };
  await asAdministrator(here, "PUT", `${CSRS}/${name}/approval`, { ...csr, status: { conditions: [condition] } });
}

/** Answer to `kubectl logs` of a pod on this node: the status, and the words. */
export async function kubectlLogs(here: Journey, pod: string): Promise<{ status: number; words: string }> {
  const { kubernetes } = here.simulator;
  const { certificate } = await here.drive(kubernetes.adminCredentials());
  const url = `/api/v1/namespaces/default/pods/${pod}/log`;
  const request = { method: "GET", url, headers: {}, body: new Uint8Array() };
  const { status, body } = await here.drive(kubernetes.answer(request, { clientCertificate: certificate }));
  return { status, words: String(body) };
}

/** OKD's Machine API says that an instance is its own. */
export const machineFor = (instanceId: string): KubeObject =>
  ({
    apiVersion: "machine.openshift.io/v1beta1",
    kind: "Machine",
    metadata: { name: "winworker-claims", namespace: "openshift-machine-api" },
    spec: { providerID: `aws:///us-west-2a/${instanceId}` },
  }) as unknown as KubeObject;

/** The Windows Machine Config Operator was told to make a node of a machine. */
export const entryFor = (machine: string): KubeObject =>
  ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "windows-instances", namespace: "openshift-windows-machine-config-operator" },
    data: { [machine]: "username=Administrator" },
  }) as unknown as KubeObject;
