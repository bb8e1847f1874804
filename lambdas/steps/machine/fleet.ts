import {
  CancelCommandCommand,
  type CommandInvocation,
  InvalidInstanceId,
  paginateListCommandInvocations,
  SendCommandCommand,
} from "@aws-sdk/client-ssm";
import { MOST_MACHINES } from "../../machine/fleet-size.ts";
import type { ObserveRequest } from "../../machine/plan.ts";
import type { Answers } from "../../machine/questions.ts";
import { answersIn } from "../../machine/result-lines.ts";
import type { FailureCode } from "../../records/failures.ts";
import type { ChangeScript, DocumentScript, ObserveScript } from "../../scripts/documents.ts";
import type { StepContext } from "../context.ts";
import { type Lease, leases } from "../ledger/leases.ts";
import { codeOfCommand, isUnderWay } from "./command-status.ts";
import { documentOf, resultOf } from "./machine.ts";

/** Seconds in which the agents must begin: a command that starts later could find machines in another state. */
const BEGIN_WITHIN_SECONDS = 120;

interface FleetOrder {
  /** Unique per operation and batch, to find the command again if SSM's answer was lost. At most 100 characters. */
  readonly mark: string;
}

/** An observation of machines: it changes nothing and needs no lease. */
export interface FleetObservation extends FleetOrder {
  readonly script: ObserveScript;
  /** Passed as the document's one parameter, as JSON in base64. */
  readonly request: ObserveRequest;
}

/** A change of machines: the sender must hold a lease on each. */
export interface FleetChange extends FleetOrder {
  readonly script: ChangeScript;
  /** Passed as the document's one parameter, as JSON in base64. Never contains a secret. */
  readonly request: object;
}

/**
 * Outcome of sending. If SSM does not reach one machine it refuses the whole command, and usually names the machine.
 */
export type SendResult =
  | { readonly state: "sent"; readonly commandId: string }
  | {
      readonly state: "refused";
      readonly unreachable: readonly string[];
      readonly why: string;
      readonly code: FailureCode;
    };

/** Result of a command on one machine. */
export type InvocationVerdict =
  | { readonly instanceId: string; readonly state: "running"; readonly status: string }
  | {
      readonly instanceId: string;
      readonly state: "done";
      readonly result: object;
      /** Answers that observe.ps1 printed before its result, if the request asked for all of them. */
      readonly answers?: Answers;
    }
  | {
      readonly instanceId: string;
      readonly state: "failed";
      readonly why: string;
      readonly code: FailureCode;
      /** Was the command cancelled before it ended? */
      readonly isCalledOff?: true;
    };

/**
 * Separators that the agent writes into the output of listed invocations (amazon-ssm-agent, iohandler TruncateOutput).
 */
const ERRORS = "\n----------ERROR-------\n";
const CUT = "---Output truncated---";

/** Words for statuses that do not come from the script itself (SSM user guide, "Understanding command statuses"). */
const endings: Readonly<Record<string, string>> = {
  DeliveryTimedOut: "the SSM agent did not take the command in time",
  ExecutionTimedOut: "the script did not end in time",
  Undeliverable: "SSM could not deliver the command: the instance is gone, or its agent does not answer",
  Terminated: "SSM stopped the command after failures on other machines",
  AccessDenied: "SSM denies this command on the instance",
  InvalidPlatform: "SSM says that the instance does not run Windows",
  Cancelled: "the command was cancelled",
};

function failureOf(script: DocumentScript, { Status, StatusDetails }: CommandInvocation, output: string): string {
  const details = StatusDetails ?? Status ?? "Unknown";
  const [printed = "", errors = ""] = output.split(ERRORS);
  if (endings[details]) return `${script}.ps1: ${endings[details]} (${details})`;
  if (printed.includes(CUT)) return `${script}.ps1 printed more than SSM shows of each of many machines`;
  const words = (errors || printed).trim().slice(-300);
  const end = Status === "Success" ? "ended without its result line" : `ended as ${details}`;
  return `${script}.ps1 ${end}${words ? `: ${words}` : ""}`;
}

function codeOfInvocation({ Status, StatusDetails, CommandPlugins }: CommandInvocation, output: string): FailureCode {
  const [, errors = ""] = output.split(ERRORS);
  const exitCode = CommandPlugins?.[0]?.ResponseCode;
  return codeOfCommand({ status: StatusDetails ?? Status ?? "", exitCode, errors: errors || output });
}

