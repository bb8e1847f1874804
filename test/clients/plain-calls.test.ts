import { describe, expect, test } from "vitest";
import { autoScaling } from "../../lambdas/clients/auto-scaling.ts";
import { AwsError, type AwsRequest } from "../../lambdas/clients/aws-call.ts";
import { clusterCredentialOf } from "../../lambdas/clients/cluster-credential.ts";
import { events } from "../../lambdas/clients/events.ts";
import { frontDoor } from "../../lambdas/clients/front-door.ts";
import { functions } from "../../lambdas/clients/functions.ts";
import { invoker } from "../../lambdas/clients/invoke.ts";
import { keyReader } from "../../lambdas/clients/keys.ts";
import { secrets } from "../../lambdas/clients/secrets.ts";
import { subscriptions } from "../../lambdas/clients/subscriptions.ts";
import type { Transport } from "../../lambdas/clients/transport.ts";
import { Retryable } from "../../lambdas/errors.ts";

/** A service that gives these answers one after the other, with the requests that it got. */
function answering(...answers: readonly Readonly<Record<string, unknown>>[]) {
  const asked: AwsRequest[] = [];
  const call = async (request: AwsRequest) => {
    asked.push(request);
    return answers[asked.length - 1] ?? {};
  };
  return { asked, call };
}

const form = (service: AwsRequest["service"], body: string): AwsRequest => ({
  service,
  method: "POST",
  path: "/",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body,
});

const json = (service: AwsRequest["service"], target: string, input: object): AwsRequest => ({
  service,
  method: "POST",
  path: "/",
  headers: { "content-type": "application/x-amz-json-1.1", "x-amz-target": target },
  body: JSON.stringify(input),
});

describe("The subscribers of a topic", () => {
  const TOPIC = "arn:aws:sns:us-west-2:1:people";
  const subscriber = (endpoint: string, arn: string) =>
    `<member><Endpoint>${endpoint}</Endpoint>\n<SubscriptionArn>${arn}</SubscriptionArn></member>`;

  test("are confirmed or pending by their ARNs", async () => {
    const text = [
      subscriber("a@example.com", `${TOPIC}:1`),
      subscriber("b@example.com", "PendingConfirmation"),
      subscriber("c@example.com", `${TOPIC}:2`),
      "<member><Protocol>email</Protocol></member>",
    ].join("");
    const { asked, call } = answering({ text });
    expect(await subscriptions(call)(TOPIC)).toEqual({
      confirmed: ["a@example.com", "c@example.com"],
      pending: ["b@example.com", ""],
    });
    const body = "Action=ListSubscriptionsByTopic&Version=2010-03-31&TopicArn=arn%3Aaws%3Asns%3Aus-west-2%3A1%3Apeople";
    expect(asked).toEqual([form("sns", body)]);
  });

  test.each([{ text: "<Subscriptions/>" }, {}])("are none in %j", async (answer) => {
    expect(await subscriptions(answering(answer).call)(TOPIC)).toEqual({ confirmed: [], pending: [] });
  });
});

describe("An instance's Auto Scaling group", () => {
  const first = form("autoscaling", "Action=DescribeAutoScalingInstances&InstanceIds.member.1=i-1&Version=2011-01-01");

  test("is read with its health checks and its suspended processes", async () => {
    const { asked, call } = answering(
      { text: "<AutoScalingGroupName>web</AutoScalingGroupName><LifecycleState>InService</LifecycleState>" },
      {
        text: [
          "<HealthCheckType>EC2,ELB</HealthCheckType><SuspendedProcesses>\n",
          "<member><ProcessName>HealthCheck</ProcessName>\n<SuspensionReason>no</SuspensionReason></member>",
          "<member><SuspensionReason>unnamed</SuspensionReason></member>\n</SuspendedProcesses>",
          "<Tags><member><ProcessName>not one</ProcessName></member></Tags>",
        ].join(""),
      },
    );
    expect(await autoScaling(call)("i-1")).toEqual({
      group: "web",
      lifecycle: "InService",
      checks: "EC2,ELB",
      suspended: ["HealthCheck", ""],
    });
    const body = "Action=DescribeAutoScalingGroups&AutoScalingGroupNames.member.1=web&Version=2011-01-01";
    expect(asked).toEqual([first, form("autoscaling", body)]);
  });

  test("has no suspended processes and no checks where the answer names none", async () => {
    const { call } = answering({ text: "<AutoScalingGroupName>web</AutoScalingGroupName>" }, {});
    expect(await autoScaling(call)("i-1")).toEqual({ group: "web", lifecycle: "", checks: "", suspended: [] });
  });

  test("is null for an instance of no group, and no group is asked for", async () => {
    const { asked, call } = answering({ text: "<AutoScalingInstances/>" });
    expect(await autoScaling(call)("i-1")).toBeNull();
    expect(asked).toEqual([first]);
  });
});

