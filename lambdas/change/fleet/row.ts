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
  /** Reason why it is not changed, in words; missing or null where it is. */
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
  /** "untouched": it may not be changed; "cancelled": the operation was cancelled before; "failed": it may be changed in part. */
  | ({ readonly state: "untouched" | "cancelled" | "failed" } & FailureReason);

/** Names of the steps in which some machines are changed. Those of later chunks have a number behind them. */
export interface RoundNames {
  readonly plan: string;
  readonly send: string;
  readonly settle: string;
}

/**
 * Makes the request to machines of one group, at most 50; belongs into a step. Whatever the ledger must know of the machines
 * before they are changed is written here: nothing is sent before this step has ended.
 * @param name unique within the operation
 */
export type Planner<M extends FleetMachine> = (members: readonly Member<M>[], name: string) => Promise<object>;

/** Way in which machines are changed and looked at afterwards. */
export interface SendPlan<M extends FleetMachine> {
  readonly script: ChangeScript;
  /** Minutes that a batch may take. */
  readonly minutes: number;
  readonly plan: Planner<M>;
  /** Machines with an equal key get the same request; by default all do. */
  readonly groupOf?: (machine: M) => string;
  /** Reads the result line of the script. */
  readonly read: (result: object) => LineReading<true>;
  /** Judges an observation of every machine that was changed; by default the script's own result is enough. */
  readonly verify?: (observation: object) => LineReading<true>;
}

/** The one machine that is changed first; the others are changed only when it works. */
export interface Trial<M extends FleetMachine> {
  readonly names: RoundNames;
  /** @returns a remark on the proof, null where there is nothing to say; @throws with the reason when it does not work */
  readonly prove: (first: Member<M>) => Promise<string | null>;
  /** Makes the request that gives back what was there before; by default the first machine keeps what it has. */
  readonly undo?: Planner<M>;
  /** Keeps the same change from other machines for a while. Belongs into a step. @param at where the first machine failed */
  readonly block: (first: Member<M>, at: "change" | "proof") => Promise<void>;
}

/** One kind of change of many machines. All that differs between two kinds is here. */
export interface FleetRow<M extends FleetMachine> {
  readonly workflow: NodeWorkflow;
  readonly stage: StageName;
  /** Name of the step that takes the leases. */
  readonly claim: string;
  /** Leaves out what this operation must not even list, and opens it if it is not open yet. */
  readonly choose?: (machines: readonly M[]) => Promise<readonly M[]>;
  /** Outcome of a machine that another operation has leased. */
  readonly onHeld: (why: string) => Outcome;
  /** Tells people, or ends the operation, once every machine was claimed. @param count machines that the operation holds */
  readonly onClaimed: (count: number) => Promise<PublishedMessage | null>;
  /** Reads what sending needs. */
  readonly sending: () => Promise<SendPlan<M>>;
  /** By default all machines are changed at once. */
  readonly trial?: Trial<M>;
  readonly rest: RoundNames;
  /** Writes down what a machine has now. Belongs into a step. */
  readonly onChanged?: (member: Member<M>) => Promise<void>;
  /** Finds members whose Nodes were deleted meanwhile, by their UIDs; by default nobody asks. */
  readonly deleted?: (members: readonly Member<M>[]) => Promise<ReadonlySet<string>>;
  /** Entry of the audit for each machine; `succeeded` is its word for a machine that was changed. */
  readonly audit: { readonly succeeded: string; readonly detail: { readonly [name: string]: Json } };
  readonly endOf: (outcome: Outcome, isDeleted: boolean) => NodeChange;
}
