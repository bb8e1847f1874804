import { EC2ServiceException } from "@aws-sdk/client-ec2";
import { ApiException } from "@kubernetes/client-node";
import { LogLevel, WebClient } from "@slack/web-api";
import { describe, expect, it } from "vitest";
import { Refused, Retryable, UserError } from "../../lambdas/errors.ts";
import { isBusy, isRefusedByRbac, wordsOf } from "../../lambdas/steps/client-errors.ts";
import { slackCode } from "../../lambdas/steps/slack/slack-code.ts";

const aws = (name: string, status: number) =>
  new EC2ServiceException({ name, $fault: "client", $metadata: { httpStatusCode: status }, message: name });
const kubernetes = (status: number, body: unknown = "") => new ApiException(status, "m", body, {});

/** Error that the real client throws when Slack answers so. */
const slack = (status: number, body: string, headers: Record<string, string> = {}): Promise<unknown> =>
  new WebClient("xoxb-t", {
    slackApiUrl: "http://slack.test/api/",
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    fetch: async () => new Response(body, { status, headers }),
  }).chat
    .postMessage({ channel: "C0", text: "t" })
    .catch((error: unknown) => error);
const slackRefusal = (error: string) => slack(200, JSON.stringify({ ok: false, error }));
const unreachable = (): Promise<unknown> =>
  new WebClient("xoxb-t", {
    retryConfig: { retries: 0 },
    logLevel: LogLevel.ERROR,
    fetch: async () => {
      throw new TypeError("fetch failed");
    },
  }).chat
    .postMessage({ channel: "C0", text: "t" })
    .catch((error: unknown) => error);

describe("A busy service", async () => {
  it.each<[string, unknown]>([
    ["a step that says so", new Retryable("later")],
    ["EC2's throttle", aws("RequestLimitExceeded", 503)],
    ["a throttle with a client's status", aws("ThrottlingException", 400)],
    ["DynamoDB's contention", aws("TransactionConflictException", 400)],
    ["S3's SlowDown", aws("SlowDown", 503)],
    ["any error of the server", aws("Whatever", 500)],
    ["Kubernetes' 429", kubernetes(429)],
    ["Kubernetes' 503", kubernetes(503)],
    ["Kubernetes' 504", kubernetes(504)],
    ["a broken connection", Object.assign(new Error("x"), { code: "ECONNRESET" })],
    ["a connection that takes too long", Object.assign(new Error("x"), { name: "TimeoutError" })],
    ["a name that is not resolved now", Object.assign(new Error("x"), { code: "EAI_AGAIN" })],
    ["a fetch that failed", new TypeError("fetch failed")],
    ["Slack's rate limit", await slack(429, "", { "retry-after": "30" })],
    ["Slack's 503", await slack(503, "<html>")],
    ["Slack's own trouble", await slackRefusal("internal_error")],
    ["Slack's catastrophe", await slackRefusal("fatal_error")],
    ["Slack being away", await slackRefusal("service_unavailable")],
    ["Slack out of reach", await unreachable()],
  ])("after %s", (_, error) => {
    expect(isBusy(error)).toBe(true);
  });
});

describe("Trying again is useless", async () => {
  it.each<[string, unknown]>([
    ["a refusal", new Refused("no")],
    ["a mistake of the requester", new UserError("what?")],
    ["a bug", new TypeError("x is not a function")],
    ["missing permission", aws("UnauthorizedOperation", 403)],
    ["a wrong parameter", aws("InvalidParameterValue", 400)],
    ["a condition that did not hold", aws("ConditionalCheckFailedException", 400)],
    ["a mismatch of tokens", aws("IdempotentParameterMismatch", 400)],
    ["Kubernetes' 403", kubernetes(403)],
    ["Kubernetes' 409", kubernetes(409)],
    ["Kubernetes' 404", kubernetes(404)],
    ["a channel that does not exist", await slackRefusal("channel_not_found")],
    ["a wrong token", await slackRefusal("invalid_auth")],
    ["a text", "ThrottlingException"],
    ["nothing", undefined],
    ["null", null],
  ])("after %s", (_, error) => {
    expect(isBusy(error)).toBe(false);
  });
});

/** Words of 1.34, and of 1.36 about an impersonation. */
describe("A refusal by RBAC", () => {
  it.each([
    'nodes is forbidden: User "system:serviceaccount:casement:act" cannot list resource "nodes" in API group "" at the cluster scope',
    'nodes is forbidden: User "a" cannot impersonate-on:user-info:list resource "nodes" in API group "" at the cluster scope',
    'forbidden: User "a" cannot get path "/version"',
  ])("is known by its words: %s", (message) => {
    expect(isRefusedByRbac(kubernetes(403, JSON.stringify({ kind: "Status", message })))).toBe(true);
  });

  it.each([
    `nodes "n" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: act cannot change resource "nodes"`,
    'pods "p" is forbidden: unable to create new content in namespace n because it is being terminated',
    "",
  ])("is no other refusal: %s", (message) => {
    expect(isRefusedByRbac(kubernetes(403, JSON.stringify({ kind: "Status", message })))).toBe(false);
  });
});

describe("The words of an error", async () => {
  it.each<[string, unknown, string]>([
    ["an error's message", new Error("no room"), "no room"],
    [
      "the API server's message out of a bare text",
      kubernetes(403, '{"message":"nodes is forbidden"}'),
      "nodes is forbidden",
    ],
    [
      "the API server's message out of an object",
      kubernetes(403, { message: "nodes is forbidden" }),
      "nodes is forbidden",
    ],
    [
      "the status where the body says nothing",
      kubernetes(502, "<html>Bad Gateway</html>"),
      "the API server answered 502",
    ],
    ["the status where the message is empty", kubernetes(500, { message: "" }), "the API server answered 500"],
    ["the status where the body is null", kubernetes(500, "null"), "the API server answered 500"],
    ["a text as it is", "oops", "oops"],
    ["that Slack is away", await slack(503, "<html>"), "Slack answered 503"],
    ["that Slack limits", await slack(429, "", { "retry-after": "30" }), "Slack rate-limited the request"],
    ["Slack's refusal", await slackRefusal("channel_not_found"), "Slack refused: channel_not_found"],
    ["that Slack is out of reach", await unreachable(), "Slack did not answer (fetch failed)"],
  ])("are %s", (_, error, words) => {
    expect(wordsOf(error)).toBe(words);
  });

  it("are Slack's code only where Slack spoke", async () => {
    expect(slackCode(await slackRefusal("not_found"))).toBe("not_found");
    expect(slackCode(new Error("not_found"))).toBeUndefined();
  });
});