/**
 * Judges one machine's invocation. SSM's status of the whole command does not tell how one machine ended.
 * @param invocation undefined while SSM's list does not show it yet
 */
export function verdictOf(
  script: DocumentScript,
  instanceId: string,
  invocation: CommandInvocation | undefined,
): InvocationVerdict {
  if (!invocation) return { instanceId, state: "running", status: "Pending" };
  if (isUnderWay(invocation.Status ?? ""))
    return { instanceId, state: "running", status: invocation.StatusDetails ?? invocation.Status ?? "" };
  const output = (invocation.CommandPlugins ?? []).map(({ Output = "" }) => Output).join("\n");
  const [printed = ""] = output.split(ERRORS);
  const result = resultOf(printed, script);
  // A script that failed prints the reason, which is better than SSM's status.
  if (result) {
    const answers = answersIn(printed);
    return { instanceId, state: "done", result, ...(answers ? { answers } : {}) };
  }
  const why = failureOf(script, invocation, output);
  if (invocation.Status === "Cancelled")
    return { instanceId, state: "failed", why, code: "command-cancelled", isCalledOff: true };
  return { instanceId, state: "failed", why, code: codeOfInvocation(invocation, output) };
}

const request = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64");

/** Sends commands to many machines together, by explicit instance ids. */
export const fleet = (context: StepContext) => {
  const { ssm } = context.clients;
  const lease = leases(context);

  const send = async (instanceIds: readonly string[], order: FleetObservation | FleetChange): Promise<SendResult> => {
    try {
      const { Command } = await ssm.send(
        new SendCommandCommand({
          ...documentOf(context.settings, order.script),
          InstanceIds: [...instanceIds],
          Parameters: { Request: [request(order.request)] },
          Comment: order.mark,
          TimeoutSeconds: BEGIN_WITHIN_SECONDS,
          // By default the first failure ends the whole command; one machine's failure must not end the others' work.
          MaxErrors: "100%",
          // All machines start together: a machine that waits for its turn could miss its time to begin.
          MaxConcurrency: String(MOST_MACHINES),
        }),
      );
      if (!Command?.CommandId) throw new Error("SSM answered SendCommand without a command id");
      return { state: "sent", commandId: Command.CommandId };
    } catch (error) {
      if (!(error instanceof InvalidInstanceId)) throw error;
      const unreachable = instanceIds.filter((id) => error.message.includes(id));
      const why = "SSM does not reach the instance: its agent is not registered";
      return { state: "refused", unreachable, why, code: "command-undelivered" };
    }
  };

  return {
    /**
     * Sends an observation to up to 50 machines; it needs no lease. SendCommand has no idempotency token: send it at
     * most once, and search for the mark if the answer was lost.
     */
    observe: (instanceIds: readonly string[], order: FleetObservation): Promise<SendResult> => send(instanceIds, order),

    /**
     * Sends a change to up to 50 machines, each under its own lease. As with `look`, send it at most once.
     * @throws Refused if a lease is no longer held; nothing was sent then
     */
    change: async (held: readonly Lease[], order: FleetChange): Promise<SendResult> => {
      for (const one of held) await lease.check(one);
      return send(
        held.map(({ instanceId }) => instanceId),
        order,
      );
    },

    /**
     * Reads a command's invocations page by page and judges each machine's; a machine that SSM does not list has not
     * begun.
     */
    verdicts: async (
      script: DocumentScript,
      commandId: string,
      instanceIds: readonly string[],
    ): Promise<readonly InvocationVerdict[]> => {
      const known = new Map<string, CommandInvocation>();
      const pages = paginateListCommandInvocations(
        { client: ssm, pageSize: MOST_MACHINES },
        { CommandId: commandId, Details: true },
      );
      for await (const page of pages)
        for (const one of page.CommandInvocations ?? []) known.set(one.InstanceId ?? "", one);
      return instanceIds.map((id) => verdictOf(script, id, known.get(id)));
    },

    /** Asks the agents to stop a command; its changes so far remain. */
    cancel: async (commandId: string, instanceIds: readonly string[]): Promise<void> => {
      await ssm.send(new CancelCommandCommand({ CommandId: commandId, InstanceIds: [...instanceIds] }));
    },
  };
};
