import { crossOriginRefusal } from "../control/cross-origin.ts";
import { json, type WireRequest, type WireResponse } from "../core/wire.ts";
import type { SlackUi } from "../slack/ui/slack-ui.ts";
import { acts } from "./acts.ts";
import { type Assets, bundled, documentOf } from "./assets.ts";
import { changes } from "./changes.ts";
import { runbookDocument } from "./runbook.ts";
import { RUNBOOK_PATH } from "./runbook-address.ts";
import { type Agent, type ShownOperation, type State, snapshotOf } from "./snapshot.ts";
import type { Setting } from "./vocabulary.ts";

/** Anything that answers HTTP requests in process. */
interface Service {
  answer(request: WireRequest): Promise<WireResponse>;
}

/** Parts that the page is composed of. */
export interface PageParts {
  readonly ui: SlackUi;
  /** The control API: the page shows its state, and passes its own clock and fault buttons through to it. */
  readonly control: Service;
  /** Facts that SSM knows of the instances' agents. */
  readonly agents: () => readonly Agent[];
  /** Operations of the ledger, the newest first. */
  readonly operations: () => Promise<readonly ShownOperation[]>;
  /** Factor by which the sandbox's time passes faster than the host's. */
  readonly speed: () => number;
  readonly setting: Setting;
}

type Route = (query: URLSearchParams) => Promise<WireResponse>;

/** The control API as the browser reaches it: same origin, one prefix. */
const CONTROL = "/page/control";

const sent = (body: string, contentType: string): WireResponse => ({
  status: 200,
  headers: {
    "content-type": `${contentType}; charset=utf-8`,
    "cache-control": "no-store",
    "content-security-policy": "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'",
  },
  body,
});

/** "changed" at once and after each change, as server-sent events (HTML Standard, 9.2). */
async function* events(stream: AsyncIterable<void>): AsyncGenerator<string> {
  for await (const _ of stream) yield "event: changed\ndata: {}\n\n";
}

const eventStream = (stream: AsyncIterable<void>): WireResponse => ({
  status: 200,
  headers: { "content-type": "text/event-stream", "cache-control": "no-store" },
  body: events(stream),
});

/** The document and what it loads, bundled when first asked for. */
function assetRoutes(title: string): Readonly<Record<string, Route>> {
  let assets: Promise<Assets> | undefined;
  const asset = async (name: keyof Assets): Promise<string> => {
    assets ??= bundled();
    return (await assets)[name];
  };
  return {
    "/": async () => sent(documentOf(title), "text/html"),
    [RUNBOOK_PATH]: async () => sent(runbookDocument(), "text/html"),
    "/page/page.js": async () => sent(await asset("script"), "text/javascript"),
    "/page/page.css": async () => sent(await asset("style"), "text/css"),
  };
}

function dataRoutes({ ui, control, agents, operations, speed, setting }: PageParts): Readonly<Record<string, Route>> {
  const slackChanges = changes();
  ui.onChange(slackChanges.announce);
  const state = async (): Promise<State> => {
    const request = { method: "GET", url: "/state", headers: { host: "127.0.0.1" }, body: new Uint8Array() };
    return JSON.parse(String((await control.answer(request)).body));
  };
  return {
    "/page/setting": async () => json(setting),
    "/page/desk": async (query) => {
      const userId = query.get("as") ?? "";
      return json({ messages: ui.messagesFor(userId), views: ui.viewsOf(userId) });
    },
    "/page/world": async () => json(snapshotOf(await state(), agents(), speed(), await operations())),
    "/page/events": async () => eventStream(slackChanges.stream()),
  };
}

/**
 * Builds the server of the page: its document, what it shows, and what people do on it.
 * @returns a service that answers "/", the runbook, and everything below "/page/"
 */
export function page(parts: PageParts): Service {
  const shown = { ...assetRoutes(`Casement sandbox · ${parts.setting.cluster}`), ...dataRoutes(parts) };
  const done = acts(parts.ui);
  return {
    answer: async (request) => {
      const refusal = crossOriginRefusal(request.headers);
      if (refusal) return json({ error: refusal }, 403);
      const { pathname, searchParams } = new URL(request.url, "http://page");
      if (pathname.startsWith(`${CONTROL}/`)) {
        return parts.control.answer({ ...request, url: request.url.slice(CONTROL.length) });
      }
      const show = request.method === "GET" ? shown[pathname] : undefined;
      if (show) return show(searchParams);
      const act = request.method === "POST" ? done[pathname] : undefined;
      return act ? act(request) : json({ error: `There is no ${request.method} ${pathname}.` }, 404);
    },
  };
}
