import { setTimeout as sleep } from "node:timers/promises";
import { type Clients, clients } from "../../lambdas/clients/clients.ts";
import type { Settings } from "../../lambdas/settings.ts";
import type { StepContext } from "../../lambdas/steps/context.ts";
import { instances } from "../../lambdas/steps/ec2/instances.ts";
import { audit } from "../../lambdas/steps/ledger/audit.ts";
import { leases } from "../../lambdas/steps/ledger/leases.ts";
import { ledger } from "../../lambdas/steps/ledger/ledger.ts";
import { tableClient } from "../../lambdas/steps/ledger/table.ts";
import { joinSecret } from "../../lambdas/steps/machine/join-secret.ts";
import { type Administrator, administratorOf } from "../connect/administrator.ts";
import type { CommandLine } from "./command-line.ts";

/** Error of a step that failed, with its reason in words. */
export class StepFailed extends Error {
  override readonly name = "StepFailed";
}

/** Everything that the steps of a run use: the deployment, called with the rights of this terminal. */
export interface Scene extends Pick<CommandLine, "place" | "images" | "waitMinutes" | "terminal"> {
  readonly settings: Settings;
  readonly clients: Clients;
  readonly administrator: Administrator;
  readonly ledger: ReturnType<typeof ledger>;
  readonly audit: ReturnType<typeof audit>;
  readonly leases: ReturnType<typeof leases>;
  readonly items: ReturnType<typeof tableClient>;
  readonly instances: ReturnType<typeof instances>;
  readonly secretOf: (instanceId: string) => string;
  /** Time of the functions' clock, in milliseconds since the epoch. */
  now(): Promise<number>;
  /** Waits until the next poll. @throws AbortError once the run was interrupted */
  pause(): Promise<void>;
  say(line: string): void;
}

/** Opens the deployment of a command line. Calls AWS. */
export async function sceneOf(line: CommandLine, say: (line: string) => void, signal: AbortSignal): Promise<Scene> {
  const { place, images, waitMinutes, terminal } = line;
  const settings = await place.settings("look");
  const made = clients(settings);
  const context: StepContext = { clients: made, settings, now: Date.now };
  return {
    place,
    images,
    waitMinutes,
    terminal,
    settings,
    clients: made,
    administrator: administratorOf(place),
    ledger: ledger(context),
    audit: audit(context),
    leases: leases(context),
    items: tableClient(context),
    instances: instances(context),
    secretOf: joinSecret(context).nameOf,
    now: async () => (await place.clock())(),
    pause: () => sleep(place.pollEveryMs, undefined, { signal }),
    say,
  };
}

const MINUTE = 60_000;

/**
 * Polls until there is an answer.
 * @param failure builds the reason if there was no answer in time
 * @throws StepFailed if the time is over
 */
export async function within<T>(
  scene: Scene,
  minutes: number,
  question: () => Promise<T | undefined>,
  failure: () => string,
): Promise<T> {
  const end = (await scene.now()) + minutes * MINUTE;
  for (;;) {
    const answer = await question();
    if (answer !== undefined) return answer;
    if ((await scene.now()) > end) throw new StepFailed(failure());
    await scene.pause();
  }
}
