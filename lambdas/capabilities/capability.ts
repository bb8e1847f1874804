import type { Account } from "../cluster/accounts.ts";
import type { Command, ScheduledOperation } from "./command.ts";

/** Words for a stage: its name as a noun, and the work that goes on in it. */
interface StageWords {
  readonly name: string;
  readonly doing: string;
}

/** A stage of a workflow on a node, as everybody but the workflow itself needs it. */
export interface StageRow {
  readonly name: string;
  readonly words: StageWords;
  /** Default of its deadline, `deadlines.<workflow>.<stage>`. */
  readonly minutes: number;
  /** A cancellation is heard up to the first stage that is not cancellable; from there on the node is finished. */
  readonly cancellable: boolean;
}

/** A durable function. */
export interface WorkflowRow<Workflow extends string = string> {
  /** Hours that one execution may take, waits for people included. */
  readonly hours: number;
  /** The service account by which it asks the cluster, and so the secret that it reads. */
  readonly account: Account;
  /** Durable functions that it starts itself. */
  readonly starts?: readonly Workflow[];
  /** The doctor, in `look`, has it try its own rights: set where a function changes something in the account. */
  readonly triesItsRights?: true;
}

interface Tick {
  /** End of the rule's name, behind the cluster's. */
  readonly name: string;
  /** Interval, as EventBridge writes it in rate(…). */
  readonly every: `${number} minutes` | "1 hour";
}

/** A schedule whose ticks start a durable function. */
export interface StartingSchedule<Workflow extends string = string> extends Tick {
  readonly starts: Workflow;
  /** Input of the execution, beside the tick. */
  readonly input?: Readonly<Record<string, string>>;
  /** Sentence about a tick, for the log. */
  readonly logs: string;
}

/** A schedule whose ticks the event handler answers itself. */
export interface OwnTick extends Tick {
  readonly starts?: never;
}

/** A schedule: a rule of EventBridge, and what its ticks do. */
export type Schedule<Workflow extends string = string> = StartingSchedule<Workflow> | OwnTick;

/** Everything of a capability that is data; the front door bundles it, so that it imports no code of others. */
export interface Capability<Workflow extends string = string> {
  /** Name of its folder, in which each of its functions has a file of the function's name. */
  readonly name: string;
  readonly commands?: readonly Command<string, Workflow>[];
  /** Operation that a schedule requests, and no person. */
  readonly scheduled?: ScheduledOperation;
  readonly workflows?: Readonly<Record<string, WorkflowRow<Workflow>>>;
  readonly schedules?: readonly Schedule<Workflow>[];
  /** Stages by workflow on a node, in their order. */
  readonly stages?: Readonly<Record<string, readonly StageRow[]>>;
  /** Waits that belong to no stage, by workflow on a node, with their default in minutes; `deadlines.<workflow>.<wait>`. */
  readonly waits?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}
