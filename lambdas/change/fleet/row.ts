import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Json } from "../../audit/canonical.ts";
import type { LineReading } from "../../engine/fleet-batch.ts";
import type { FailureReason } from "../../records/failures.ts";
import type { PublishedMessage } from "../../records/records.ts";
import type { ChangeScript } from "../../scripts/documents.ts";
import type { NodeWorkflow, StageName } from "../../stages.ts";
import type { Lease } from "../../steps/ledger/leases.ts";
import type { NodeChange } from "../../steps/ledger/ledger.ts";
import type { Steps } from "../../steps/steps.ts";

/** An operation that changes many machines in one execution. */
export interface FleetOperation {
  readonly ctx: DurableContext;
  readonly steps: Steps;
  readonly operation: string;
}

/** Machine of a node that may be changed. */
export interface FleetMachine {
  /** Name of its Node. */
  readonly name: string;
  /** UID of its Node: a namesake with another one is another node. */
  readonly uid: string;
  readonly instanceId: string | null;
  /** Reason why it must not be changed, in words; missing or null if it may be. */
  readonly refusal?: string | null;
}

/** A machine whose lease the operation holds. */
export type Member<M extends FleetMachine = FleetMachine> = M & {
  readonly index: number;
  readonly instanceId: string;
  readonly lease: Lease;
};

/** End of the work on one machine. */
export type Outcome =
  | { readonly state: "changed" }
  /**
   * "untouched": must not be changed; "cancelled": the operation was cancelled first; "failed": may be partly changed.
   */
  | ({ readonly state: "untouched" | "cancelled" | "failed" } & FailureReason);

/** Names of the steps that change one set of machines; later chunks add a number. */
export interface RoundNames {
  readonly plan: string;
  readonly send: string;
  readonly settle: string;
}

/**
 * Makes the request to at most 50 machines of one group; belongs into a step. It also records what the ledger must know
 * before the machines are changed: the command is sent only after this step has ended.
 * @param name unique within the operation
 */
export type Planner<M extends FleetMachine> = (members: readonly Member<M>[], name: string) => Promise<object>;

/** The way to change machines and to verify them afterwards. */
export interface SendPlan<M extends FleetMachine> {
  readonly script: ChangeScript;
  /** Minutes that a batch may take. */
  readonly minutes: number;
  readonly plan: Planner<M>;
  /** Machines with an equal key get the same request; by default all machines do. */
  readonly groupOf?: (machine: M) => string;
  /** Reads the result line of the script. */
  readonly read: (result: object) => LineReading<true>;
  /** Judges an observation of each changed machine; by default only the script's own result is read. */
  readonly verify?: (observation: object) => LineReading<true>;
}

/** Names of the steps that change the first machine, and that restore it. */
export interface TrialNames extends RoundNames {
  readonly undo: string;
}

/** Trial on one machine; the others are changed only if it works. */
export interface Trial<M extends FleetMachine> {
  readonly names: TrialNames;
  /**
   * Proves that the first machine works. @returns a remark for people, or null; @throws Error with the reason if it
   * does not work
   */
  readonly prove: (first: Member<M>) => Promise<string | null>;
  /** Makes the request that restores the state before; by default the first machine keeps the new state. */
  readonly undo?: Planner<M>;
  /**
   * Blocks the same change on other machines for a while. Belongs into a step. @param at the part in which the first
   * machine failed
   */
  readonly block: (first: Member<M>, at: "change" | "proof") => Promise<void>;
}

/** One kind of change of many machines, with everything in which two kinds differ. */
export interface FleetRow<M extends FleetMachine> {
  readonly workflow: NodeWorkflow;
  readonly stage: StageName;
  /** Name of the step that takes the leases. */
  readonly claim: string;
  /** Index of the first node's record; by default 0. An operation with several rows has records of each. */
  readonly firstIndex?: number;
  /** Removes machines that the operation must not list, and opens the operation if it is not open yet. */
  readonly choose?: (machines: readonly M[]) => Promise<readonly M[]>;
  /** Outcome of a machine that another operation has leased. */
  readonly onHeld: (why: string) => Outcome;
  /**
   * Posts the message, or ends the operation, after all machines were claimed. @param count machines that the operation
   * holds
   */
  readonly onClaimed: (count: number) => Promise<PublishedMessage | null>;
  /** Reads what sending needs. */
  readonly sending: () => Promise<SendPlan<M>>;
  /** By default all machines are changed together. */
  readonly trial?: Trial<M>;
  /**
   * Is another change wanted by the time at which the first machine works? Then the rest is left to that one. Belongs into a
   * step.
   */
  readonly isOutdated?: () => Promise<boolean>;
  readonly rest: RoundNames;
  /** Records the new state of a machine. Belongs into a step. */
  readonly onChanged?: (member: Member<M>) => Promise<void>;
  /** Finds members whose Nodes were deleted since the claim, by their UIDs; by default none is checked. */
  readonly deleted?: (members: readonly Member<M>[]) => Promise<ReadonlySet<string>>;
  /** Audit entry of each machine; `succeeded` is its outcome for a machine that was changed. */
  readonly audit: { readonly succeeded: string; readonly detail: { readonly [name: string]: Json } };
  readonly endOf: (outcome: Outcome, isDeleted: boolean) => NodeChange;
}
