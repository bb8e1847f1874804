import type { DurableContext } from "@aws/durable-execution-sdk-js";
import type { Configuration } from "../configuration.ts";
import { type Bundle, sha256 } from "../desired/authorities.ts";
import { kubeletClientsIn } from "../desired/machine-record.ts";
import type { FileAction, FileObservation } from "../desired/plan.ts";
import { withAudit } from "../messages/audit/head.ts";
import {
  type AuthorityChange,
  authorityFailedNotice,
  authorityMessage,
  authorityNewsMessage,
  authoritySummary,
  authorityUnreadNotice,
} from "../messages/node/authority.ts";
import { originated } from "../origin.ts";
import { profileOf } from "../profiles/list.ts";
import { lambdaEntry } from "../steps/host.ts";
import { idOf, type Opening } from "../steps/open-operation.ts";
import type { Steps } from "../steps/steps.ts";
import { begin, ORIGIN } from "./authority/begin.ts";
import { type Change, changeNodes, type Member, prove, settleNode, wordsOfFailure } from "./authority/change.ts";
import { type DueNode, type Reading, readAuthority } from "./authority/due.ts";
import { settleLeft } from "./authority/settle-left.ts";
import { tryingRights } from "./doctor/diagnose.ts";
import { step } from "./engine/durable.ts";
import { escalate } from "./engine/escalate.ts";
import type { FleetOutcome, Reading as ResultReading } from "./engine/fleet-batch.ts";
import { lookAtFleet } from "./engine/run-fleet.ts";
import { cancelledBy } from "./operation/requester.ts";

/** Payload with which a tick of the schedule starts the comparison. */
export interface UpdateAuthority {
  /** The event's id: the same tick delivered twice is the same comparison. */
  readonly tick: string;
}

/** Minutes that machines may take to answer a look. */
const LOOK_MINUTES = 5;

/**
 * Milliseconds for which no node is given a file that the first node failed on: longer where the kubelet refused the API
 * server with it, because then the file is to blame.
 */
const BLOCKED_MS = { bundle: 24 * 3_600_000, node: 3_600_000 };

async function say(steps: Steps, { slack }: Configuration, { news, why }: Reading, tick: string): Promise<void> {
  if (news) await steps.thread.post(slack.channel, authorityNewsMessage(news, why), `authority ${tick}`);
}

/** Tells people what could not be read, or that it can be read again. */
async function tellNews(ctx: DurableContext, steps: Steps, configuration: Configuration, read: Reading, tick: string) {
  if (!read.news) return;
  if (read.news === "bad") await escalate(ctx, steps, "the authority", authorityUnreadNotice(read.why));
  // Slack may be unavailable: people were notified by SNS as well.
  await step(ctx, "tell the channel", () => say(steps, configuration, read, tick)).catch(() => undefined);
}

function readFile(result: object): ResultReading<string> {
  const { ok, error, files } = result as Partial<FileObservation>;
  if (ok === true) return { value: files?.[0]?.sha256 ?? "missing" };
  return { why: error ?? "observe.ps1 does not say why it could not look" };
}

/** Reads the file on each node. @returns nodes whose file differs; a node that does not answer is left alone */
async function findDiffering(
  ctx: DurableContext,
  steps: Steps,
  nodes: readonly DueNode[],
  bundle: Bundle,
  file: FileAction,
  tick: string,
): Promise<readonly DueNode[]> {
  const request = { files: [file.path] };
  const seen = await lookAtFleet<string>(
    ctx,
    steps,
    "observe",
    nodes.map(({ instanceId }) => ({ instanceId, request })),
    { owner: `look ${tick}`, name: "look", minutes: LOOK_MINUTES, cancelledBy: async () => null, read: readFile },
  );
  const wanted = sha256(bundle.pem);
  const hashOf = ({ instanceId }: DueNode): string | null => {
    const outcome = seen.get(instanceId);
    return outcome?.state === "done" ? outcome.value : null;
  };
  const same = nodes.filter((node) => hashOf(node) === wanted);
  await step(ctx, "record nodes that have it", () => recordSame(steps, same, bundle));
  return nodes.filter((node) => hashOf(node) !== null && hashOf(node) !== wanted);
}

/** A run that was interrupted may have changed a node without writing it down. */
async function recordSame(steps: Steps, nodes: readonly DueNode[], bundle: Bundle): Promise<void> {
  const wanted = sha256(bundle.pem);
  const known = await steps.machines.given.all();
  for (const { instanceId } of nodes)
    if (known.get(instanceId)?.kubeletClients?.sha256 !== wanted)
      await steps.machines.given.record(instanceId, "authority:0", "kubeletClients", kubeletClientsIn(bundle));
}

const whyOf = (outcome: FleetOutcome<boolean> | undefined): string | null =>
  outcome?.state === "done" ? null : (outcome?.why ?? "SSM did not answer for it");

/** Changes the first node and proves it; the words of its failure, else a remark on the proof. */
async function changeFirst(change: Change, first: Member) {
  const why = whyOf((await changeNodes(change, "change first", [first])).get(first.instanceId));
  if (why !== null) return { why, isBundle: false, note: null };
  try {
    return { why: null, isBundle: false, note: await prove(change, first) };
  } catch (error) {
    return { why: wordsOfFailure(error), isBundle: true, note: null };
  }
}

