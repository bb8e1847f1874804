import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { permissionsFor } from "../../../lib/permissions.ts";
import { access } from "../../../lib/sandbox/aws/access.ts";
import { type AwsDoor, awsDoor } from "../../../lib/sandbox/aws/door.ts";
import type { AwsService } from "../../../lib/sandbox/core/aws-service.ts";
import type { Clock } from "../../../lib/sandbox/core/clock.ts";
import { type Foundation, foundationOn } from "../../../lib/sandbox/core/foundation.ts";
import { openStore, type Store } from "../../../lib/sandbox/core/store.ts";
import type { WireRequest, WireResponse } from "../../../lib/sandbox/core/wire.ts";
import { town } from "../../../lib/sandbox/town.ts";
import { place } from "../../../lib/sandbox/town-account.ts";
import type { Statement } from "../../../lib/statement.ts";

/** A clock that moves only when told; timers run in the order of their due times. */
export function handClock(start = Date.UTC(2026, 10, 21, 8)): Clock & { advance(ms: number): Promise<void> } {
  let now = start;
  let timers: { at: number; what: () => void }[] = [];
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    now: () => now,
    after: (ms, what) => {
      const timer = { at: now + ms, what };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance: async (ms) => {
      const until = now + ms;
      for (;;) {
        const next = timers.filter((timer) => timer.at <= until).sort((one, other) => one.at - other.at)[0];
        if (!next) break;
        timers = timers.filter((timer) => timer !== next);
        now = Math.max(now, next.at);
        next.what();
        await settle();
      }
      now = until;
      await settle();
    },
  };
}

/** A foundation on a clock that is moved by hand. */
export const foundationFor = (clock: Clock, options: { seed?: number; store?: Store } = {}): Foundation =>
  foundationOn({ clock, store: options.store ?? openStore(":memory:"), seed: options.seed ?? 7 });

const everything: Statement = { sid: "Everything", actions: ["*"], resources: ["*"] };

/** Secret of every key here; the key id names the principal. */
export const secretOf = (principal: string): string => `secret-of-${principal}`;

/** The ground's IAM with the real permissions, and an administrator who may do everything. */
export const realAccess = () =>
  access({
    accountId: town.accountId,
    region: town.region,
    rolePrefix: "casement-prod-west",
    permissions: { ...permissionsFor(place), admin: [everything] },
  });

const principals = [
  "admin",
  "front-door",
  "add-nodes",
  "provision-node",
  "remove-node",
  "look",
  "cloud-events",
  "release",
  "nobody",
];

/** A door before the services, with one key per principal. */
export function doorFor(foundation: Foundation, services: AwsService[], hostNow: () => number = Date.now): AwsDoor {
  const keys = new Map(principals.map((principal) => [`AKIA${principal}`, { secret: secretOf(principal), principal }]));
  keys.set("AKIAnode", { secret: secretOf("node"), principal: "instance/i-0aaaaaaaaaaaaaaaa" });
  return awsDoor({ foundation, region: town.region, hostNow, keys, services, access: realAccess() }, (bug) => {
    throw bug;
  });
}

interface HttpRequest {
  method: string;
  hostname: string;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
  body?: unknown;
}

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);

function urlOf(request: HttpRequest): string {
  const pairs = Object.entries(request.query ?? {}).flatMap(([name, value]) =>
    [value].flat().map((one) => (one === null ? encode(name) : `${encode(name)}=${encode(one)}`)),
  );
  return pairs.length > 0 ? `${request.path}?${pairs.join("&")}` : request.path;
}

async function bytesOf(body: unknown): Promise<Uint8Array> {
  if (body === undefined || body === null) return new Uint8Array();
  if (body instanceof Uint8Array) return Buffer.from(body);
  if (typeof body === "string") return Buffer.from(body);
  const chunks: Buffer[] = [];
  for await (const chunk of body as AsyncIterable<Uint8Array>) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

async function wireOf(request: HttpRequest): Promise<WireRequest> {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  );
  return { method: request.method, url: urlOf(request), headers, body: await bytesOf(request.body) };
}

/** How a real SDK client reaches the ground without a socket. */
export const inProcess = (answer: (request: WireRequest) => Promise<WireResponse>) => ({
  handle: async (request: HttpRequest) => {
    const { status, headers, body } = await answer(await wireOf(request));
    const { Readable } = await import("node:stream");
    const bytes = Buffer.from(body as string);
    return { response: { statusCode: status, headers: { ...headers }, body: Readable.from([bytes]) } };
  },
});

/** What every real client of the tests is built with. */
export const clientOf = (door: AwsDoor, principal = "admin") => ({
  region: town.region,
  endpoint: "http://aws.sandbox.test",
  credentials: { accessKeyId: `AKIA${principal}`, secretAccessKey: secretOf(principal) },
  requestHandler: inProcess((request) => door.answer(request)) as never,
  maxAttempts: 1,
});

/** The door on a loopback port. */
export function listen(door: AwsDoor): Promise<{ url: string; server: Server }> {
  const server = createServer(async (incoming, outgoing) => {
    const headers = incoming.headers as Record<string, string>;
    const body = await bytesOf(incoming);
    const response = await door.answer({ method: incoming.method ?? "GET", url: incoming.url ?? "/", headers, body });
    outgoing.writeHead(response.status, response.headers);
    outgoing.end(Buffer.from(response.body as string));
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      resolve({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server });
    });
  });
}

/** The error's code as the SDK names it, or "none". */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "none",
    (error: Error) => error.name,
  );
