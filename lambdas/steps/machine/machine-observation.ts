import {
  GetCommandInvocationCommand,
  InvalidInstanceId,
  InvocationDoesNotExist,
  SendCommandCommand,
} from "@aws-sdk/client-ssm";
import { Retryable } from "../../errors.ts";
import type { Answers, ObservationVerdict, Questions, QuestionsRequest } from "../../machine/questions.ts";
import { answersIn } from "../../machine/result-lines.ts";
import type { StepContext } from "../context.ts";
import { isUnderWay } from "./command-status.ts";
import { documentOf, resultOf } from "./machine.ts";

/** Seconds in which the agent must begin, because a person waits for the answer. */
const BEGIN_WITHIN_SECONDS = 60;

/** State of an observation. `isTaken`: the agent has begun it. */
export type ObservationState =
  | { readonly state: "running"; readonly isTaken: boolean }
  | { readonly state: "answered"; readonly verdict: ObservationVerdict; readonly answers: Answers }
  | { readonly state: "failed"; readonly why: string; readonly isTaken: boolean };

/** Statuses of a command that never reached its agent (SSM user guide, "Understanding command statuses"). */
const UNDELIVERED = new Set(["DeliveryTimedOut", "Undeliverable"]);

const isVerdict = (result: object | undefined): result is ObservationVerdict => result !== undefined;

interface Invocation {
  readonly Status?: string | undefined;
  readonly StatusDetails?: string | undefined;
  readonly StandardOutputContent?: string | undefined;
  readonly StandardErrorContent?: string | undefined;
}

/** Judges the invocation of an observation. */
export function observationStateOf({ Status = "", StatusDetails, ...output }: Invocation): ObservationState {
  const { StandardOutputContent: printed = "", StandardErrorContent: errors = "" } = output;
  if (isUnderWay(Status)) return { state: "running", isTaken: Status !== "Pending" && Status !== "Delayed" };
  const details = (StatusDetails ?? Status).replaceAll(" ", "");
  if (UNDELIVERED.has(details)) return { state: "failed", why: "its agent did not take the command", isTaken: false };
  const verdict = resultOf(printed, "observe");
  const answers = answersIn(printed);
  if (isVerdict(verdict) && verdict.ok && answers) return { state: "answered", verdict, answers };
  if (isVerdict(verdict) && verdict.ok)
    return { state: "failed", why: "observe.ps1 printed answers that cannot be read", isTaken: true };
  const said = isVerdict(verdict) ? (verdict.error ?? "") : (errors || printed).trim().slice(-300);
  return { state: "failed", why: said || `observe.ps1 ended as ${details}`, isTaken: true };
}

/** Observes one machine by single questions; it changes nothing and needs no lease. */
export const machineObservation = (context: StepContext) => {
  const { ssm } = context.clients;
  return {
    /**
     * Sends the questions. Sending them twice only makes the machine answer twice.
     * @param mark the command's comment, by which people recognise it in SSM; at most 100 characters
     * @returns the command's id
     * @throws Retryable while the agent is not registered
     */
    ask: async (instanceId: string, questions: Questions, mark: string): Promise<string> => {
      const request: QuestionsRequest = { questions, whole: true };
      try {
        const { Command } = await ssm.send(
          new SendCommandCommand({
            ...documentOf(context.settings, "observe"),
            InstanceIds: [instanceId],
            Parameters: { Request: [Buffer.from(JSON.stringify(request)).toString("base64")] },
            Comment: mark,
            TimeoutSeconds: BEGIN_WITHIN_SECONDS,
          }),
        );
        if (!Command?.CommandId) throw new Error("SSM answered SendCommand without a command id");
        return Command.CommandId;
      } catch (error) {
        if (error instanceof InvalidInstanceId)
          throw new Retryable(`SSM does not reach ${instanceId}: ${error.message}`, { cause: error });
        throw error;
      }
    },

    /** Reads the answer, as far as it has arrived. */
    answer: async (commandId: string, instanceId: string): Promise<ObservationState> => {
      try {
        return observationStateOf(
          await ssm.send(new GetCommandInvocationCommand({ CommandId: commandId, InstanceId: instanceId })),
        );
      } catch (error) {
        if (error instanceof InvocationDoesNotExist) return { state: "running", isTaken: false };
        throw error;
      }
    },
  };
};
