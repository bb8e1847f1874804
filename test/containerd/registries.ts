import { createServer as httpServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as httpsServer } from "node:https";
import { createServer, type Server, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { type Answer, type Memory, type Question, reaction } from "./answers.ts";
import type { Images } from "./images.ts";
import type { Asked, Carried, Registry } from "./vectors.ts";

/** A certificate for every name, with its key, both PEM. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

/** Registries that answer one pull. */
export interface OpenRegistries {
  /** Requests, in the order of arrival. */
  readonly asked: readonly Asked[];
  close(): void;
}

/** Everything that opening registries needs. */
export interface Opening {
  readonly registries: Readonly<Record<string, Registry>>;
  readonly images: Images;
  readonly certificate: ServerCertificate;
  /** The address of a host's name. */
  readonly addressOf: (host: string) => string;
  /** Called before a request is answered. */
  readonly onRequest: () => void;
  /** Called for a request that is left unanswered. */
  readonly onHang: () => void;
}

/** First byte of a TLS record that holds a handshake (RFC 8446, 5.1). */
const HANDSHAKE = 22;

/** Headers that Go's client sends by itself, or that say nothing about who is asked. */
const USUAL =
  /^(host|user-agent|accept|accept-encoding|authorization|content-type|content-length|referer|connection)$/i;

/** Address from which Squid connects, so that registries tell its connections from containerd's own. */
export const PROXY_ADDRESS = "127.0.0.2";

const pairs = ({ rawHeaders }: IncomingMessage): [name: string, value: string][] =>
  rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as [string, string]] : [],
  );

async function carriedBy(request: IncomingMessage): Promise<Carried> {
  const headers = pairs(request);
  const auth = headers.filter(([name]) => name.toLowerCase() === "authorization").map((pair) => pair.join(": "));
  const others = new Map<string, string>();
  for (const [name, value] of headers.filter(([one]) => !USUAL.test(one))) {
    others.set(name, others.has(name) ? `${others.get(name)} | ${value}` : value);
  }
  const body = (await buffer(request)).toString();
  return {
    ...(auth.length > 0 ? { auth } : {}),
    ...(others.size > 0 ? { headers: Object.fromEntries(others) } : {}),
    ...(body === "" ? {} : { body }),
    ...(request.socket.remoteAddress === PROXY_ADDRESS ? { via: "proxy" } : {}),
  };
}

function send(answer: Answer, response: ServerResponse): void {
  const { status, headers = {}, content = Buffer.alloc(0), from = 0, ends = content.length } = answer;
  const length = status === 304 ? {} : { "content-length": content.length - from };
  response.writeHead(status, { ...headers, ...length });
  if (ends >= content.length) {
    response.end(content.subarray(from));
    return;
  }
  response.flushHeaders();
  response.write(content.subarray(from, Math.max(from, ends)), () => response.socket?.destroySoon());
}

/** Reads a request as a registry decides by it. */
function questionOf({ method = "", url = "", headers }: IncomingMessage, { auth = [] }: Carried): Question {
  const from = /^bytes=(\d+)-$/.exec(headers.range ?? "")?.[1];
  return {
    method,
    path: url.replace(/\?.*/, ""),
    authorizations: auth.map((header) => header.replace(/^\w+: /, "")),
    ...(from ? { from: Number(from) } : {}),
  };
}

/** Answers what one registry is asked, and notes it. */
function handler(opening: Opening, registry: Registry, memory: Memory, asked: Asked[]) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const scheme = "encrypted" in request.socket ? "https" : "http";
    const carried = await carriedBy(request);
    const question = questionOf(request, carried);
    opening.onRequest();
    const answer = reaction(registry, opening.images, question, memory);
    const url = `${scheme}://${request.headers.host}${request.url}`;
    const line = [question.method, url, answer === "hang" ? "hang" : answer.status] as const;
    asked.push(Object.keys(carried).length > 0 ? [...line, carried] : line);
    if (answer === "hang") opening.onHang();
    else send(answer, response);
  };
}

/**
 * Listens for one registry on one port. TLS and plain HTTP are told apart by their first byte, as a client of either
 * expects; a `plain-http` registry answers plain HTTP to both.
 */
function listen(
  opening: Opening,
  registry: Registry,
  answer: ReturnType<typeof handler>,
  sockets: Set<Socket>,
): Server {
  const plain = httpServer(answer);
  const secure = httpsServer(opening.certificate, answer);
  const speaks = registry === "plain-http" ? () => plain : (byte?: number) => (byte === HANDSHAKE ? secure : plain);
  return createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.once("data", (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      speaks(first[0]).emit("connection", socket);
      // TLS takes what was put back in its own next tick.
      process.nextTick(() => socket.resume());
    });
  });
}

/** The ports of a host's name: what it names, or those of both schemes. */
const portsOf = (host: string): readonly number[] => {
  const port = /:(\d+)$/.exec(host)?.[1];
  return port ? [Number(port)] : [443, 80];
};

/** Raises the registries of one pull; none listens for a host that is down. */
export async function openRegistries(opening: Opening): Promise<OpenRegistries> {
  const asked: Asked[] = [];
  const sockets = new Set<Socket>();
  const servers: Server[] = [];
  const listening = Object.entries(opening.registries).flatMap(([host, registry]) => {
    if (registry === "refused") return [];
    const answer = handler(opening, registry, { requests: 0 }, asked);
    return portsOf(host).map((port) => {
      const server = listen(opening, registry, answer, sockets);
      servers.push(server);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      server.once("error", reject).listen(port, opening.addressOf(host), resolve);
      return promise;
    });
  });
  const close = (): void => {
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
  };
  await Promise.all(listening);
  return { asked, close };
}
