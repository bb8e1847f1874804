import { DescribeInstancesCommand, EC2Client } from "@aws-sdk/client-ec2";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ec2 } from "../../../lib/sandbox/aws/ec2/ec2.ts";
import { s3 } from "../../../lib/sandbox/aws/s3/s3.ts";
import { secretsManager } from "../../../lib/sandbox/aws/secrets-manager/secrets-manager.ts";
import type { WireRequest } from "../../../lib/sandbox/core/wire.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { sdkTransport } from "../../../lib/sandbox/in-process.ts";
import { manualClock } from "../manual-clock.ts";
import { clientOf, codeOf, endpointFor, opened, secretOf, simulationFor } from "./fixture.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function newFixture(hostNow?: () => number) {
  const simulation = simulationFor(manualClock());
  const buckets = s3(simulation);
  buckets.createBucket(demo.bucket);
  buckets.seed(demo.bucket, "payload/a", "content");
  const services = [ec2(simulation, demo).service, buckets.service, secretsManager(simulation, demo).service];
  return { simulation, endpoint: endpointFor(simulation, services, hostNow) };
}

type Fixture = ReturnType<typeof newFixture>;
type Config = Partial<Omit<ReturnType<typeof clientOf>, "region"> & { region: string }>;

/** Makes one call to each service with the given client settings; returns the error codes. */
const callAll = ({ endpoint }: Fixture, more: Config = {}) => {
  const config = { ...clientOf(endpoint), ...more };
  return Promise.all([
    codeOf(new EC2Client(config).send(new DescribeInstancesCommand({}))),
    codeOf(new S3Client(config).send(new GetObjectCommand({ Bucket: demo.bucket, Key: "payload/a" }))),
    codeOf(new SecretsManagerClient(config).send(new GetSecretValueCommand({ SecretId: "missing" }))),
  ]);
};

const tampered = ({ endpoint }: Fixture, change: (request: WireRequest) => WireRequest): Config => ({
  requestHandler: sdkTransport((request) => endpoint.answer(change(request))) as never,
});

const without = (headers: WireRequest["headers"], gone: string) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => name !== gone));

