import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { ProvisionTask } from "../../lambdas/capabilities/add/task.ts";
import { newNodeTask } from "../../lambdas/change/node/task.ts";
import { okd } from "../../lambdas/profiles/okd/okd.ts";
import type { Order } from "../../lambdas/steps/machine/machine.ts";
import { tenMinutes, verbs } from "../engine/durable-engine.ts";
import { configurationWith, manifest } from "../profiles/okd/facts.ts";

/** Acts of a task, in order: "terminate i-0…", "record failed"; and who cancelled its operation. */
export interface CallLog {
  readonly entries: string[];
  cancelledBy: string | null;
}

export const callLog = (): CallLog => ({ entries: [], cancelledBy: null });

export const machine = {
  instanceId: "i-0ab12cd34ef567890",
  state: "running",
  privateIp: "10.0.0.20",
  privateDnsName: "ip-10-0-0-20.us-west-2.compute.internal",
  zone: "us-west-2a",
  launchedAt: "2026-11-21T08:00:00.000Z",
  tags: {},
};

const lease = { instanceId: machine.instanceId, owner: "add-1:0", epoch: 1 };

type Given = Readonly<Record<string, object>>;

/** Steps that every task needs: a ledger that records, a machine that runs every script, an instance that terminates. */
function ordinary(log: CallLog): Given {
  const { entries } = log;
  const does = (what: string) => async (): Promise<void> => void entries.push(what);
  let order: Omit<Order, "mark"> | undefined;
  return {
    ledger: {
      answerOf: async () => null,
      operation: async () => ({ cancelledBy: log.cancelledBy, callbacks: {} }),
      changeNode: async (_id: string, _index: number, { status, outcome }: { status?: string; outcome?: string }) =>
        void (status && entries.push(outcome ? `${status}: ${outcome}` : status)),
      awaitCommand: async () => undefined,
      awaitMachine: async () => undefined,
    },
    machine: {
      requestFor: async (plan: { actions: readonly { do: string }[] }) => ({ plan }),
      send: async (_held: unknown, sent: Order) => {
        order = sent;
        entries.push(`${sent.script} "${sent.mark.replace("add-1:0 ", "")}"`);
        return "command-1";
      },
      commandState: async () => ({ state: "done", result: { script: order?.script, ok: true, failed: null } }),
    },
    joinSlots: { giveBack: does("give back the join slot") },
    instances: {
      describe: async () => ({ ...machine, state: entries.includes("terminate") ? "terminated" : "running" }),
      terminate: does("terminate"),
    },
    joinSecret: { remove: does("delete the join secret"), nameOf: () => "casement/prod-west/join" },
    nodes: { read: async () => undefined, remove: does("delete the Node"), announce: async () => undefined },
    notices: { send: async () => undefined },
    runtime: { read: async () => ({ version: "1", configuration: configurationWith() }) },
  };
}

/** Lays what a test gives over what is ordinary, noun by noun. */
const laidOver = (base: Given, over: Given): Given =>
  Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(over)])].map((noun) => [noun, { ...base[noun], ...over[noun] }]),
  );

/**
 * A node of `add-1` on its way, whose instance runs and whose kubelet has been started.
 * @param given verbs that are not as usual, by noun
 */
export function taskOn(
  ctx: DurableContext,
  log: CallLog,
  given: Given = {},
  changes: Partial<ProvisionTask> = {},
): ProvisionTask {
  const configuration = configurationWith();
  const pool = configuration.pools.web;
  if (!pool) throw new Error("the configuration has no pool web");
  const image = { parameter: "/aws/…", imageId: "ami-0a1b2c3d4e5f60718" };
  const steps = verbs(laidOver(ordinary(log), given));
  const runtime = { version: "1", configuration, payload: manifest() };
  const eventReason = "CasementProvisioning";
  const work = { workflow: "provision", operation: "add-1", index: 0, eventReason, needsMachine: true } as const;
  return {
    ...newNodeTask({ ctx, steps, runtime, ...work }, "ready"),
    start: { operation: "add-1", index: 0, pool: "web", image, runtimeVersion: "1" },
    pool,
    profile: okd,
    wait: tenMinutes(),
    launched: null,
    machine,
    lease,
    kubeletClients: "PEM",
    tokens: [],
    ...changes,
  };
}
