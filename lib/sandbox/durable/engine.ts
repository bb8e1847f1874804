import { AwsError, type Caller } from "../core/aws-service.ts";
import type { Simulation } from "../core/simulation.ts";
import type { Account } from "./arn.ts";
import { chainedInvocations } from "./chained.ts";
import { type CheckpointAnswer, type CheckpointRequest, checkpoints, invalidToken } from "./checkpoints.ts";
import { driver, type EngineParts } from "./driver.ts";
import { effects } from "./effects.ts";
import { type ExecutionStore, executionStore } from "./execution-store.ts";
import type { Functions } from "./functions.ts";
import type { Invocations } from "./invocations.ts";
import { type Completion, lifecycle } from "./lifecycle.ts";
import type { ErrorObject, Execution, Operation } from "./model.ts";
import { type StatePage, statePage } from "./replay.ts";
import { executionStarts, type Starts } from "./starts.ts";
import type { CallbackReference } from "./tokens.ts";
import { heardOf } from "./transitions.ts";

/** The durable engine: what the service's API does, without its wire. Each call throws AwsError as the service would. */
export interface Engine extends Starts {
  readonly executions: ExecutionStore;
  /** Resolves with the execution when it has ended. */
  ended(execution: Execution): Promise<Execution>;
  execution(arn: string): Execution;
  checkpoint(request: CheckpointRequest, caller: Caller): CheckpointAnswer;
  state(arn: string, token: string | undefined, marker: string | undefined, most: number): StatePage;
  /** Completes a callback under the id it was asked for; the second completion is refused. */
  completeCallback(id: string, reference: CallbackReference, completion: Completion): void;
  heartbeat(id: string, reference: CallbackReference): void;
  /** Ends an execution in its current state: nothing is compensated, its children go on. */
  stop(arn: string, error: ErrorObject | undefined): Execution;
  /** Takes up what a killed process left. Call it once, after the functions are mounted. */
  resume(): void;
}

/** Parts of the simulator that the engine is built from. */
interface EngineOptions {
  readonly simulation: Simulation;
  readonly account: Account;
  readonly functions: Functions;
  readonly runner: Invocations;
  readonly hostTime: (ms: number) => number;
}

/** Builds the engine on the simulator's store; everything it knows is there. */
export function durableEngine(under: EngineOptions): Engine {
  const { simulation } = under;
  const executions = executionStore(simulation.store);
  const following = effects(simulation, (arn) => wake(arn));
  const life = lifecycle(simulation.clock, executions, following);
  const parts: EngineParts = { ...under, executions, effects: following, life };
  const wake = driver(parts);
  const starts = executionStarts(parts);
  const chained = chainedInvocations(parts, starts);
  const checkpoint = checkpoints(parts, chained);
  const execution = (arn: string): Execution => {
    const found = executions.get(arn);
    if (!found) throw new AwsError("ResourceNotFoundException", "Durable Execution does not exist", 404);
    return found;
  };
  return {
    executions,
    ...starts,
    execution,
    ended: (one) => (one.status === "RUNNING" ? following.ending(one.arn) : Promise.resolve(one)),
    checkpoint: (request, caller) => checkpoint(request, execution(request.arn), caller),
    state: (arn, token, marker, most) => {
      const found = execution(arn);
      if (found.token === null || found.token !== token) throw invalidToken();
      return statePage(found, executions.operations(found).values(), marker, most);
    },
    completeCallback: (id, reference, completion) => {
      const { owner, operation } = openCallback(parts, id, reference);
      life.complete(owner, operation, completion);
    },
    heartbeat: (id, reference) => {
      const { owner, operation } = openCallback(parts, id, reference);
      keepAlive(parts, owner, operation);
    },
    stop: (arn, error) => {
      const found = execution(arn);
      if (found.status === "RUNNING") life.finish(found, { status: "STOPPED", error: error ?? {} });
      return execution(arn);
    },
    resume: () => {
      for (const one of executions.all()) if (one.status === "RUNNING") revive(parts, one);
      for (const one of executions.all()) if (one.status === "RUNNING") chained.resume(one);
    },
  };
}

function openCallback({ simulation, executions }: EngineParts, id: string, reference: CallbackReference) {
  const owner = executions.get(reference.arn);
  const operation = owner && executions.operations(owner).get(reference.operation);
  const late = (due: number | undefined): boolean => due !== undefined && due <= simulation.clock.now();
  const open = owner?.status === "RUNNING" && operation?.status === "STARTED" && operation.callbackId === id;
  if (open && !late(operation.dueAt) && !late(operation.heartbeatDueAt)) return { owner, operation };
  const message = "The callback is either timed out or already completed";
  throw new AwsError("CallbackTimeoutException", message);
}

/** A heartbeat changes no history and invokes nothing, but the timer must be set again. */
function keepAlive(
  { simulation, executions, effects: following }: EngineParts,
  owner: Execution,
  operation: Operation,
): void {
  following.atomically(() => {
    executions.keep(owner, heardOf(operation, simulation.clock.now()));
    following.touch(owner.arn);
  });
}

/** An invocation that ran when the process was killed is made again, with what had been checkpointed. */
function revive({ simulation, executions, effects: following }: EngineParts, execution: Execution): void {
  following.atomically(() => {
    if (execution.invocation) {
      executions.put({ ...execution, invocation: null, token: null, invokeAt: simulation.clock.now() });
    }
    following.touch(execution.arn);
  });
}