test("A key is read with its parsed policy", async () => {
  const { asked, call } = answering(
    { KeyMetadata: { KeyState: "Enabled", KeySpec: "SYMMETRIC_DEFAULT" } },
    { Policy: '{"Statement":[]}' },
  );
  expect(await keyReader(call)("arn:key")).toEqual({
    state: "Enabled",
    spec: "SYMMETRIC_DEFAULT",
    policy: { Statement: [] },
  });
  expect(asked).toEqual([
    json("kms", "TrentService.DescribeKey", { KeyId: "arn:key" }),
    json("kms", "TrentService.GetKeyPolicy", { KeyId: "arn:key" }),
  ]);
  await expect(keyReader(answering({}, { Policy: "{}" }).call)("arn:key")).rejects.toThrow("KeyMetadata");
  const metadata = { KeyMetadata: { KeyState: "Enabled", KeySpec: "RSA_2048" } };
  await expect(keyReader(answering(metadata, {}).call)("arn:key")).rejects.toThrow("Policy");
});

describe("An event", () => {
  const event = { source: "casement", detailType: "Node added", detail: { node: "win-1" } };

  test.each([{}, { FailedEntryCount: 0, Entries: [{}] }])(
    "is sent to the default bus, and %j takes it",
    async (one) => {
      const { asked, call } = answering(one);
      expect(await events(call).put(event)).toBeUndefined();
      const entry = { Source: "casement", DetailType: "Node added", Detail: '{"node":"win-1"}' };
      expect(asked).toEqual([json("events", "AWSEvents.PutEvents", { Entries: [entry] })]);
    },
  );

  test.each([
    [[{ ErrorCode: "ThrottlingException" }], "ThrottlingException"],
    [undefined, "undefined"],
  ])("that is rejected with %j is to be sent again", async (Entries, code) => {
    const { call } = answering({ FailedEntryCount: 1, ...(Entries ? { Entries } : {}) });
    const error = await events(call)
      .put(event)
      .catch((thrown: unknown) => thrown);
    expect(error).toEqual(new Retryable(`EventBridge did not take the event: ${code}`));
    expect(error).toBeInstanceOf(Retryable);
  });
});

describe("A function that is called for its answer", () => {
  test("is addressed with its alias, and answers with an object", async () => {
    const { asked, call } = answering({ head: 1 });
    expect(await invoker(call)("f:live", { a: 1 })).toEqual({ head: 1 });
    expect(asked).toEqual([
      {
        service: "lambda",
        method: "POST",
        path: "/2015-03-31/functions/f%3Alive/invocations",
        headers: { "x-amz-invocation-type": "RequestResponse" },
        body: '{"a":1}',
      },
    ]);
  });

  test("has failed if its answer names an error", async () => {
    const { call } = answering({ errorType: "RangeError", errorMessage: "too far" });
    const error = await invoker(call)("f:live", {}).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AwsError);
    expect(error).toMatchObject({
      name: "RangeError",
      message: "too far",
      service: "lambda",
      $metadata: { httpStatusCode: 500 },
    });
  });
});

