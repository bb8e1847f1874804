import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import type { WebClient } from "@slack/web-api";
import { z } from "zod";
import { clients } from "../../lambdas/clients/clients.ts";
import { frontDoor } from "../../lambdas/clients/front-door.ts";
import { DOUBT_MS } from "../../lambdas/clients/secrets.ts";
import { askFrontDoor } from "../../lambdas/cloud-events/front-door-check.ts";
import { wordsOf } from "../../lambdas/steps/client-errors.ts";
import { slackClient } from "../discover/slack.ts";
import { slackAppManifest } from "../discover/slack-app.ts";
import { StartError } from "../start-error.ts";
import type { Place } from "./place.ts";
import type { Terminal } from "./terminal.ts";

/** Value of the secret, as the functions read it. */
interface SlackSecret {
  readonly signingSecret: string;
  readonly botToken: string;
}

const NOTHING_STORED = "nothing was stored";

/** Forms of both values, by which a wrong one is noticed before anything is asked (docs: "Verifying requests", "Tokens"). */
const secretSchema = z.object({
  signingSecret: z
    .string()
    .regex(/^[0-9a-f]{32}$/, "must be the Signing Secret of the page Basic Information, 32 of 0-9 and a-f"),
  botToken: z.string().regex(/^xoxb-\S+$/, "must be the Bot User OAuth Token of the page OAuth & Permissions, xoxb-…"),
});

/** Checks the form of what was typed or piped. @throws StartError that names the value, and never contains it */
function secretOf(value: unknown): SlackSecret {
  const read = secretSchema.safeParse(value);
  if (read.success) return read.data;
  const [{ path, message } = { path: [], message: "" }] = read.error.issues;
  throw new StartError(`${path.join(".") || "the secret"}: ${message}; ${NOTHING_STORED}`);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new StartError(`what was read is not JSON with signingSecret and botToken; ${NOTHING_STORED}`);
  }
}

async function typedSecret({ slack }: Place, terminal: Terminal): Promise<SlackSecret> {
  terminal.note(`Both are on the pages of https://api.slack.com/apps/${slack.appId}; neither is shown here.`);
  const signingSecret = await terminal.ask("Signing Secret (page Basic Information): ", true);
  const botToken = await terminal.ask("Bot User OAuth Token (page OAuth & Permissions): ", true);
  return secretOf({ signingSecret: signingSecret.trim(), botToken: botToken.trim() });
}

/** Checks that a token is of the configured app. @throws StartError otherwise */
async function requireOwnToken({ slack }: Place, client: WebClient): Promise<void> {
  const self = await client.auth.test().catch((error: unknown) => {
    throw new StartError(`the bot token was tried: ${wordsOf(error)}; ${NOTHING_STORED}`);
  });
  const [theirs, ours] = [`${self.team_id}/${self.user_id}`, `${slack.teamId}/${slack.botUserId}`];
  if (theirs !== ours)
    throw new StartError(
      `the bot token is of ${theirs}, and the configuration names ${ours} (slack.teamId, slack.botUserId); ${NOTHING_STORED}`,
    );
}

const BETWEEN_MS = 5_000;

/**
 * Sends the front door signed requests until it accepts one: it may keep the secret from before for half a minute.
 * @throws StartError if it does not
 */
async function seeAccepted(url: string, secret: string): Promise<void> {
  const door = {
    signingSecret: async () => secret,
    now: () => Math.floor(Date.now() / 1_000),
    send: frontDoor(url),
  };
  for (let waited = 0; ; waited += BETWEEN_MS) {
    const answer = await askFrontDoor(door);
    if (answer === "answered") return;
    if (waited > DOUBT_MS)
      throw new StartError(
        `the secret was stored, but the front door at ${url} does not accept a request that is signed with it: ${answer}`,
      );
    await pause(BETWEEN_MS);
  }
}

const template = new URL("../../docs/slack-app-manifest.yaml", import.meta.url);

/** Writes the app's manifest with the front door's address. @returns lines for the summary */
function writeManifest({ cluster, commandWord, slack, slackAppFile }: Place, url: string): string[] {
  const text = slackAppManifest(readFileSync(template, "utf8"), { cluster, command: commandWord, frontDoor: url });
  if (!existsSync(slackAppFile) || readFileSync(slackAppFile, "utf8") !== text) writeFileSync(slackAppFile, text);
  return [
    `${slackAppFile} has its address ${url}. Paste the file at https://app.slack.com/app-settings/${slack.teamId}/${slack.appId}/app-manifest and save:`,
    "until then Slack sends commands nowhere.",
  ];
}

/**
 * Asks for the secrets of the Slack app, tries them, stores them, and writes the app's manifest. It prints neither.
 * @returns a summary for the terminal
 * @throws StartError for a wrong value: then nothing was stored; errors of AWS
 */
export async function storeSlackSecret(
  place: Place,
  { fromStdin }: { readonly fromStdin: boolean },
  terminal: Terminal,
): Promise<string> {
  if (!fromStdin && !terminal.isInteractive)
    throw new StartError("there is no terminal to ask at: pipe JSON with signingSecret and botToken to --from-stdin");
  // The stack must be there before a person types anything.
  const [settings, url] = await Promise.all([place.settings("look"), place.frontDoor()]);
  const secret = fromStdin ? secretOf(parsedJson(await terminal.read())) : await typedSecret(place, terminal);
  await requireOwnToken(place, slackClient(secret.botToken, settings.slackUrl));
  await clients(settings).secrets.send(
    new PutSecretValueCommand({ SecretId: settings.slackSecret, SecretString: JSON.stringify(secret) }),
  );
  await seeAccepted(url, secret.signingSecret);
  return `${["Stored the secrets of the Slack app: Slack takes the token, and the front door the signature.", ...writeManifest(place, url)].join("\n")}\n`;
}
