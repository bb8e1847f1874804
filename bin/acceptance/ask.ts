import { createHmac } from "node:crypto";
import { operationId } from "../../lambdas/commands/operation-id.ts";
import { reasonText, sentReason, typeInTerminal } from "../../lambdas/messages/acceptance/words.ts";
import type { OperationRecord } from "../../lambdas/records/records.ts";
import { callerArn } from "./identity.ts";
import type { Run, RunCommand } from "./run-file.ts";
import { type Scene, StepFailed, within } from "./scene.ts";

/** Number of the newest operations that are searched for the one that a person typed. */
const NEWEST = 50;

/** Minutes within which a request that the front door accepted must be in the ledger. */
const WRITTEN_MINUTES = 2;

/** Builds the trigger id, which Slack would send: if an attempt is repeated, it gets the same operation. */
const triggerOf = (run: Run, command: RunCommand): string =>
  `acceptance.${run.id}.${command}.${run.attempts[command] ?? 0}`;

/** Builds the body of a slash command, as Slack sends it. */
function formOf({ place, terminal }: Scene, run: Run, command: RunCommand, text: string): string {
  const { teamId, appId, channel } = place.slack;
  return new URLSearchParams({
    team_id: teamId,
    channel_id: channel,
    channel_name: "",
    user_id: run.user ?? "",
    user_name: terminal,
    command: place.commandWord,
    text,
    api_app_id: appId,
    trigger_id: triggerOf(run, command),
  }).toString();
}

/** Sends a command to the front door as Slack does, signed with the app's secret. @returns the front door's answer */
async function send(scene: Scene, run: Run, command: RunCommand, text: string): Promise<string> {
  const identity = await callerArn(scene.settings);
  const body = formOf(scene, run, command, `${text} --reason "${sentReason(run.id, scene.terminal, identity)}"`);
  // Slack's signature has the time of the host's clock, in the sandbox too.
  const at = String(Math.floor(Date.now() / 1_000));
  const secret = await scene.clients.signingSecret(false);
  const signature = createHmac("sha256", secret).update(`v0:${at}:${body}`).digest("hex");
  const answer = await fetch(await scene.place.frontDoor(), {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": at,
      "x-slack-signature": `v0=${signature}`,
    },
    body,
    signal: AbortSignal.timeout(30_000),
  });
  const words = await answer.text();
  if (!answer.ok) throw new StepFailed(`the front door answered ${answer.status}`);
  return words;
}

/** Reads the text of an answer in Slack's JSON; any other answer is returned unchanged. */
function textIn(words: string): string {
  try {
    return String(JSON.parse(words).text);
  } catch {
    return words;
  }
}

async function sent(scene: Scene, run: Run, command: RunCommand, text: string): Promise<string> {
  const id = operationId(scene.place.cluster, command, triggerOf(run, command));
  if (await scene.ledger.operation(id)) return id;
  const words = await send(scene, run, command, text);
  const written = async () => ((await scene.ledger.operation(id)) ? id : undefined);
  return within(scene, WRITTEN_MINUTES, written, () => `the front door took no command "${text}": ${textIn(words)}`);
}

const isOf = (run: Run, command: RunCommand, { request }: OperationRecord): boolean =>
  request.command === command && "reason" in request && request.reason === reasonText(run.id);

/** Is the operation still running, or did it succeed? */
const isReusable = ({ status }: OperationRecord): boolean =>
  ["requested", "running", "waiting", "succeeded"].includes(status);

async function typed(scene: Scene, run: Run, command: RunCommand, text: string): Promise<string> {
  const ofRun = async () => (await scene.ledger.operations(NEWEST)).filter((one) => isOf(run, command, one));
  const before = await ofRun();
  const there = before.find(isReusable);
  if (there) return there.id;
  const known = new Set(before.map(({ id }) => id));
  const line = `${scene.place.commandWord} ${text} --reason "${reasonText(run.id)}"`;
  scene.say(typeInTerminal(line, scene.place.slack.channel, command === "remove"));
  return within(
    scene,
    scene.waitMinutes,
    async () => (await ofRun()).find(({ id }) => !known.has(id))?.id,
    () => `"${line}" was not typed within ${scene.waitMinutes} minutes`,
  );
}

/**
 * Requests an operation: with a signed command in the name of the run's user, or by asking a person to type it. A
 * person always types a removal, because its dialog opens only for a person in Slack.
 * @param text the command without its word: "add edge"
 * @returns the operation's id
 * @throws StepFailed if the front door refuses the command, or no person typed it in time
 */
export const ask = (scene: Scene, run: Run, command: RunCommand, text: string): Promise<string> =>
  run.user !== null && command !== "remove" ? sent(scene, run, command, text) : typed(scene, run, command, text);