describe("the AWS endpoint", () => {
  it("accepts what real clients sign", async () => {
    expect(await callAll(newFixture())).toEqual(["none", "none", "ResourceNotFoundException"]);
  });

  it("refuses a wrong secret in each service's words", async () => {
    const credentials = { accessKeyId: "AKIAadmin", secretAccessKey: "guessed" };
    const answers = ["AuthFailure", "SignatureDoesNotMatch", "InvalidSignatureException"];
    expect(await callAll(newFixture(), { credentials })).toEqual(answers);
  });

  it("refuses an unknown key", async () => {
    const credentials = { accessKeyId: "AKIAstranger", secretAccessKey: secretOf("admin") };
    const answers = ["AuthFailure", "InvalidAccessKeyId", "UnrecognizedClientException"];
    expect(await callAll(newFixture(), { credentials })).toEqual(answers);
  });

  it("refuses a signature for another region", async () => {
    const answers = ["AuthFailure", "AuthorizationHeaderMalformed", "InvalidSignatureException"];
    expect(await callAll(newFixture(), { region: "eu-central-1" })).toEqual(answers);
  });

  it("refuses a query that is not properly encoded", async () => {
    const request = { method: "GET", url: "/a?X-Amz-Signature=%E0%A4%A", headers: {}, body: new Uint8Array() };
    expect((await newFixture().endpoint.answer(request)).status).toBe(400);
  });

  it("refuses an unsigned call of a function in Lambda's words", async () => {
    const url = "/2015-03-31/functions/look/invocations";
    const answer = await newFixture().endpoint.answer({ method: "POST", url, headers: {}, body: new Uint8Array() });
    expect(answer).toMatchObject({ status: 403, body: expect.stringContaining("Missing Authentication Token") });
  });

  it("refuses a session token that does not belong to the key", async () => {
    const credentials = { accessKeyId: "AKIAadmin", secretAccessKey: secretOf("admin"), sessionToken: "stolen" };
    expect(await callAll(newFixture(), { credentials })).toEqual([
      "AuthFailure",
      "InvalidToken",
      "UnrecognizedClientException",
    ]);
  });

  it("refuses requests without a signature", async () => {
    const fixture = newFixture();
    const config = tampered(fixture, (request) => ({ ...request, headers: without(request.headers, "authorization") }));
    expect(await callAll(fixture, config)).toEqual([
      "MissingAuthenticationToken",
      "AccessDenied",
      "MissingAuthenticationTokenException",
    ]);
  });

  it("refuses a header of AWS's that the signature does not cover", async () => {
    const fixture = newFixture();
    const added = { "x-amz-security-token-hint": "slipped in" };
    const config = tampered(fixture, (request) => ({ ...request, headers: { ...request.headers, ...added } }));
    expect(await callAll(fixture, config)).toEqual([
      "AuthFailure",
      "SignatureDoesNotMatch",
      "InvalidSignatureException",
    ]);
  });

  it("refuses a body that was changed on the way", async () => {
    const fixture = newFixture();
    const change = (request: WireRequest) => ({ ...request, body: Buffer.from(`${Buffer.from(request.body)}&X=1`) });
    const [onEc2, , onSecrets] = await callAll(fixture, tampered(fixture, change));
    expect([onEc2, onSecrets]).toEqual(["AuthFailure", "InvalidSignatureException"]);
  });

  it("refuses a query that was changed on the way", async () => {
    const fixture = newFixture();
    const change = (request: WireRequest) => ({ ...request, url: request.url.replace("payload/a", "payload/b") });
    expect((await callAll(fixture, tampered(fixture, change)))[1]).toBe("SignatureDoesNotMatch");
  });

  it.each([-16, 16])("refuses a signature that is %i minutes off", async (minutes) => {
    const fixture = newFixture(() => Date.now() + minutes * 60_000);
    expect(await callAll(fixture)).toEqual(["RequestExpired", "RequestTimeTooSkewed", "InvalidSignatureException"]);
  });

  it("accepts a signature that is fourteen minutes off", async () => {
    const fixture = newFixture(() => Date.now() + 14 * 60_000);
    expect((await callAll(fixture))[0]).toBe("none");
  });

  it("accepts a presigned URL for as long as it is valid, and no other", async () => {
    const { endpoint } = newFixture(() => now);
    let now = Date.now();
    const object = new GetObjectCommand({ Bucket: demo.bucket, Key: "payload/a" });
    const url = new URL(await getSignedUrl(new S3Client(clientOf(endpoint)), object, { expiresIn: 600 }));
    const open = (path: string) =>
      endpoint.answer({ method: "GET", url: path, headers: { host: url.host }, body: new Uint8Array() });
    expect(Buffer.from((await open(url.pathname + url.search)).body as Uint8Array).toString()).toBe("content");
    expect((await open(url.pathname.replace("/a", "/b") + url.search)).status).toBe(403);
    now += 601_000;
    const lapsed = await open(url.pathname + url.search);
    expect([lapsed.status, lapsed.body]).toEqual([403, expect.stringContaining("Request has expired")]);
  });

  it("refuses a presigned URL that wants to be valid for more than a week", async () => {
    const { endpoint } = newFixture();
    const object = new GetObjectCommand({ Bucket: demo.bucket, Key: "payload/a" });
    const url = new URL(await getSignedUrl(new S3Client(clientOf(endpoint)), object, { expiresIn: 604_800 }));
    const open = (path: string) =>
      endpoint.answer({ method: "GET", url: path, headers: { host: url.host }, body: new Uint8Array() });
    expect((await open(url.pathname + url.search)).status).toBe(200);
    expect((await open((url.pathname + url.search).replace("=604800", "=604801"))).status).toBe(400);
  });

  it("takes ten seconds longer under aws-slow", async () => {
    const fixture = newFixture();
    fixture.simulation.faults.inject("aws-slow", { service: "ec2" }, 1);
    let answered = false;
    const call = new EC2Client(clientOf(fixture.endpoint)).send(new DescribeInstancesCommand({})).then(() => {
      answered = true;
    });
    const clock = fixture.simulation.clock as ReturnType<typeof manualClock>;
    await vi.waitFor(() => expect(fixture.simulation.faults.inForce()).toEqual([]));
    await clock.advance(9_000);
    expect(answered).toBe(false);
    await clock.advance(1_000);
    await call;
  });

  it("throttles and fails under a fault for the action it names", async () => {
    const fixture = newFixture();
    const { faults } = fixture.simulation;
    faults.inject("aws-throttle", { service: "ec2", action: "DescribeInstances" }, 1);
    faults.inject("aws-5xx", { service: "s3" }, 1);
    expect(await callAll(fixture)).toEqual(["RequestLimitExceeded", "InternalError", "ResourceNotFoundException"]);
    expect(await callAll(fixture)).toEqual(["none", "none", "ResourceNotFoundException"]);
  });

  it("records the caller, the action and the result of each call", async () => {
    const fixture = newFixture();
    await callAll(fixture, clientOf(fixture.endpoint, "nobody"));
    const calls = fixture.simulation.calls.after(0).toSorted((one, other) => (one.service < other.service ? -1 : 1));
    expect(calls).toMatchObject([
      { service: "ec2", action: "DescribeInstances", principal: "nobody", status: 403, error: "UnauthorizedOperation" },
      { service: "s3", action: "GetObject", principal: "nobody", status: 403, error: "AccessDenied" },
      { service: "secretsmanager", action: "GetSecretValue", principal: "nobody", error: "AccessDeniedException" },
    ]);
  });

  it("answers over loopback as in process", async () => {
    const { endpoint } = newFixture();
    const { url, server } = await opened(endpoint);
    closing.push(() => server.close());
    const { region, credentials } = clientOf(endpoint);
    const config = { region, credentials, endpoint: url };
    expect((await new EC2Client(config).send(new DescribeInstancesCommand({}))).Reservations).toEqual([]);
    const object = await new S3Client(config).send(new GetObjectCommand({ Bucket: demo.bucket, Key: "payload/a" }));
    expect(await object.Body?.transformToString()).toBe("content");
    const head = new GetObjectCommand({ Bucket: demo.bucket, Key: "payload/none" });
    expect(await codeOf(new S3Client(config).send(head))).toBe("NoSuchKey");
  });
});
