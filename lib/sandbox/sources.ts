import { isOperation } from "../../lambdas/commands/list.ts";
import type { NodeRecord, OperationRecord } from "../../lambdas/records.ts";
import type { Sources } from "./control/control.ts";
import type { Ground } from "./ground.ts";
import { town } from "./town.ts";

/** The ledger as its owner reads it. */
export interface LedgerReader {
  operations(limit: number): Promise<OperationRecord[]>;
  nodes(operation: string): Promise<NodeRecord[]>;
}

type ShownOperation = Awaited<ReturnType<Sources["operations"]>>[number];

/** The ledger knows more ends than the control API: what was refused or never started has failed. */
const statuses: Readonly<Record<OperationRecord["status"], ShownOperation["status"]>> = {
  requested: "running",
  running: "running",
  waiting: "waiting",
  succeeded: "succeeded",
  failed: "failed",
  cancelled: "cancelled",
  refused: "failed",
  "not-started": "failed",
};

const nodeName = (node: NodeRecord): string => node.nodeName ?? node.instanceId ?? `node ${node.index + 1}`;

async function shown(ledger: LedgerReader, record: OperationRecord): Promise<ShownOperation> {
  const nodes = await ledger.nodes(record.id);
  return {
    id: record.id,
    command: record.request.command,
    user: record.asker.userId,
    status: statuses[record.status],
    nodes: nodes.map((node) => ({ name: nodeName(node), stage: node.stage ?? node.status })),
  };
}

/** Sources of the control API's answers: the world as it really is, and what people see of it. */
export function sourcesOf(ground: Ground, ledger: LedgerReader): Sources {
  const roles: Readonly<Record<string, string[]>> = {
    operator: ["system:cluster-readers"],
    approver: ["system:cluster-readers"],
  };
  const tokens = ground.foundation.store.collection<string>("people-tokens");
  const tokenOf = (id: string, groups: readonly string[]): string => {
    const token = tokens.get(id) ?? ground.kubernetes.issueToken({ name: id, groups }, null);
    if (!tokens.has(id)) tokens.set(id, token);
    return token;
  };
  return {
    instances: () => JSON.parse(JSON.stringify(ground.ec2.describe())),
    machines: () => ground.machines.all().map((machine) => JSON.parse(JSON.stringify(machine))),
    nodes: () => ground.kubernetes.objects("nodes").map((node) => ({ ...node })),
    operations: async () => {
      const records = (await ledger.operations(200)).filter(isOperation);
      return Promise.all(records.map((record) => shown(ledger, record)));
    },
    messages: ground.slack.messages,
    people: () => ({
      teamId: town.slack.teamId,
      channelId: town.slack.channelId,
      people: town.people.map((person) => ({
        id: person.id,
        name: person.realName,
        roles: [...person.roles],
        kubernetesToken: tokenOf(person.id, [...new Set(person.roles.flatMap((role) => roles[role] ?? []))]),
      })),
    }),
  };
}
