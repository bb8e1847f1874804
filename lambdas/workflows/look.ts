import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Request, Start } from "../commands/command.ts";
import { isOperation } from "../commands/list.ts";
import { UserError } from "../errors.ts";
import { doctorMessage, type Examination } from "../messages/doctor/doctor.ts";
import { nodeMessage } from "../messages/node/details.ts";
import { nodesMessage } from "../messages/node/nodes-table.ts";
import { operationsMessage } from "../messages/operation/operations-table.ts";
import type { Message } from "../records.ts";
import { detailsOf, instanceIdOf, isWindows, rowOf } from "../steps/cluster/node-facts.ts";
import type { Node } from "../steps/cluster/nodes.ts";
import type { Machine } from "../steps/ec2/instances.ts";
import { lambdaEntry } from "../steps/host.ts";
import type { Steps } from "../steps/steps.ts";
import { diagnose } from "./doctor/diagnose.ts";
import { watchingCredentials } from "./doctor/watch-credentials.ts";
import { step } from "./engine/durable.ts";
import { findNode } from "./node/find-node.ts";
import { type Begun, beginOperation, failOperation, whisperTo } from "./operation/lifecycle.ts";

const tell =
  (steps: Steps) =>
  async (start: Start, ctx: DurableContext): Promise<void> => {
    try {
      const begun = await step(ctx, "begin", () =>
        beginOperation(steps, start, ctx.executionContext.durableExecutionArn),
      );
      if (!begun) return;
      const examined = start.request.command === "doctor" ? await diagnose(steps, ctx, begun.runtimeVersion) : null;
      await step(ctx, "look and tell", async () => {
        const told = examined ? await reportOf(steps, examined, begun) : await answer(steps, start.request, begun);
        await whisperTo(steps, start, told);
        await steps.ledger.changeOperation(start.operation, {
          status: "succeeded",
          summary: "",
          endedAt: steps.timestamp(),
        });
      });
    } catch (error) {
      await step(ctx, "say what went wrong", () => failOperation(steps, start, error));
    }
  };

async function reportOf(steps: Steps, examined: Examination, begun: Begun): Promise<Message> {
  const { configuration } = await steps.runtime.read(begun.runtimeVersion);
  return doctorMessage(examined, configuration.cluster.name, begun.commandWord);
}

/** Operations a list shows; more do not fit a message. */
const MOST_OPERATIONS = 60;

/** Requests that are read for it: looks are in the ledger too, and one page of DynamoDB's holds about so many. */
const MOST_REQUESTS = 1_000;

async function answer(steps: Steps, request: Request, begun: Begun): Promise<Message> {
  if (request.command === "nodes") return listNodes(steps, begun);
  if (request.command === "node") return describeNode(steps, request.node, begun);
  if (request.command === "operations") {
    const operations = (await steps.ledger.operations(MOST_REQUESTS)).filter(isOperation);
    return operationsMessage(operations.slice(0, MOST_OPERATIONS), steps.timestamp(), begun.commandWord);
  }
  throw new UserError(`${request.command} cannot be shown.`);
}

const machineOfNode = (node: Node, machines: readonly Machine[]): Machine | undefined =>
  machines.find((machine) => machine.instanceId === instanceIdOf(node));

async function listNodes(steps: Steps, begun: Begun): Promise<Message> {
  const { configuration } = await steps.runtime.read(begun.runtimeVersion);
  const { id, name } = configuration.cluster;
  const nodes = await steps.nodes.all();
  const machines = await steps.instances.ofCluster(id);
  const rows = nodes.filter(isWindows).map((node) => rowOf(node, machineOfNode(node, machines)));
  const others = await steps.unregistered.list(machines, nodes, name);
  return nodesMessage(rows, others, steps.timestamp(), begun.commandWord);
}

async function describeNode(steps: Steps, typed: string, begun: Begun): Promise<Message> {
  const { configuration } = await steps.runtime.read(begun.runtimeVersion);
  const node = findNode(typed, await steps.nodes.all(), begun.commandWord);
  const machine = machineOfNode(node, await steps.instances.ofCluster(configuration.cluster.id));
  const details = detailsOf(node, machine, await steps.nodes.podsOn(node.metadata?.name ?? ""), {
    cluster: configuration.cluster.name,
    claimed: await steps.claims.all(),
    heldBy: machine ? ((await steps.leases.holder(machine.instanceId)) ?? null) : null,
  });
  return nodeMessage(details, steps.timestamp(), begun.commandWord);
}

/** `/win nodes`, `/win node`, `/win operations`, `/win doctor`: reads, and tells the asker alone; watches by schedule. */
export const look = watchingCredentials(tell);

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(look);
