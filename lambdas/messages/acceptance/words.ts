import type { OperationRecord } from "../../records/records.ts";

/** Facts of a run that its sentences name. */
export interface RunWords {
  readonly id: string;
  readonly pool: string;
  readonly cluster: string;
  readonly windows: string;
  readonly instanceType: string;
  /** Slack user in whose name commands are sent; null where a person types them. */
  readonly user: string | null;
}

/** Reason by which the operations of a run are found again; it is part of the audit. */
export const reasonText = (run: string): string => `acceptance ${run}`;

/**
 * The same, of a command that the terminal sends in a person's name.
 * @param identity ARN of the AWS identity of the terminal, which any name of a terminal may hide
 */
export const sentReason = (run: string, terminal: string, identity: string): string =>
  `${reasonText(run)}, sent from the terminal of ${terminal.replaceAll(/[^\w.@ -]/g, "")} by ${identity.replaceAll(/[^\w.@:/+=, -]/g, "")}`;

/** Announces what a run will do, for the question whether to begin. */
export const acceptancePlan = (
  { id, pool, cluster, windows, instanceType, user }: RunWords,
  waitMinutes: number,
): string => `
Acceptance run ${id} on ${cluster}, pool ${pool}:

  1. adds one node (Windows Server ${windows}, ${instanceType})
  2. pulls images on it, as the cluster's mirrors lead it
  3. takes the machine's route to the metadata service away, by AWS-RunPowerShellScript with the rights of this terminal;
     the guard must put it back
  4. reboots the node and proves it
  5. removes the node, and checks that nothing is left

It takes about 40 minutes, plus the time in which people answer. The machine costs about what an hour of ${instanceType} with Windows costs
(0.40 US dollars for m6i.xlarge). No other node is changed.
${
  user === null
    ? "A person types three commands in the channel; this terminal says which."
    : `The node is added and rebooted in the name of ${user}; the reason says that a terminal sent it, and with which AWS identity. The removal is typed by a person.`
}
Approvals that the policy asks for are waited for, up to ${waitMinutes} minutes each.
`;

/** The question after the plan. */
export const QUESTION = "Type yes to begin: ";

/** Asks a person to type a command. */
export const typeInTerminal = (command: string, channel: string, isDialog: boolean): string =>
  `Type in the channel ${channel}:\n\n    ${command}\n${isDialog ? "\nThen confirm in the dialog.\n" : ""}`;

/** Says that an operation waits for its approval. */
export const awaitsApproval = (
  { id, approval }: Pick<OperationRecord, "id" | "approval">,
  command: string,
  minutes: number,
): string =>
  `${id} waits for ${approval?.needs ?? 1} approval${approval?.needs === 1 ? "" : "s"} of ${(approval?.roles ?? []).join(" or ") || "an approver"}: press Approve in its message, or type ${command} approve ${id}. It is waited for up to ${minutes} minutes.`;

/** An operation that a person did not answer in time. */
export const unanswered = (id: string, minutes: number, command: string): string =>
  `${id} has waited ${minutes} minutes for a person: nothing was changed. ${command} cancel ${id} ends it.`;

/** An operation that ended otherwise than wanted. */
export const endedBadly = ({ id, status, summary }: Pick<OperationRecord, "id" | "status" | "summary">): string =>
  `${id} ended as ${status}: ${summary || "its message in Slack says why"}`;

/** An operation that did not end in time. */
export const tooLong = (id: string, minutes: number): string =>
  `${id} has not ended within ${minutes} minutes; it goes on, and its message in Slack shows how far it is`;

/** State that a run leaves at its end. */
export interface Leftovers {
  readonly instanceId: string | null;
  readonly nodeName: string | null;
  readonly operation: string | null;
  /** Words of the command line that name the same deployment. */
  readonly flags: string;
}

/** Names what is left, the command that continues, and the one that removes it. */
export function leftBehind({ instanceId, nodeName, operation, flags }: Leftovers): string {
  const machine = instanceId
    ? `Left: the instance ${instanceId}${nodeName ? ` (node ${nodeName})` : ""}, which costs money until it is removed.`
    : "Left: no machine that this run knows of.";
  const work = operation ? ` The operation ${operation} goes on without this terminal.` : "";
  return `${machine}${work}
  npm run acceptance -- --clean-up${flags}   removes it
  npm run acceptance -- --resume${flags}     goes on with the run`;
}
