import type { Simulation } from "../core/simulation.ts";
import { json, pathOf, textOf, type WireRequest, type WireResponse } from "../core/wire.ts";
import { isObject, type Json } from "./block-kit/check.ts";
import type { Directory } from "./directory.ts";
import { errorIn, withFaults } from "./faults.ts";
import { checkedContent } from "./message-content.ts";
import type { MessageLog, StoredMessage } from "./message-log.ts";
import { SlackError } from "./slack-error.ts";

/** Guide "Handling user interaction": a response_url can be used up to 5 times within 30 minutes. */
const USES = 5;
const LIFETIME_MS = 30 * 60_000;
/** Time for which an expired one is told from an unknown one (assumed). */
const REMEMBERED_MS = 2 * LIFETIME_MS;

interface ResponseUrl {
  readonly userId: string;
  readonly channel: string;
  readonly issuedAt: number;
  /** The message that replace_original and delete_original mean, once there is one. */
  readonly original?: string;
  readonly uses: number;
}

/** The addresses that go out with commands and clicks, for the app to answer at. */
export interface ResponseUrls {
  /** @param kind "commands" or "actions", as in Slack's own addresses */
  issue(kind: "commands" | "actions", userId: string, channel: string, original?: string): string;
  /** The acknowledgement of a command put this message there: a later replace_original means it. */
  answered(url: string, message: StoredMessage): void;
  /** The answer to a request for one of these addresses; undefined when its path is of another kind. */
  answer(request: WireRequest): Promise<WireResponse> | undefined;
}

const PATH = /\/(?:commands|actions)\/[^/]+\/([0-9a-f]+)$/;

function parsed(request: WireRequest): Json {
  try {
    const body: unknown = JSON.parse(textOf(request));
    if (isObject(body)) return body;
  } catch {
    // Falls through: not JSON is the same refusal as JSON of another kind.
  }
  throw new SlackError("invalid_payload");
}

/** Shows one answer of the app and returns the message it made or changed, if it is still there. */
function show(
  body: Json,
  use: ResponseUrl,
  log: MessageLog,
  bot: string,
  newId: () => string,
): StoredMessage | undefined {
  const original = use.original === undefined ? undefined : log.find(use.channel, use.original);
  if (body.delete_original === true) {
    if (original) log.remove(original);
    return undefined;
  }
  const content = checkedContent(body, newId);
  if (body.replace_original === true && original) return log.edit(original, content);
  return log.post({
    channel: use.channel,
    user: bot,
    ...content,
    ...(body.response_type !== "in_channel" && { onlyTo: use.userId }),
    ...(typeof body.thread_ts === "string" && { threadTs: body.thread_ts }),
  });
}

/**
 * Builds the response addresses.
 * @param address where the app reaches this Slack, without a slash at the end
 */
export function responseUrls(
  simulation: Simulation,
  { team, app }: Directory,
  log: MessageLog,
  address: () => string,
): ResponseUrls {
  const { store, random, clock } = simulation;
  const urls = store.collection<ResponseUrl>("slack-response-urls");
  const idOf = (url: string): string => PATH.exec(url)?.[1] ?? "";
  const age = (id: string): number => clock.now() - (urls.get(id)?.issuedAt ?? 0);
  const use = (id: string, request: WireRequest): void => {
    const url = urls.get(id);
    if (!url || age(id) > LIFETIME_MS) throw new SlackError("expired_url");
    if (url.uses >= USES) throw new SlackError("used_url");
    const message = show(parsed(request), url, log, app.userId, () => random.hex(5));
    urls.set(id, { ...url, uses: url.uses + 1, ...(message && { original: url.original ?? message.ts }) });
  };
  const outcome = (id: string, request: WireRequest): WireResponse => {
    try {
      use(id, request);
      return { status: 200, headers: { "content-type": "text/plain" }, body: "ok" };
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      return json({ ok: false, error: error.code, ...error.details }, error.code.endsWith("_url") ? 404 : 400);
    }
  };
  const recorded = async (id: string, request: WireRequest): Promise<WireResponse> => {
    const facts = { method: "response_url", channel: urls.get(id)?.channel ?? "" };
    const response = await withFaults(simulation, facts, () => outcome(id, request));
    const principal = urls.has(id) ? app.name : "anonymous";
    const { status } = response;
    simulation.calls.record({ service: "slack", action: facts.method, principal, status, error: errorIn(response) });
    return response;
  };
  return {
    issue: (kind, userId, channel, original) => {
      for (const id of urls.keys()) if (age(id) > REMEMBERED_MS) urls.delete(id);
      const id = random.hex(24);
      urls.set(id, { userId, channel, issuedAt: clock.now(), uses: 0, ...(original !== undefined && { original }) });
      return `${address()}/${kind}/${team.id}/${id}`;
    },
    answered: (url, message) => {
      const known = urls.get(idOf(url));
      if (known) urls.set(idOf(url), { ...known, original: message.ts });
    },
    answer: (request) => {
      const id = idOf(pathOf(request));
      return id === "" ? undefined : recorded(id, request);
    },
  };
}
