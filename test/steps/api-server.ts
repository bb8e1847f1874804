import type { Transport } from "../../lambdas/clients/transport.ts";
import type { Answers } from "./answering.ts";

/** A request to the API server. */
export interface ApiRequest {
  /** "GET /api/v1/nodes" */
  readonly action: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly type: string | undefined;
}

/** An answer of the API server; its status is 200 unless it says otherwise. */
export interface ApiAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

/** Answers of the API server, by action. An Error is a connection that breaks; an action that is not listed is a 501. */
export type ApiAnswers = Readonly<Record<string, ApiAnswer | Error | ((request: ApiRequest) => ApiAnswer)>>;

/** A Status with which the API server refuses. */
export const apiRefusal = (status: number, message = "no"): ApiAnswer => ({
  status,
  body: { kind: "Status", code: status, message },
});

/** A list of objects. */
export const listOf = (...items: readonly object[]): ApiAnswer => ({ body: { metadata: {}, items } });

/** An API server that answers as a script says; what was asked is kept. */
export function apiServer(answers: ApiAnswers) {
  const requests: ApiRequest[] = [];
  const exchange: Transport["kubernetes"] = async ({ method, url, headers, body }) => {
    const { pathname, searchParams } = new URL(url);
    const request: ApiRequest = {
      action: `${method} ${pathname}`,
      query: Object.fromEntries(searchParams),
      body: body === undefined ? undefined : JSON.parse(body),
      type: headers["Content-Type"] ?? headers["content-type"],
    };
    requests.push(request);
    const answer = answers[request.action] ?? apiRefusal(501, `nothing answers ${request.action}`);
    if (answer instanceof Error) throw answer;
    const { status = 200, headers: more, body: found = {} } = typeof answer === "function" ? answer(request) : answer;
    return { status, headers: { "content-type": "application/json", ...more }, body: JSON.stringify(found) };
  };
  return { exchange, requests };
}

/** The secret with a token of the cluster that is valid from the epoch for so many hours. */
export const clusterSecret = (hours = 24): Answers => {
  const claims = Buffer.from(JSON.stringify({ iat: 0, exp: hours * 3_600 })).toString("base64url");
  const credential = {
    server: "https://api.sandbox.test:6443",
    ca: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    token: `e30.${claims}.sig`,
  };
  return { GetSecretValue: () => ({ body: { SecretString: JSON.stringify(credential) } }) };
};
