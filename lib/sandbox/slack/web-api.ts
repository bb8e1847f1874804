import { json, pathOf, type WireRequest, type WireResponse } from "../core/wire.ts";
import type { Json } from "./block-kit/check.ts";
import { callArguments, tokenOf } from "./call-arguments.ts";
import { errorIn, slackFaults, tooMany, withFaults } from "./faults.ts";
import { chatMethods } from "./methods/chat.ts";
import { conversationMethods } from "./methods/conversations.ts";
import type { Method } from "./methods/method.ts";
import { peopleMethods } from "./methods/people.ts";
import { viewMethods } from "./methods/views.ts";
import { type RateLimits, rateLimits } from "./rate-limits.ts";
import { explained, SlackError } from "./slack-error.ts";
import { appScopes, type Workspace } from "./workspace.ts";

interface Call {
  readonly name: string;
  readonly method: Method;
  readonly args: Json;
}

const refusal = (error: SlackError): WireResponse => json({ ok: false, error: error.code, ...error.details });

/** Finds the call, and refuses an app that may not make it. */
function admitted(name: string, request: WireRequest, methods: Record<string, Method>, workspace: Workspace): Call {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  if (!method) throw new SlackError("unknown_method");
  const args = callArguments(request);
  const token = tokenOf(request, args);
  if (token === undefined) throw new SlackError("not_authed");
  if (token !== workspace.options.botToken) throw new SlackError("invalid_auth");
  const scopes: readonly string[] = workspace.options.scopes ?? appScopes;
  if (method.scope !== null && !scopes.includes(method.scope)) {
    throw new SlackError("missing_scope", { needed: method.scope, provided: scopes.join(",") });
  }
  return { name, method, args };
}

function checkNeeds({ method, args }: Call): void {
  const missing = method.needs.filter((name) => args[name] === undefined || args[name] === "");
  if (missing.length === 0) return;
  throw explained(
    "invalid_arguments",
    missing.map((name) => `missing required field: ${name}`),
  );
}

function done(call: Call, limits: RateLimits): WireResponse {
  const channel = call.args.channel === undefined ? undefined : String(call.args.channel);
  const seconds = limits.exceeded(call.name, call.method.tier, channel);
  if (seconds !== undefined) return tooMany(seconds);
  checkNeeds(call);
  return json({ ok: true, ...call.method.run(call.args) });
}

/** Slack names the token's scopes in each answer, and those that the method would take (docs: "Scopes and permissions"). */
const scopeHeaders = (workspace: Workspace, method: Method): Record<string, string> => ({
  "x-oauth-scopes": (workspace.options.scopes ?? appScopes).join(","),
  ...(method.scope === null ? {} : { "x-accepted-oauth-scopes": method.scope }),
});

/** The Web API. */
export interface WebApi {
  /** Answers a call to `/api/<method>`; undefined when the path is none of the API's. */
  answer(request: WireRequest): Promise<WireResponse> | undefined;
}

/** Builds the Web API over a workspace. */
export function webApi(workspace: Workspace): WebApi {
  const { simulation } = workspace;
  const limits = rateLimits(simulation);
  const methods: Record<string, Method> = {
    ...chatMethods(workspace),
    ...viewMethods(workspace),
    ...conversationMethods(workspace),
    ...peopleMethods(workspace),
  };
  const channels = workspace.directory.channels.map(({ id }) => id);
  simulation.faults.declare(...slackFaults(Object.keys(methods), channels));
  const answer = async (name: string, request: WireRequest): Promise<WireResponse> => {
    try {
      const call = admitted(name, request, methods, workspace);
      const facts = { method: name, channel: String(call.args.channel ?? "") };
      const answered = await withFaults(simulation, facts, () => done(call, limits));
      return { ...answered, headers: { ...scopeHeaders(workspace, call.method), ...answered.headers } };
    } catch (error) {
      if (error instanceof SlackError) return refusal(error);
      throw error;
    }
  };
  const recorded = async (name: string, request: WireRequest): Promise<WireResponse> => {
    const response = await answer(name, request);
    const error = errorIn(response);
    const principal = error === "not_authed" || error === "invalid_auth" ? "anonymous" : workspace.directory.app.name;
    simulation.calls.record({ service: "slack", action: name, principal, status: response.status, error });
    return response;
  };
  return {
    answer: (request) => {
      const name = /\/api\/([A-Za-z.]+)$/.exec(pathOf(request))?.[1];
      return name === undefined ? undefined : recorded(name, request);
    },
  };
}
