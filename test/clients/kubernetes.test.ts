import { webcrypto } from "node:crypto";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ClusterCredential, kubernetes } from "../../lambdas/clients/kubernetes.ts";
import type { KubernetesExchange } from "../../lambdas/clients/transport.ts";
import { Retryable } from "../../lambdas/errors.ts";
import { withLog } from "../../lambdas/logging.ts";
import { issue } from "../inputs/trust/issuing.ts";

type Asked = Parameters<KubernetesExchange>[0];

const credential: ClusterCredential = { server: "https://api.example.com:6443", ca: "CA", token: "old" };
const thrown = (promise: Promise<unknown>): Promise<unknown> => promise.catch((error: unknown) => error);
const body = (message: string, more: object = {}) => JSON.stringify({ kind: "Status", message, ...more });

interface Answered {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Clients of an API server that gives these answers, one after the other, the last one for ever. */
function on(...answers: readonly Answered[]) {
  const asked: Asked[] = [];
  const fresh: boolean[] = [];
  const exchange: KubernetesExchange = async (request) => {
    const { status = 200, headers = {}, body: text = "{}" } = answers[Math.min(asked.length, answers.length - 1)] ?? {};
    asked.push(request);
    return { status, headers: { "content-type": "application/json", ...headers }, body: text };
  };
  const read = async (isFresh: boolean) => {
    fresh.push(isFresh);
    return isFresh ? { ...credential, token: "new" } : credential;
  };
  return { api: kubernetes(read, exchange), asked, fresh };
}

describe("A request to the API server", () => {
  test("goes to the credential's server with its token", async () => {
    const { api, asked, fresh } = on({});
    await api.core.listNode({ limit: 5 });
    await api.core.deleteNode({ name: "win-1", body: { preconditions: { uid: "u" } } });
    expect(asked).toMatchObject([
      {
        method: "GET",
        url: "https://api.example.com:6443/api/v1/nodes?limit=5",
        headers: { authorization: "Bearer old" },
        body: undefined,
      },
      { method: "DELETE", body: '{"preconditions":{"uid":"u"}}' },
    ]);
    expect(fresh).toEqual([false, false]);
  });

  test("is made once more with the newest credential after a 401, and no third time", async () => {
    const replaced = on({ status: 401 }, { body: '{"metadata":{"name":"win-1"}}' });
    expect(await replaced.api.core.readNode({ name: "win-1" })).toMatchObject({ metadata: { name: "win-1" } });
    expect(replaced.asked.map(({ headers }) => headers.authorization)).toEqual(["Bearer old", "Bearer new"]);
    const refused = on({ status: 401 });
    expect(await thrown(refused.api.core.readNode({ name: "win-1" }))).toMatchObject({ code: 401 });
    expect(refused.fresh).toEqual([false, true]);
  });
});

describe("A refusal of the API server", () => {
  const logged = async (answer: Answered) => {
    const lines: string[] = [];
    const runtime = { settings: { cluster: "c" }, now: () => 0, log: (line: string) => void lines.push(line) };
    const { api } = on(answer);
    const evict = () =>
      api.core.createNamespacedPodEviction({
        namespace: "shop",
        name: "a",
        body: { apiVersion: "policy/v1", kind: "Eviction" },
      });
    await withLog(runtime, {}, () => thrown(evict()));
    return lines.map((line) => JSON.parse(line));
  };

  test("is logged with the request's path and the id in the audit log", async () => {
    expect(await logged({ status: 403, headers: { "audit-id": "a-1" }, body: body("no") })).toEqual([
      {
        time: "1970-01-01T00:00:00.000Z",
        level: "WARN",
        event: "refusal",
        service: "kubernetes",
        action: "POST /api/v1/namespaces/shop/pods/a/eviction",
        code: "403",
        status: 403,
        requestId: "a-1",
        outcome: "denied",
      },
    ]);
  });

  test("by a budget is an answer and not logged, by an overloaded server it is", async () => {
    const causes = { details: { causes: [{ reason: "DisruptionBudget" }] } };
    expect(await logged({ status: 429, body: body("no", causes) })).toEqual([]);
    expect(await logged({ status: 429, body: "Too many requests" })).toMatchObject([{ outcome: "throttled" }]);
    expect(await logged({ status: 503, body: body("DisruptionBudget") })).toMatchObject([{ outcome: "unavailable" }]);
    expect(await logged({ body: "{}" })).toEqual([]);
  });
});

describe("A connection to the API server", () => {
  let server: Server;
  let own: ClusterCredential;
  let connections = 0;
  const seen: { method: string | undefined; length: string | undefined; text: string }[] = [];

  beforeAll(async () => {
    const { pem, keys } = await issue({ subject: "CN=localhost" });
    const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64");
    const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----\n`;
    server = createServer({ cert: pem, key }, (incoming, outgoing) => {
      let text = "";
      incoming.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      incoming.on("end", () => {
        seen.push({ method: incoming.method, length: incoming.headers["content-length"], text });
        outgoing.writeHead(incoming.method === "DELETE" ? 409 : 200, {
          "content-type": "application/json",
          "set-cookie": ["a=1", "b=2"],
        });
        outgoing.end('{"gitVersion":"v1.34.2"}');
      });
    });
    server.on("secureConnection", () => {
      connections += 1;
    });
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    own = { server: `https://localhost:${(server.address() as AddressInfo).port}`, ca: pem, token: "t" };
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test("is trusted by the credential's authority, kept, and says the length of every body", async () => {
    const api = kubernetes(async () => own);
    expect(await api.version.getCode({})).toMatchObject({ gitVersion: "v1.34.2" });
    const refused = await thrown(api.core.deleteNode({ name: "win-1", body: { preconditions: { uid: "ü" } } }));
    expect(refused).toMatchObject({ code: 409, headers: { "set-cookie": "a=1, b=2" } });
    expect(seen).toEqual([
      { method: "GET", length: undefined, text: "" },
      { method: "DELETE", length: "30", text: '{"preconditions":{"uid":"ü"}}' },
    ]);
    expect(connections).toBe(1);
  });

  test("with another authority is a new one, which is not trusted", async () => {
    const { pem } = await issue({ subject: "CN=localhost" });
    const error = await thrown(kubernetes(async () => ({ ...own, ca: pem })).version.getCode({}));
    expect(error).toBeInstanceOf(Retryable);
    expect(error).toMatchObject({
      message: expect.stringMatching(/^the API server cannot be reached: /),
      cause: { code: expect.stringMatching(/SIGN/) },
    });
  });

  test("that is refused can be tried again", async () => {
    const error = await thrown(kubernetes(async () => ({ ...own, server: "https://localhost:1" })).version.getCode({}));
    expect(error).toBeInstanceOf(Retryable);
    expect(error).toMatchObject({ message: expect.stringMatching(/^the API server cannot be reached: /) });
  });
});
