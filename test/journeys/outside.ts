import type { Stage } from "../../lambdas/records.ts";
import { lambdaName } from "../../lib/sandbox/ground.ts";
import type { KubeObject } from "../../lib/sandbox/kubernetes/model/object.ts";
import type { World } from "./world.ts";

/** Lets time pass until a node of an `add` has entered this stage. */
export const reached = (here: World, stage: Stage): Promise<void> =>
  here.until(() => operationsOf(here).some(({ name }) => name === `enter ${stage}`), 60, `stage ${stage}`);

interface DurableOperation {
  readonly name?: string;
}

const operationsOf = (here: World): DurableOperation[] =>
  here.ground.lambda
    .executions()
    .filter(({ functionName }) => functionName === lambdaName("provision-node"))
    .flatMap(({ id }) =>
      here.ground.foundation.store.collection<DurableOperation>(`durable-operations/${id}`).values(),
    );

/** Something goes wrong: as often as `count` says, or until it is ended. */
export function order(here: World, kind: string, match: Record<string, string> = {}, count?: number): string {
  const mishap = here.ground.foundation.mishaps.order(kind, match, count);
  if (!mishap) throw new Error(`the ground knows no mishap ${kind} with ${JSON.stringify(match)}`);
  return mishap.id;
}

/** It is over. */
export const end = (here: World, id: string): boolean => here.ground.foundation.mishaps.end(id);

const owner = { principal: "owner", require: () => undefined, context: {} };

/** Somebody with the owner's rights asks EC2 for something, past the bot. */
export async function askEc2(here: World, action: string, parameters: Record<string, string>): Promise<void> {
  const body = Buffer.from(new URLSearchParams({ Action: action, Version: "2016-11-15", ...parameters }).toString());
  const request = { method: "POST", url: "/", headers: {}, body };
  await here.drive(here.ground.ec2.service.answer(action, request, owner as never));
}

/** Somebody terminates an instance in the console. */
export const terminateFromOutside = (here: World, instanceId: string): Promise<void> =>
  askEc2(here, "TerminateInstances", { "InstanceId.1": instanceId });

/** A cluster administrator talks to the API server. */
export async function asAdministrator(here: World, method: string, url: string, body?: object): Promise<void> {
  const { kubernetes } = here.ground;
  const headers = { accept: "application/json", "content-type": "application/json" };
  const { certificate } = await here.drive(kubernetes.adminCredentials());
  const request = { method, url, headers, body: Buffer.from(body ? JSON.stringify(body) : "") };
  const answer = await here.drive(kubernetes.answer(request, { clientCertificate: certificate }));
  if (answer.status >= 400) throw new Error(`${method} ${url}: ${String(answer.body)}`);
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
