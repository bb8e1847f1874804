import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { received, send } from "./core/http.ts";
import type { WireRequest, WireResponse } from "./core/wire.ts";

/** Anything that answers HTTP requests in process. */
type Answer = (request: WireRequest) => Promise<WireResponse>;

/** S3 takes 5 GB and Lambda 6 MB; nothing that a sandbox is sent is larger than this (assumed). */
const LARGEST = 32 * 1024 * 1024;

const tooLarge: WireResponse = { status: 413, headers: {}, body: "" };
const broken: WireResponse = { status: 500, headers: {}, body: "The sandbox itself failed; its terminal says why.\n" };

/** A client that hangs up before it has sent its request is no failure of the sandbox. */
const hungUp = ({ destroyed, complete }: IncomingMessage): boolean => destroyed && !complete;

async function sayBroken(error: unknown, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  if (hungUp(incoming)) return;
  console.error("sandbox:", error);
  if (outgoing.headersSent) outgoing.destroy();
  else await send(broken, outgoing);
}

/**
 * Builds an HTTP server in front of a service of the simulator.
 * @returns a server that does not listen yet
 */
export const httpServer = (answer: Answer): Server =>
  createServer(async (incoming, outgoing) => {
    try {
      const request = await received(incoming, LARGEST);
      await send(request ? await answer(request) : tooLarge, outgoing);
    } catch (error) {
      await sayBroken(error, incoming, outgoing);
    }
  });
