import type { Account } from "../cluster/accounts.ts";
import type { Command, ScheduledOperation } from "./command.ts";

/** Words for a stage: its name as a noun, and its work in progress. */
interface StageWords {
  readonly name: string;
  readonly doing: string;
}

/** Data of a stage of a workflow on a node; the workflow adds the code. */
export interface StageRow {
  readonly name: string;
  readonly words: StageWords;
  /** Default of its deadline, `deadlines.<workflow>.<stage>`. */
  readonly minutes: number;
  /**
   * Before the first stage that is not cancellable, a cancellation stops the work; from there on, the node is finished.
   */
  readonly cancellable: boolean;
}

/** A durable function. */
export interface WorkflowRow<Workflow extends string = string> {
  /** Hours that one execution may take, including waits for people. */
  readonly hours: number;
  /** Service account that it uses in the cluster, which decides the secret that it reads. */
  readonly account: Account;
  /** Durable functions that it starts itself. */
  readonly starts?: readonly Workflow[];
  /** The doctor invokes the function to try its own rights; set if it changes something in the account. */
  readonly triesItsRights?: true;
}

interface Tick {
  /** End of the rule's name, after the cluster's name. */
  readonly name: string;
  /** Interval, as EventBridge writes it in rate(…). */
  readonly every: `${number} minutes` | "1 hour";
}

/** A schedule whose ticks start a durable function. */
export interface StartingSchedule<Workflow extends string = string> extends Tick {
  readonly starts: Workflow;
  /** Input of the execution, beside the tick. */
  readonly input?: Readonly<Record<string, string>>;
  /** Sentence that the log gets at each tick. */
  readonly logs: string;
}

/** A schedule whose ticks the event handler handles itself. */
export interface OwnTick extends Tick {
  readonly starts?: never;
}

/** A schedule: an EventBridge rule and the work of its ticks. */
export type Schedule<Workflow extends string = string> = StartingSchedule<Workflow> | OwnTick;

/** Data of a capability. The front door bundles it without the capability's code. */
export interface Capability<Workflow extends string = string> {
  /** Name of its folder, in which each of its functions has a file of the function's name. */
  readonly name: string;
  readonly commands?: readonly Command<string, Workflow>[];
  /** Operation that only a schedule requests. */
  readonly scheduled?: ScheduledOperation;
  readonly workflows?: Readonly<Record<string, WorkflowRow<Workflow>>>;
  readonly schedules?: readonly Schedule<Workflow>[];
  /** Stages in their order, by workflow on a node. */
  readonly stages?: Readonly<Record<string, readonly StageRow[]>>;
  /** Waits that belong to no stage, by workflow on a node, with their default in minutes; `deadlines.<workflow>.<wait>`. */
  readonly waits?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}
