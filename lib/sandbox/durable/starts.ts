import { AwsError } from "../core/aws-service.ts";
import type { Simulation } from "../core/simulation.ts";
import { type Account, executionArn } from "./arn.ts";
import type { Effects } from "./effects.ts";
import type { ExecutionStore } from "./execution-store.ts";
import type { Target } from "./functions.ts";
import { RETENTION_DAYS } from "./limits.ts";
import type { Execution, Parent } from "./model.ts";

/** An execution to be started. */
interface StartRequest {
  readonly target: Target;
  /** The execution's name; without one each start is a new execution. */
  readonly name?: string;
  /** JSON text. */
  readonly input: string;
  /** Largest result in bytes. */
  readonly resultLimit: number;
  /** Milliseconds until the first invocation. */
  readonly delayMs: number;
  readonly parent?: Parent;
}

/** Starts executions. */
export interface Starts {
  /**
   * A new execution, or the one that was started under this name with the same version and payload, even if it is over.
   * AWS documentation, "Idempotency" of durable functions.
   * @throws AwsError DurableExecutionAlreadyStartedException when payload or version differ
   */
  open(request: StartRequest): Execution;
}

const DAY_MS = 86_400_000;

type Parts = {
  readonly simulation: Simulation;
  readonly account: Account;
  readonly executions: ExecutionStore;
  readonly effects: Effects;
};

/** Builds the starting of executions. */
export function executionStarts({ simulation, account, executions, effects }: Parts): Starts {
  const namesake = ({ name, target }: StartRequest): Execution | undefined => {
    if (name === undefined) return undefined;
    const found = executions.named(target.function.name, name);
    if (!found || !isForgotten(found, simulation.clock.now())) return found;
    executions.forget(found);
    return undefined;
  };
  const begin = (request: StartRequest): Execution =>
    effects.atomically(() => {
      const execution = fresh(request, account, simulation);
      executions.open(execution);
      effects.tell(execution);
      effects.touch(execution.arn);
      return execution;
    });
  return {
    open: (request) => {
      const earlier = namesake(request);
      if (!earlier) return begin(request);
      if (earlier.input === request.input && earlier.version === request.target.version) return earlier;
      throw new AwsError("DurableExecutionAlreadyStartedException", `Execution already started: ${earlier.arn}`, 409);
    },
  };
}

const isForgotten = ({ endedAt }: Execution, now: number): boolean =>
  endedAt !== null && endedAt + RETENTION_DAYS * DAY_MS <= now;

function fresh(request: StartRequest, account: Account, { clock, random }: Simulation): Execution {
  const id = random.uuid();
  const name = request.name ?? random.uuid();
  const { function: called, version, arn: startedBy } = request.target;
  return {
    arn: executionArn(account, called.name, version, name, id),
    id,
    name,
    functionName: called.name,
    version,
    startedBy,
    input: request.input,
    startedAt: clock.now(),
    timeoutSeconds: called.settings.executionTimeoutSeconds ?? 0,
    resultLimit: request.resultLimit,
    parent: request.parent ?? null,
    status: "RUNNING",
    endedAt: null,
    result: null,
    error: null,
    token: null,
    invocation: null,
    invokeAt: clock.now() + request.delayMs,
    failures: 0,
    unseen: [],
    lastCheckpoint: null,
    operationCount: 0,
    bytesWritten: 0,
    eventCount: 0,
  };
}