describe("Lambda's durable executions", () => {
  test("are described by status, end and result", async () => {
    const { asked, call } = answering({ Status: "SUCCEEDED", EndTimestamp: 1.5, Result: '{"done":true}' });
    expect(await functions(call).execution("arn:aws:1")).toEqual({
      status: "SUCCEEDED",
      endedAt: 1_500,
      result: { done: true },
    });
    expect(asked).toEqual([{ service: "lambda", method: "GET", path: "/2025-12-01/durable-executions/arn%3Aaws%3A1" }]);
  });

  test("have neither end nor result while they run", async () => {
    const { call } = answering({ Status: "RUNNING", EndTimestamp: null, Result: null });
    expect(await functions(call).execution("e")).toEqual({ status: "RUNNING", endedAt: undefined, result: undefined });
  });

  test("are woken by a callback with a result", async () => {
    const { asked, call } = answering({});
    await functions(call).succeed("a/b", { vote: 1 });
    expect(asked).toEqual([
      {
        service: "lambda",
        method: "POST",
        path: "/2025-12-01/durable-execution-callbacks/a%2Fb/succeed",
        headers: { "content-type": "application/octet-stream" },
        body: '{"vote":1}',
      },
    ]);
  });
});

describe("A secret", () => {
  const read = (call: Parameters<typeof secrets>[0]) => secrets(call, () => 0).read("casement/c/x", 0);

  test("is asked for by its name", async () => {
    const { asked, call } = answering({ SecretString: "text" });
    expect(await read(call)).toBe("text");
    expect(asked).toEqual([json("secretsmanager", "secretsmanager.GetSecretValue", { SecretId: "casement/c/x" })]);
  });

  test("without text is named", async () => {
    await expect(read(answering({ SecretBinary: "AA==" }).call)).rejects.toThrow(
      "the secret casement/c/x holds no text",
    );
  });

  test("that does not exist is named, with the service's error as the cause; any other error stays as it is", async () => {
    const failing = (error: AwsError) =>
      read(() => Promise.reject(error)).catch((thrown: unknown) => thrown as Error & { cause?: unknown });
    const absent = new AwsError("ResourceNotFoundException", "no staging label", 400);
    const named = await failing(absent);
    expect(named).toEqual(new Error("the secret casement/c/x is empty or does not exist", { cause: absent }));
    const denied = new AwsError("AccessDeniedException", "no", 400);
    expect(await failing(denied)).toBe(denied);
  });
});

describe("The credential of the cluster", () => {
  const good = {
    server: "https://api-int.example.com:6443",
    ca: "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    token: "e30.e30.sig",
  };

  test("is JSON with server, certificate and token", () => {
    expect(clusterCredentialOf(JSON.stringify(good))).toEqual(good);
  });

  test.each([
    [{ ...good, server: "http://api.example.com" }, "server must be an address like https://api-int.example.com:6443"],
    [{ ...good, ca: "MIIB" }, "ca must be a certificate in PEM"],
    [{ ...good, token: "two words" }, "token must be one word"],
    [{ ...good, token: "", ca: "" }, "ca must be a certificate in PEM; token must be one word"],
  ])("with a fault names it and none of its values", (credential, faults) => {
    expect(() => clusterCredentialOf(JSON.stringify(credential))).toThrow(
      new Error(`the cluster credential must be JSON with server, ca and token: ${faults}`),
    );
  });

  test("that is not JSON is refused as a whole", () => {
    expect(() => clusterCredentialOf("secret-token")).toThrow(
      /^the cluster credential must be JSON with server, ca and token: Invalid input: expected object/,
    );
  });
});

test("The front door is asked with a form, and its status is the answer", async () => {
  const sent: unknown[] = [];
  const fetch = async (url: string, init: RequestInit) => {
    sent.push([url, { ...init, signal: init.signal instanceof AbortSignal }]);
    return new Response("no", { status: 401 });
  };
  const ask = frontDoor("https://door.example.com/", { fetch } as unknown as Transport);
  expect(await ask("a=1", { "x-slack-signature": "v0" })).toBe(401);
  const headers = { "content-type": "application/x-www-form-urlencoded", "x-slack-signature": "v0" };
  expect(sent).toEqual([["https://door.example.com/", { method: "POST", headers, body: "a=1", signal: true }]]);
});