/** One node first, and the rest only when a log was read on it. */
async function changeAll(change: Change, members: readonly Member[]): Promise<AuthorityChange> {
  const { ctx, steps, operation, bundle } = change;
  const [first, ...rest] = members as readonly [Member, ...Member[]];
  const { why, isBundle, note } = await changeFirst(change, first);
  await step(ctx, "settle the first node", async () => {
    await settleNode(change, first, why);
    if (why === null) return;
    const until = steps.now() + BLOCKED_MS[isBundle ? "bundle" : "node"];
    await steps.authorityWatch.block({ sha256: sha256(bundle.pem), instanceId: first.instanceId, until });
    for (const member of rest) await settleNode(change, member, "not touched: the first node failed");
  });
  if (why !== null)
    return {
      operation,
      changed: [],
      failed: [{ node: first.name, why }],
      untouched: rest.map(({ name }) => name),
      note,
      cancelledBy: null,
    };
  const outcomes = rest.length > 0 ? await changeNodes(change, "change the rest", rest) : new Map();
  const failed = rest.flatMap((member) => {
    const reason = whyOf(outcomes.get(member.instanceId));
    return reason === null ? [] : [{ node: member.name, why: reason }];
  });
  await step(ctx, "settle the rest", async () => {
    for (const member of rest) await settleNode(change, member, whyOf(outcomes.get(member.instanceId)));
  });
  const changed = members.filter(({ name }) => !failed.some(({ node }) => node === name)).map(({ name }) => name);
  return { operation, changed, failed, untouched: [], note, cancelledBy: null };
}

/** Works on the leased nodes; after an error, whatever is left is settled. @throws that error when nothing was begun */
async function changeOrSettle(
  { ctx, steps, operation }: Change,
  work: () => Promise<AuthorityChange | null>,
): Promise<AuthorityChange | null> {
  try {
    return await work();
  } catch (error) {
    const why = wordsOfFailure(error);
    const settled = await step(ctx, "settle what is left", () => settleLeft(steps, operation, why));
    if (settled === null) throw error;
    return settled;
  }
}

async function end(
  steps: Steps,
  change: AuthorityChange,
  { slack }: Configuration,
  messageTs: string | null,
): Promise<void> {
  await steps.ledger.changeOperation(change.operation, {
    status: change.failed.length === 0 ? "succeeded" : change.cancelledBy === null ? "failed" : "cancelled",
    summary: authoritySummary(change),
    endedAt: steps.timestamp(),
    messageTs,
  });
  const operation = await steps.ledger.operation(change.operation);
  if (messageTs === null || !operation) return;
  const last = withAudit(authorityMessage(change, originated(ORIGIN)), operation.audit);
  // The end is in the ledger and was said: without the head the message is still true.
  await steps.thread.update(slack.channel, messageTs, last).catch(() => undefined);
}

/** Tells people how it ended; one that a person cancelled pages no one. */
async function tellEnd({ ctx, steps, operation }: Change, configuration: Configuration, settled: AuthorityChange) {
  const hasFailed = settled.failed.length > 0;
  const by = await step(ctx, "ask whether it was cancelled", () => cancelledBy(steps, operation));
  const ended = { ...settled, cancelledBy: hasFailed ? by : null };
  if (hasFailed && by === null) await escalate(ctx, steps, operation, authorityFailedNotice(ended));
  // Slack may be away: the ledger has the end anyway.
  const { slack } = configuration;
  const say = () => steps.thread.post(slack.channel, authorityMessage(ended, originated(ORIGIN)), operation);
  const messageTs = await step(ctx, "say what changed", say).catch(() => null);
  await step(ctx, "end", () => end(steps, ended, configuration, messageTs));
}

const openingOf = ({ cluster, slack }: Configuration, tick: string): Opening => ({
  request: { command: "authority" },
  cause: tick,
  cluster: cluster.name,
  channel: slack.channel,
});

/** By schedule: gives every node the authorities by which its kubelet knows the API server, when the cluster replaces them. */
export const updateAuthority =
  (steps: Steps) =>
  async ({ tick }: UpdateAuthority, ctx: DurableContext): Promise<void> => {
    const configuration = await step(ctx, "read the configuration", async () => {
      const { configuration } = await steps.runtime.read(null);
      return configuration;
    });
    const read = await step(ctx, "read the authority", () => readAuthority(steps, configuration, tick));
    await tellNews(ctx, steps, configuration, read, tick);
    const { bundle, due } = read;
    if (!bundle) return;
    const file = profileOf(configuration).kubeletClients(bundle.pem);
    const differing = due.nodes.length > 0 ? await findDiffering(ctx, steps, due.nodes, bundle, file, tick) : [];
    if (due.isWhole) await step(ctx, "note the look", () => steps.authorityWatch.noteComparison());
    if (differing.length === 0) return;
    const opening = openingOf(configuration, tick);
    const operation = idOf(opening);
    const change: Change = { ctx, steps, operation, bundle, file, cancelledBy: () => cancelledBy(steps, operation) };
    const settled = await changeOrSettle(change, async () => {
      const members = await step(ctx, "begin", () => begin({ ctx, steps }, opening, differing));
      return members.length > 0 ? changeAll(change, members) : null;
    });
    if (settled !== null) await tellEnd(change, configuration, settled);
  };

/** The entry for Lambda and for the sandbox. */
export const { createHandler, handler } = lambdaEntry(tryingRights("update-authority", updateAuthority));
