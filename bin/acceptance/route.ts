import { readFileSync } from "node:fs";
import { GetCommandInvocationCommand, type GetCommandInvocationResult, SendCommandCommand } from "@aws-sdk/client-ssm";
import { z } from "zod";
import { isOurs, launcherOf } from "../../lambdas/steps/ec2/instances.ts";
import type { Measures } from "../../lib/calibration/measures.ts";
import { shapesOfCommand } from "./gather.ts";
import type { Run } from "./run-file.ts";
import { type Scene, StepFailed, within } from "./scene.ts";

const script = readFileSync(new URL("take-route-away.ps1", import.meta.url), "utf8");

/** Seconds after which the agent ends the script, which waits 90 seconds for other commands and 170 for the guard. */
const SCRIPT_SECONDS = 420;

/** Minutes within which the command must end: its delivery, and the script's own limit. */
const COMMAND_MINUTES = 14;

/** Minutes within which a schedule that works on the new node, as the rule for mirrors does, should release it. */
const LEASE_MINUTES = 15;

const resultSchema = z.object({
  ok: z.boolean(),
  seconds: z.number(),
  by: z.enum(["guard", "script", "none"]),
  powershellSeconds: z.number(),
  error: z.string(),
});

/** Waits until no operation works on the instance. @throws StepFailed naming the operation that did not end in time */
async function waitForLease(scene: Scene, instanceId: string): Promise<void> {
  let holder: string | undefined;
  const isFree = async (): Promise<true | undefined> => {
    holder = await scene.leases.holder(instanceId);
    return holder === undefined || undefined;
  };
  await within(scene, LEASE_MINUTES, isFree, () => `${holder} works on ${instanceId}: it is not touched`);
}

/**
 * Checks, immediately before the instance is changed, that this run added it.
 * @throws StepFailed otherwise
 */
async function requireOwn({ instances, place }: Scene, run: Run, instanceId: string): Promise<void> {
  const machine = await instances.describe(instanceId);
  const isAdded =
    machine !== undefined &&
    isOurs(machine, place.cluster) &&
    machine.state === "running" &&
    launcherOf(machine) === run.operations.add;
  if (!isAdded)
    throw new StepFailed(
      `${instanceId} is not a running instance with the tags of ${run.operations.add}: it is not touched`,
    );
}

async function invocation({ clients }: Scene, CommandId: string, InstanceId: string) {
  const ended = new Set(["Success", "Failed", "TimedOut", "Cancelled"]);
  const answer = await clients.ssm
    .send(new GetCommandInvocationCommand({ CommandId, InstanceId }))
    .catch((error: unknown) => {
      // A command that was sent a moment ago may not be visible yet.
      if (error instanceof Error && error.name === "InvocationDoesNotExist") return undefined;
      throw error;
    });
  return answer && ended.has(answer.Status ?? "") ? answer : undefined;
}

/** Reads the script's result from its last line. @throws StepFailed if there is none */
function resultOf({ Status, StandardOutputContent = "", StandardErrorContent }: GetCommandInvocationResult) {
  const line = StandardOutputContent.trim().split("\n").at(-1) ?? "";
  try {
    return resultSchema.parse(JSON.parse(line));
  } catch {
    throw new StepFailed(`the command ended as ${Status} without a result: ${StandardErrorContent || line}`);
  }
}

const routeFailure = ({ error, by }: z.infer<typeof resultSchema>): string => {
  if (by === "script")
    return `${error}. The script has put it back itself; look at the task "Casement guard" on the machine`;
  return `${error}. See docs/reboot.md, "When the reboot is not proven", if the machine takes no command`;
};

/** Measured times of the guard's repair, and the shapes of the answers about the command. */
export interface GuardTrial {
  readonly measures: Measures;
  readonly shapes: Run["shapes"];
}

/**
 * Removes the metadata route of the added machine with the rights of this terminal, and waits until the guard restores
 * it.
 * @throws StepFailed if the machine is another one, the guard did not repair the route, or the command cannot run
 */
export async function tryGuard(scene: Scene, run: Run, instanceId: string): Promise<GuardTrial> {
  await waitForLease(scene, instanceId);
  await requireOwn(scene, run, instanceId);
  const { Command } = await scene.clients.ssm.send(
    new SendCommandCommand({
      DocumentName: "AWS-RunPowerShellScript",
      InstanceIds: [instanceId],
      Comment: `Casement acceptance ${run.id}`,
      TimeoutSeconds: 120,
      Parameters: { commands: script.split("\n"), executionTimeout: [String(SCRIPT_SECONDS)] },
    }),
  );
  const id = Command?.CommandId ?? "";
  const ask = () => invocation(scene, id, instanceId);
  const ended = await within(scene, COMMAND_MINUTES, ask, () => `the command ${id} has no end on ${instanceId}`);
  const result = resultOf(ended);
  if (!result.ok) throw new StepFailed(routeFailure(result));
  return {
    measures: { "route.repair": result.seconds, "route.powershell": Math.round(result.powershellSeconds * 10) / 10 },
    shapes: await shapesOfCommand(scene, id, instanceId),
  };
}
