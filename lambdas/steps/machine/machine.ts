import { createHash } from "node:crypto";
import { PutObjectCommand } from "@aws-sdk/client-s3";
import {
  CancelCommandCommand,
  DescribeInstanceInformationCommand,
  GetCommandInvocationCommand,
  type GetCommandInvocationCommandOutput,
  type InstanceInformation,
  InvalidInstanceId,
  InvocationDoesNotExist,
  paginateDescribeInstanceInformation,
  paginateListCommands,
  SendCommandCommand,
} from "@aws-sdk/client-ssm";
import { Retryable } from "../../errors.ts";
import type { AgentReport } from "../../health/agent-silence.ts";
import type { ApplyRequest, MachinePlan } from "../../machine/plan.ts";
import { parseResult } from "../../machine/result-lines.ts";
import type { FailureCode } from "../../records/failures.ts";
import { type DocumentScript, documentLimits, documentName } from "../../scripts/documents.ts";
import type { StepContext } from "../context.ts";
import { type Lease, leases } from "../ledger/leases.ts";
import { codeOfCommand, isUnderWay } from "./command-status.ts";

/** A command to one machine. */
export interface Order {
  readonly script: DocumentScript;
  /** Passed as the document's one parameter, as JSON in base64. Never contains a secret. */
  readonly request: object;
  /**
   * Unique per operation, node and purpose, to find the command again if SSM's answer was lost. At most 100 characters.
   */
  readonly mark: string;
}

/** State of a command on its machine. */
export type CommandState =
  | { readonly state: "running"; readonly status: string }
  | { readonly state: "done"; readonly result: unknown }
  | { readonly state: "failed"; readonly why: string; readonly code: FailureCode };

/** The agent's own report to Systems Manager. */
export interface Agent extends AgentReport {
  readonly version: string | null;
}

/** Seconds in which the agent must begin: a command that starts later could find the machine in another state. */
const BEGIN_WITHIN_SECONDS = 120;

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64");

/**
 * Parses the last line, which must have the form of the script's result. Output that SSM truncated is never taken as an
 * answer.
 * @returns undefined if it has another form
 */
export function resultOf(output: string, script: DocumentScript): object | undefined {
  const last = output.trimEnd().split(/\r?\n/).at(-1) ?? "";
  try {
    return parseResult(script, JSON.parse(last));
  } catch {
    return undefined;
  }
}

/**
 * Marker that the agent writes where it cuts the output that SSM keeps (amazon-ssm-agent, iohandler's
 * DefaultOutputConfig).
 */
const CUT = "--output truncated--";

/** Describes the end of a command that printed no result. */
function endingOf(script: DocumentScript, status: string, invocation: GetCommandInvocationCommandOutput): string {
  if (invocation.Status !== "Success")
    return `${script}.ps1 ended as ${status} (exit code ${invocation.ResponseCode ?? "unknown"})`;
  const cut = invocation.StandardOutputContent?.includes(CUT);
  return cut ? `${script}.ps1 printed more than SSM keeps` : `${script}.ps1 ended without its result line`;
}

function stateOf(script: DocumentScript, invocation: GetCommandInvocationCommandOutput): CommandState {
  const status = invocation.StatusDetails ?? invocation.Status ?? "Unknown";
  if (isUnderWay(invocation.Status ?? "")) return { state: "running", status };
  const result = resultOf(invocation.StandardOutputContent ?? "", script);
  if (result) return { state: "done", result };
  const { StandardErrorContent: errors = "", ResponseCode: exitCode } = invocation;
  const words = (errors || invocation.StandardOutputContent || "").trim().slice(-600);
  const code = codeOfCommand({ status, exitCode, errors });
  return { state: "failed", why: `${endingOf(script, status, invocation)}${words ? `: ${words}` : ""}`, code };
}

const agentOf = (found: InstanceInformation | undefined): Agent => ({
  online: found?.PingStatus === "Online",
  lastPingAt: found?.LastPingDateTime?.toISOString() ?? null,
  version: found?.AgentVersion ?? null,
});

