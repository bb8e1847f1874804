import { WebClient } from "@slack/web-api";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AwsError } from "../../../lambdas/clients/aws-call.ts";
import type { DoctorCheck } from "../../../lambdas/steps/doctor/check.ts";
import { awsAway, first, isolated, right } from "../../../lambdas/steps/doctor/check.ts";
import { slackChecks, slackIdentity } from "../../../lambdas/steps/doctor/slack.ts";
import { type ApiAnswer, apiRefusal } from "../api-server.ts";
import { patientOf } from "./a-cluster.ts";

const failing = (error: unknown): DoctorCheck => right("ec2:DescribeSubnets", () => Promise.reject(error));
const aws = (name: string, message = "no", status = 400) => new AwsError(name, message, status, undefined, "dynamodb");
const { patient } = patientOf({});
const named = (name: string, message: string) => Object.assign(new Error(message), { name });

/** The error of the Kubernetes client after an answer. */
const refusedBy = async (answer: ApiAnswer): Promise<unknown> =>
  patientOf({ "GET /version": answer })
    .patient.context.clients.kubernetes.version.getCode({})
    .catch((error: unknown) => error);

test("A right is a check of AWS", () => {
  expect(right("ec2:RunInstances", async () => [])).toMatchObject({ area: "AWS", what: "ec2:RunInstances" });
});

describe("A check that fails becomes a finding", () => {
  test.each<[string, () => unknown, object]>([
    [
      "a denial that names the action",
      () => aws("AccessDeniedException", "u is not authorized to perform: ec2:DescribeVpcs on resource r"),
      { kind: "denied", by: "the doctor", action: "ec2:DescribeVpcs" },
    ],
    [
      "a denial that names none",
      () => named("403", "x"),
      { kind: "denied", by: "the doctor", action: "ec2:DescribeSubnets" },
    ],
    ["S3's denial", () => named("Forbidden", "x"), { kind: "denied", by: "the doctor", action: "ec2:DescribeSubnets" }],
    ["no credentials", () => aws("ExpiredToken"), { kind: "no-credentials", why: "ExpiredToken: no" }],
    [
      "a missing scope",
      () =>
        Object.assign(new Error("x"), {
          code: "slack_webapi_platform_error",
          data: { error: "missing_scope", needed: "users:read,chat:write" },
        }),
      { kind: "scopes-missing", scopes: ["users:read", "chat:write"] },
    ],
    [
      "a rejected token of the cluster",
      () => refusedBy(apiRefusal(401)),
      { kind: "credential-refused", account: "look" },
    ],
    [
      "a right in the cluster",
      () => refusedBy(apiRefusal(403, "nodes is forbidden")),
      {
        kind: "right-missing",
        account: "look",
        does: "read ec2:DescribeSubnets",
        right: "nodes is forbidden",
      },
    ],
    [
      "no answer of a service that is named",
      () => aws("InternalServerError"),
      {
        kind: "no-answer",
        area: "AWS",
        what: "ec2:DescribeSubnets",
        why: "InternalServerError: no",
        service: "DynamoDB",
      },
    ],
    [
      "a throttle",
      () => aws("ThrottlingException"),
      {
        kind: "no-answer",
        area: "AWS",
        what: "ec2:DescribeSubnets",
        why: "ThrottlingException: no",
        service: "DynamoDB",
        throttled: true,
      },
    ],
    [
      "a bug",
      () => new Error("x is undefined"),
      { kind: "no-answer", area: "AWS", what: "ec2:DescribeSubnets", why: "x is undefined" },
    ],
  ])("for %s", async (_what, error, finding) => {
    const thrown = await error();
    expect(await isolated(failing(thrown), patient)).toEqual([finding]);
    const isDown = (finding as { kind: string }).kind === "no-answer";
    expect(await first(failing(thrown), patient)).toEqual({
      up: false,
      findings: [isDown ? { kind: "down", area: "AWS", why: (finding as { why: string }).why } : finding],
    });
  });

  test("that names the requester where the function has no account", async () => {
    const { account: _none, ...settings } = patient.context.settings;
    const without = { ...patient, context: { ...patient.context, settings } };
    const error = await refusedBy(apiRefusal(401));
    expect(await isolated(failing(error), without)).toEqual([{ kind: "credential-refused", account: "the doctor" }]);
  });
});

test("A check that succeeds gives its findings, and its side is up", async () => {
  const finding = { kind: "no-linux-node" } as const;
  const check = right("x", async () => [finding]);
  expect(await isolated(check, patient)).toEqual([finding]);
  expect(await first(check, patient)).toEqual({ up: true, findings: [finding] });
});

