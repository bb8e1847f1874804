import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type MessageSettings, messageSettings } from "../../messages/operation/links.ts";
import { operationMessage } from "../../messages/operation/operation.ts";
import { threadLines, threadStateOf } from "../../messages/operation/thread.ts";
import type { NodeRecord, OperationView, PublishedMessage, ThreadState } from "../../records/records.ts";
import { isBusy, wordsOf } from "../../steps/client-errors.ts";
import type { Steps } from "../../steps/steps.ts";
import { mentionPeople } from "./calls.ts";
import { showFollowed } from "./show-anew.ts";
import { viewOf } from "./view.ts";

const REFRESH_MS = 30_000;

/** Most thread lines of one poll: Slack accepts about one message a second per channel. */
const LINES_AT_ONCE = 5;

/** Hashes what people see, without the time of the poll, callbacks, and the audit of a running operation. */
function fingerprint({ operation, nodes, pool, followUps }: OperationView): string {
  const { audit, ...seen } = operation;
  const head = operation.endedAt === null ? null : audit;
  const seenNodes = nodes.map(({ audit: _, ...node }) => node);
  return createHash("sha256")
    .update(JSON.stringify([{ ...seen, callbacks: {} }, head, seenNodes, pool, followUps]))
    .digest("hex");
}

/** Lines that the thread has now; posted lines are kept even if Slack fails before the last one. */
interface ThreadUpdate {
  readonly told: readonly ThreadState[];
  readonly trouble: string | null;
}

async function tellThread(
  steps: Steps,
  view: OperationView,
  before: PublishedMessage,
  settings: MessageSettings,
): Promise<ThreadUpdate> {
  const { channel, id } = view.operation;
  const told = new Map(before.told.map((node) => [node.index, node]));
  let room = LINES_AT_ONCE;
  try {
    for (const node of view.nodes) {
      const lines = threadLines(view, told.get(node.index) ?? null, node, settings);
      // A node with more lines than one poll may post goes first and whole, or it would wait for room forever.
      if (lines.length > room && room < LINES_AT_ONCE) break;
      room -= lines.length;
      for (const { mark, message } of lines)
        await steps.thread.post(channel, message, `${id} ${node.index} ${mark}`, before.messageTs);
      told.set(node.index, threadStateOf(node));
    }
    return { told: [...told.values()], trouble: null };
  } catch (error) {
    if (!isBusy(error)) throw error;
    return { told: [...told.values()], trouble: wordsOf(error) };
  }
}

/**
 * Updates message and thread, and mentions the people whom they concern. If Slack takes no message, the next poll
 * retries; the ledger has the operation among those whose message is out of date.
 * @returns the state of message and thread
 */
export async function publish(
  steps: Steps,
  view: OperationView,
  before: PublishedMessage,
  settings: MessageSettings,
): Promise<PublishedMessage> {
  const after = await publishNow(steps, view, before, settings);
  if (after.trouble !== null && before.trouble === null) await noteUnsaid(() => steps.unsaid.note(view.operation.id));
  if (after.trouble === null && before.trouble !== null) await noteUnsaid(() => steps.unsaid.said(view.operation.id));
  return after;
}

/**
 * Posts a message of an operation that has none yet. If Slack does not take it, the ledger lists the operation among
 * those whose message is out of date.
 * @throws Retryable while Slack is unavailable
 */
async function postNoted<T>(steps: Steps, id: string, post: () => Promise<T>): Promise<T> {
  try {
    return await post();
  } catch (error) {
    if (isBusy(error)) await noteUnsaid(() => steps.unsaid.note(id));
    throw error;
  }
}

/**
 * Posts the message with which an operation ends that has shown none of its work. Once Slack takes it, the sweep need not
 * show the end.
 * @throws Retryable while Slack is unavailable
 */
export async function postEnding<T>(steps: Steps, id: string, post: () => Promise<T>): Promise<T> {
  const posted = await postNoted(steps, id, post);
  await noteUnsaid(() => steps.unsaid.said(id));
  return posted;
}

/** Writes the ledger's list of messages that are out of date. The sweep corrects a list that was not written. */
async function noteUnsaid(write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}

async function publishNow(
  steps: Steps,
  view: OperationView,
  before: PublishedMessage,
  settings: MessageSettings,
): Promise<PublishedMessage> {
  const seen = fingerprint(view);
  const stale = steps.now() - before.at >= REFRESH_MS && view.operation.endedAt === null;
  try {
    const changed = seen !== before.view || stale;
    const messageTs = changed
      ? await steps.thread.update(view.operation.channel, before.messageTs, operationMessage(view, settings))
      : before.messageTs;
    if (messageTs !== before.messageTs) await steps.ledger.changeOperation(view.operation.id, { messageTs });
    const kept: PublishedMessage = {
      ...before,
      messageTs,
      ...(changed ? { view: seen, at: steps.now() } : {}),
      trouble: null,
    };
    const told = { ...kept, ...(await tellThread(steps, view, kept, settings)) };
    return told.trouble === null ? await mentionPeople(steps, view, told) : told;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return { ...before, trouble: wordsOf(error) };
  }
}

/** Do message and thread show the whole state? */
export const saidAll = (published: PublishedMessage, nodes: readonly NodeRecord[]): boolean =>
  published.trouble === null &&
  nodes.every((node) =>
    isDeepStrictEqual(
      published.told.find(({ index }) => index === node.index),
      threadStateOf(node),
    ),
  );

/** Posts the message of an operation; a step that runs again finds its timestamp in the ledger. */
export async function postFirst(
  steps: Steps,
  id: string,
  pool: OperationView["pool"],
  settings: MessageSettings,
): Promise<PublishedMessage> {
  const view = await viewOf(steps, id, pool);
  if (!view) throw new Error(`the operation ${id} is not in the ledger`);
  const known = view.operation.messageTs;
  const post = () => steps.thread.post(view.operation.channel, operationMessage(view, settings), id);
  const messageTs = known ?? (await postNoted(steps, id, post));
  if (!known) await steps.ledger.changeOperation(id, { messageTs, ...(pool ? { pool } : {}) });
  if (!known) await showFollowed(steps, view.operation);
  return { messageTs, view: fingerprint(view), at: steps.now(), told: [], trouble: null };
}

/**
 * Updates the message of an operation that has ended, since its own execution no longer does. Belongs into a step.
 * @returns what the message shows, and its timestamp; null if the operation has no message
 */
export async function redraw(steps: Steps, id: string): Promise<{ view: OperationView; messageTs: string } | null> {
  const read = await viewOf(steps, id, null);
  if (!read?.operation.messageTs) return null;
  const { channel, pool = null } = read.operation;
  const view = { ...read, pool };
  const { configuration } = await steps.runtime.read(null);
  const message = operationMessage(view, messageSettings(configuration));
  return { view, messageTs: await steps.thread.update(channel, read.operation.messageTs, message) };
}
