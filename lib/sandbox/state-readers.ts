import { isOperation } from "../../lambdas/commands/list.ts";
import { titleOfOperation } from "../../lambdas/messages/command/syntax.ts";
import { originId } from "../../lambdas/records/origin.ts";
import type { NodeRecord, OperationRecord } from "../../lambdas/records/records.ts";
import type { StateReaders } from "./control/control.ts";
import type { FaultValues } from "./core/faults.ts";
import { demo } from "./demo.ts";
import type { ShownOperation } from "./page/snapshot.ts";
import type { Simulator } from "./simulator.ts";

/** The ledger as its owner reads it. */
export interface LedgerReader {
  operations(limit: number): Promise<OperationRecord[]>;
  nodes(operation: string): Promise<NodeRecord[]>;
}

type ToldOperation = Awaited<ReturnType<StateReaders["operations"]>>[number];

/** Status in the control API of an operation that has ended; "refused" and "not-started" are "failed" there. */
const statuses: Readonly<Record<OperationRecord["status"], ToldOperation["status"]>> = {
  requested: "running",
  running: "running",
  waiting: "waiting",
  scheduled: "waiting",
  succeeded: "succeeded",
  failed: "failed",
  cancelled: "cancelled",
  refused: "failed",
  "not-started": "failed",
};

/** Operations that are read at once. */
const MOST = 200;

const operationsOf = async (ledger: LedgerReader): Promise<OperationRecord[]> =>
  (await ledger.operations(MOST)).filter(isOperation);

const nodeName = (node: NodeRecord): string => node.nodeName ?? node.instanceId ?? `node ${node.index + 1}`;

/** Lists the operations as the page shows them; a dry run is none. */
export async function shownOperations(ledger: LedgerReader): Promise<ShownOperation[]> {
  const records = (await operationsOf(ledger)).filter(({ request }) => !("dryRun" in request && request.dryRun));
  return Promise.all(
    records.map(async (record) => ({
      id: record.id,
      title: titleOfOperation(record),
      user: originId(record),
      status: record.status,
      nodes: (await ledger.nodes(record.id)).map((node) => ({
        name: nodeName(node),
        stage: node.failure?.stage ?? node.stage ?? "",
        status: node.status,
      })),
    })),
  );
}

async function told(ledger: LedgerReader, record: OperationRecord): Promise<ToldOperation> {
  const nodes = await ledger.nodes(record.id);
  return {
    id: record.id,
    command: record.request.command,
    user: originId(record),
    status: statuses[record.status],
    nodes: nodes.map((node) => ({ name: nodeName(node), stage: node.stage ?? node.status })),
  };
}

const namesOf = ({ kubernetes }: Simulator, plural: string): string[] =>
  kubernetes.objects(plural).map(({ metadata }) => metadata.name);

/** Lists what faults can be matched by and what comes and goes: instances, nodes, pods, services of Windows. */
function faultValues(simulator: Simulator): FaultValues {
  const instances = simulator.ec2.describe();
  const services = simulator.machines.all().flatMap(({ services: all }) => all.map(({ name }) => name));
  return {
    instanceId: instances.flatMap(({ InstanceId }) => InstanceId ?? []),
    // A machine has its name before it has a Node.
    node: [
      ...new Set([...namesOf(simulator, "nodes"), ...instances.flatMap(({ PrivateDnsName }) => PrivateDnsName || [])]),
    ],
    namespace: namesOf(simulator, "namespaces"),
    pod: namesOf(simulator, "pods"),
    service: [...new Set(services)],
  };
}

/** Builds the readers behind the control API's answers: state of the simulated services, and messages as people see them. */
export function stateReaders(simulator: Simulator, ledger: LedgerReader): StateReaders {
  const roles: Readonly<Record<string, string[]>> = {
    operator: ["system:cluster-readers"],
    approver: ["system:cluster-readers"],
  };
  const tokens = simulator.simulation.store.collection<string>("people-tokens");
  const tokenOf = (id: string, groups: readonly string[]): string => {
    const token = tokens.get(id) ?? simulator.kubernetes.issueToken({ name: id, groups }, null);
    if (!tokens.has(id)) tokens.set(id, token);
    return token;
  };
  return {
    instances: () => JSON.parse(JSON.stringify(simulator.ec2.describe())),
    machines: () => simulator.machines.all().map((machine) => JSON.parse(JSON.stringify(machine))),
    nodes: () => simulator.kubernetes.objects("nodes").map((node) => ({ ...node })),
    operations: async () => Promise.all((await operationsOf(ledger)).map((record) => told(ledger, record))),
    messages: simulator.slack.messages,
    faultValues: () => faultValues(simulator),
    people: () => ({
      teamId: demo.slack.teamId,
      channelId: demo.slack.channelId,
      people: demo.people.map((person) => ({
        id: person.id,
        name: person.realName,
        roles: [...person.roles],
        kubernetesToken: tokenOf(person.id, [...new Set(person.roles.flatMap((role) => roles[role] ?? []))]),
      })),
    }),
  };
}