/** Reads the agents of the machines, as Systems Manager reports them. */
const agents = ({ clients: { ssm } }: StepContext) => ({
  /** Reads an instance's agent. "Online" may be five minutes old; only a command proves it. */
  agent: async (instanceId: string): Promise<Agent> => {
    const { InstanceInformationList } = await ssm.send(
      new DescribeInstanceInformationCommand({ Filters: [{ Key: "InstanceIds", Values: [instanceId] }] }),
    );
    return agentOf(InstanceInformationList?.[0]);
  },

  /** Every agent that has ever registered, by instance id. */
  agents: async (): Promise<ReadonlyMap<string, Agent>> => {
    const known = new Map<string, Agent>();
    for await (const page of paginateDescribeInstanceInformation({ client: ssm, pageSize: 50 }, {}))
      for (const one of page.InstanceInformationList ?? []) known.set(one.InstanceId ?? "", agentOf(one));
    return known;
  },
});

/** Reads and cancels the commands that were sent to a machine. */
const commands = ({ clients: { ssm } }: StepContext) => ({
  /** The id of the command with this mark; null if no such command was sent. */
  sent: async (instanceId: string, mark: string): Promise<string | null> => {
    for await (const page of paginateListCommands({ client: ssm, pageSize: 50 }, { InstanceId: instanceId })) {
      const found = (page.Commands ?? []).find((command) => command.Comment === mark);
      if (found?.CommandId) return found.CommandId;
    }
    return null;
  },

  /** Reads the invocation, never the command: SSM may call a command a success although nothing ran. */
  commandState: async (script: DocumentScript, commandId: string, instanceId: string): Promise<CommandState> => {
    const invocation = new GetCommandInvocationCommand({ CommandId: commandId, InstanceId: instanceId });
    try {
      return stateOf(script, await ssm.send(invocation));
    } catch (error) {
      if (error instanceof InvocationDoesNotExist) return { state: "running", status: "Pending" };
      throw error;
    }
  },

  /** Asks the agent to stop a command; its changes so far remain. */
  cancelCommand: async (commandId: string, instanceId: string): Promise<void> => {
    await ssm.send(new CancelCommandCommand({ CommandId: commandId, InstanceIds: [instanceId] }));
  },
});

/**
 * The one document that may be sent for a script. The document's name contains only the beginning of its hash, so
 * another document may have the same name (API reference, SendCommand: SSM compares DocumentHash with the document's
 * content).
 */
export function documentOf({ cluster, documents }: StepContext["settings"], script: DocumentScript) {
  const sha256 = documents[script];
  if (!sha256) throw new Error(`the settings name no document for ${script}.ps1`);
  return {
    DocumentName: documentName(cluster, script, sha256),
    DocumentVersion: "1",
    DocumentHash: sha256,
    DocumentHashType: "Sha256",
  } as const;
}

/** Changes a Windows machine, only through its SSM agent. */
export const machine = (context: StepContext) => {
  const { ssm, s3 } = context.clients;
  const lease = leases(context);

  return {
    ...agents(context),
    ...commands(context),

    /**
     * Builds the request of a plan. A plan that is too large for a parameter is stored where the machine can read it.
     */
    requestFor: async (plan: MachinePlan, key: string): Promise<ApplyRequest> => {
      if (base64({ plan }).length <= documentLimits.apply.maxRequest) return { plan };
      const text = JSON.stringify(plan);
      const { bucket } = context.settings;
      const { VersionId } = await s3.send(
        new PutObjectCommand({ Bucket: bucket, Key: key, Body: text, ContentType: "application/json" }),
      );
      if (!VersionId) throw new Error(`the bucket ${bucket} keeps no versions`);
      return { bucket, key, version: VersionId, sha256: createHash("sha256").update(text).digest("hex") };
    },

    /**
     * Sends a command. SendCommand has no idempotency token: send it at most once, and search for the mark if the
     * answer was lost.
     * @throws Refused if the operation no longer holds the lease; Retryable while the agent is not registered
     */
    send: async (held: Lease, order: Order): Promise<string> => {
      await lease.check(held);
      try {
        const { Command } = await ssm.send(
          new SendCommandCommand({
            ...documentOf(context.settings, order.script),
            InstanceIds: [held.instanceId],
            Parameters: { Request: [base64(order.request)] },
            Comment: order.mark,
            TimeoutSeconds: BEGIN_WITHIN_SECONDS,
          }),
        );
        if (!Command?.CommandId) throw new Error("SSM answered SendCommand without a command id");
        return Command.CommandId;
      } catch (error) {
        if (error instanceof InvalidInstanceId)
          throw new Retryable(`SSM does not reach ${held.instanceId}: ${error.message}`, { cause: error });
        throw error;
      }
    },
  };
};