test("AWS as a whole is down, or refuses the credentials", () => {
  expect(awsAway(aws("InternalError"))).toEqual({ kind: "down", area: "AWS", why: "InternalError: no" });
  expect(awsAway(named("CredentialsProviderError", "none"))).toEqual({ kind: "no-credentials", why: "none" });
});

describe("A check that takes too long", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  test("has no answer after six seconds", async () => {
    const check = right("x", () => new Promise(() => undefined));
    const results = Promise.all([isolated(check, patient), first(check, patient)]);
    let isOver = false;
    void results.then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(5_999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await results).toEqual([
      [{ kind: "no-answer", area: "AWS", what: "x", why: "no answer within 6 s" }],
      { up: false, findings: [{ kind: "down", area: "AWS", why: "no answer within 6 s" }] },
    ]);
  });
});

describe("Slack", () => {
  const scopes = "commands,chat:write,users:read,usergroups:read,channels:read,channels:history";

  /** A patient whose Slack answers each call so, or whose secret cannot be read. */
  const patientWith = (answer: object | Error, headers: Record<string, string> = {}) => {
    const slack = async () => {
      if (answer instanceof Error && "$metadata" in answer) throw answer;
      return new WebClient("xoxb-t", {
        slackApiUrl: "http://slack.test/api/",
        retryConfig: { retries: 0 },
        fetch: async () => {
          if (answer instanceof Error) throw answer;
          return Response.json(answer, { headers });
        },
      });
    };
    return { ...patient, context: { ...patient.context, clients: { ...patient.context.clients, slack } } };
  };
  const identity = (answer: object | Error, granted = scopes) =>
    slackIdentity
      .observe(patientWith(answer, { "x-oauth-scopes": granted }))
      .catch(({ name, message }: Error) => `${name}: ${message}`);
  const me = { ok: true, team_id: "T0", user_id: "U0" };
  const [channelCheck] = slackChecks;

  test("is asked who the app is, and which channel it is in", () => {
    expect([slackIdentity, ...slackChecks].map(({ area, what }) => `${area}: ${what}`)).toEqual([
      "Slack: the app's token and scopes",
      "Slack: the channel",
    ]);
  });

  test.each<[string, object | Error, string, unknown]>([
    ["the app with every scope", me, scopes, []],
    [
      "another app",
      { ok: true, team_id: "T1", user_id: "U1" },
      scopes,
      [{ kind: "other-app", found: "T1/U1", configured: "T0/U0" }],
    ],
    [
      "an app that says nothing of itself",
      { ok: true },
      scopes,
      [{ kind: "other-app", found: "/", configured: "T0/U0" }],
    ],
    [
      "an app without two scopes",
      me,
      "commands,chat:write,usergroups:read,channels:read",
      [{ kind: "scopes-missing", scopes: ["users:read", "channels:history"] }],
    ],
    [
      "a revoked token",
      { ok: false, error: "token_revoked" },
      scopes,
      [{ kind: "slack-credential", why: "token_revoked" }],
    ],
    ["no token", { ok: false, error: "not_authed" }, scopes, [{ kind: "slack-credential", why: "not_authed" }]],
    ["Slack's own trouble", { ok: false, error: "internal_error" }, scopes, expect.stringContaining("internal_error")],
    [
      "a Secrets Manager that is busy",
      aws("InternalServiceError"),
      scopes,
      [{ kind: "down", area: "AWS", why: "InternalServiceError: no" }],
    ],
    ["a secret that must not be read", aws("AccessDeniedException"), scopes, "AccessDeniedException: no"],
    [
      "a secret of another form",
      Object.assign(new Error("must be JSON"), { $metadata: {} }),
      scopes,
      [{ kind: "slack-credential", why: "Error: must be JSON" }],
    ],
  ])("answers as %s", async (_what, answer, granted, found) => {
    expect(await identity(answer, granted)).toEqual(found);
  });

  test.each<[string, object, unknown]>([
    ["a member", { ok: true, channel: { is_member: true } }, []],
    ["no member", { ok: true, channel: { is_member: false } }, [{ kind: "not-a-member", channel: "C0" }]],
    ["unknown to Slack", { ok: true }, [{ kind: "not-a-member", channel: "C0" }]],
    [
      "in a shared channel",
      { ok: true, channel: { is_member: true, is_ext_shared: true } },
      [{ kind: "channel-shared", channel: "C0" }],
    ],
    [
      "in no channel that Slack knows",
      { ok: false, error: "channel_not_found" },
      [{ kind: "channel-unknown", channel: "C0" }],
    ],
    ["refused", { ok: false, error: "invalid_auth" }, expect.stringContaining("invalid_auth")],
  ])("says that the app is %s", async (_what, answer, found) => {
    const result = channelCheck?.observe(patientWith(answer)).catch(({ message }: Error) => message);
    expect(await result).toEqual(found);
  });
});
