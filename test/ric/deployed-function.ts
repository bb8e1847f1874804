import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { listen } from "../../bin/ports.ts";

const RIC = fileURLToPath(new URL("runtime/node_modules/aws-lambda-ric/index.mjs", import.meta.url));
const PRELOAD = new URL("preload.ts", import.meta.url).href;

/** A bundle that runs under AWS's own runtime client, as it would in Lambda. */
export interface DeployedFunction {
  /** One invocation; rejects with what the handler threw, or when the process ended. */
  invoke(event: unknown): Promise<unknown>;
  /** Number of invocations that it has answered. */
  answered(): number;
  stop(): Promise<void>;
}

interface Invocation {
  readonly id: string;
  readonly event: unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The part of the Runtime API that a runtime client talks to: a queue of events, and a place for answers. */
function runtimeApi() {
  const waiting: Invocation[] = [];
  const running = new Map<string, Invocation>();
  let idle: ServerResponse | undefined;
  let answered = 0;
  let ended: string | undefined;
  const hand = (response: ServerResponse, invocation: Invocation): void => {
    running.set(invocation.id, invocation);
    response.writeHead(200, {
      "content-type": "application/json",
      "lambda-runtime-aws-request-id": invocation.id,
      "lambda-runtime-deadline-ms": String(Date.now() + 60_000),
      "lambda-runtime-invoked-function-arn": "arn:aws:lambda:us-west-2:111122223333:function:deployed:live",
    });
    response.end(JSON.stringify(invocation.event));
  };
  const pump = (): void => {
    const invocation = idle ? waiting.shift() : undefined;
    if (!idle || !invocation) return;
    hand(idle, invocation);
    idle = undefined;
  };
  const fail = (why: string): void => {
    ended = why;
    for (const { reject } of [...running.values(), ...waiting]) reject(new Error(why));
  };
  const settle = async (request: IncomingMessage, id: string, what: string): Promise<void> => {
    const body = await text(request);
    const invocation = running.get(id);
    running.delete(id);
    answered += 1;
    if (what === "response") invocation?.resolve(body === "" ? undefined : JSON.parse(body));
    else invocation?.reject(new Error(body));
  };
  const server = createServer(async (request, response) => {
    if (request.url?.endsWith("/invocation/next")) {
      idle = response;
      return pump();
    }
    const [, id = "", what = ""] = /\/invocation\/([^/]+)\/(response|error)$/.exec(request.url ?? "") ?? [];
    if (id) await settle(request, id, what);
    else fail(await text(request));
    response.writeHead(202).end();
  });
  const invoke = (event: unknown): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(new Error(ended));
      waiting.push({ id: randomUUID(), event, resolve, reject });
      pump();
    });
  return { server, invoke, fail, answered: () => answered };
}

const closed = (server: Server, child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.kill("SIGKILL");
    server.close(() => resolve());
    server.closeAllConnections();
  });

/**
 * Starts a bundle under aws-lambda-ric.
 * @param folder of the bundle
 * @param environment all that it is told, as Lambda tells it
 */
export async function deployedFunction(folder: string, environment: Record<string, string>): Promise<DeployedFunction> {
  const api = runtimeApi();
  const port = await listen(api.server, 0);
  const child = spawn(process.execPath, ["--no-warnings", "--import", PRELOAD, RIC], {
    cwd: folder,
    env: {
      ...environment,
      AWS_LAMBDA_RUNTIME_API: `127.0.0.1:${port}`,
      LAMBDA_TASK_ROOT: folder,
      _HANDLER: "index.handler",
      AWS_LAMBDA_FUNCTION_NAME: "deployed",
      AWS_LAMBDA_FUNCTION_VERSION: "1",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "1024",
      AWS_LAMBDA_LOG_GROUP_NAME: "log",
      AWS_LAMBDA_LOG_STREAM_NAME: "stream",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
  child.on("exit", (code) => api.fail(`the runtime ended with ${code}:\n${said}`));
  return { invoke: api.invoke, answered: api.answered, stop: () => closed(api.server, child) };
}
