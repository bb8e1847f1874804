import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Account } from "../../cluster/accounts.ts";
import type { CredentialNews, Renewal } from "../../cluster/credential-watch.ts";
import { causeOf, step } from "../../engine/durable.ts";
import { escalate } from "../../engine/escalate.ts";
import { type RenewCredential, renewOwn } from "../../engine/renewing-credential.ts";
import type { Workflow } from "../../steps/host.ts";
import type { Steps } from "../../steps/steps.ts";
import type { WorkflowName } from "../list.ts";
import { credentialMessage, credentialNotice } from "./credential-news.ts";

/** Payload with which the schedule starts the check of the credentials in the cluster. */
export interface WatchCredentials {
  readonly watch: "credential";
  /** Id of the event: a tick that is delivered twice is one check. */
  readonly tick: string;
}

const asksToWatch = (payload: object): payload is WatchCredentials => "watch" in payload;

/** Functions that use the other service accounts. */
const holders: readonly (readonly [Account, WorkflowName])[] = [
  ["act", "remove-node"],
  ["join", "provision-node"],
];

const HOUR_MS = 3_600_000;

/** Invokes a function to renew its account's credential. A function that does not answer is a failed renewal. */
async function asked(steps: Steps, ctx: DurableContext, account: Account, holder: WorkflowName): Promise<Renewal> {
  try {
    const payload: RenewCredential = { renew: "credential" };
    return await ctx.invoke<RenewCredential, Renewal>(`ask ${holder}`, steps.executions.nameOf(holder), payload);
  } catch (error) {
    const why = `${holder} does not answer: ${causeOf(error).message}`;
    return { account, state: "failed", why, term: null, isOver: false };
  }
}

/**
 * Publishes the hours for which each credential is still valid, for alarms. A credential that could not be checked is
 * omitted.
 */
function measure(steps: Steps, renewals: readonly Renewal[]): void {
  for (const { account, term, isOver } of renewals) {
    if (isOver) steps.metrics.credentialHours(account, 0);
    else if (term) steps.metrics.credentialHours(account, (term.expiresAt - steps.now()) / HOUR_MS);
  }
}

async function tell(steps: Steps, news: readonly CredentialNews[], tick: string): Promise<void> {
  const { configuration } = await steps.runtime.read(null);
  const message = credentialMessage(configuration.cluster.name, news);
  await steps.thread.post(configuration.slack.channel, message, `credentials ${tick}`);
}

async function watch(steps: Steps, ctx: DurableContext, tick: string): Promise<void> {
  const renewals = await Promise.all([
    renewOwn(steps, ctx),
    ...holders.map(([account, holder]) => asked(steps, ctx, account, holder)),
  ]);
  const news = await step(ctx, "note how the credentials stand", async () => {
    measure(steps, renewals);
    return steps.credential.note(tick, renewals);
  });
  if (news.length === 0) return;
  const notice = credentialNotice(news);
  if (notice) await escalate(ctx, steps, "credentials", notice);
  // Without a release the channel is unknown, and Slack may be unavailable: people were notified by SNS as well.
  await step(ctx, "tell the channel", () => tell(steps, news, tick)).catch(() => undefined);
}

/**
 * Extends a workflow: by schedule, it also has every account's credential renewed, and calls people when that fails
 * twice in a row.
 */
export const watchingCredentials =
  <Payload extends object>(workflow: Workflow<Payload>): Workflow<Payload | WatchCredentials> =>
  (steps) => {
    const work = workflow(steps);
    return (payload, ctx) => (asksToWatch(payload) ? watch(steps, ctx, payload.tick) : work(payload, ctx));
  };
