import { createHash } from "node:crypto";
import { GetObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { describe, expect, it, vi } from "vitest";
import { directoryTick } from "../../lambdas/cloud-events/directory-tick.ts";
import { configurationOf } from "../../lambdas/configuration/configuration.ts";
import { type PayloadFile, payloadManifestOf } from "../../lambdas/machine/payload.ts";
import { okd } from "../../lambdas/profiles/okd/okd.ts";
import { hostedRelease } from "../../lambdas/release/handler.ts";
import { type Payload, releaseContent } from "../../lib/release-content.ts";
import { s3 } from "../../lib/sandbox/aws/s3/s3.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { clientOf, endpointFor, simulationFor } from "../sandbox/aws/fixture.ts";
import { manualClock } from "../sandbox/manual-clock.ts";
import { exampleWith, type Loose } from "./example.ts";

const OURS = ["guard.ps1", "network.ps1", "registries.ps1"];

const payload = {
  format: 1,
  profile: "okd",
  kubernetes: "1.34.2",
  files: [...okd.payloadPaths]
    .filter(([name]) => !OURS.includes(name))
    .map(([name, path]): PayloadFile => {
      const key = `payload/okd/1.34.2/${name}`;
      return { name, path, version: "1.34.2", key, versionId: "uploaded", sha256: "a".repeat(64), size: 1 };
    }),
} satisfies Payload;

const made = {
  bucket: demo.bucket,
  ledgerTable: demo.ledgerTable,
  instanceProfileArn: demo.instanceProfileArn,
  securityGroup: demo.securityGroups.windowsNodes,
};

/** The publisher on the simulated S3, by the permissions of its own role, and a CloudFormation that takes its answer. */
function newFixture() {
  const simulation = simulationFor(manualClock());
  const buckets = s3(simulation);
  buckets.createBucket(demo.bucket);
  const door = endpointFor(simulation, [buckets.service]);
  const as = (principal: string) => new S3Client(clientOf(door, principal));
  const answers: Loose[] = [];
  const fetch = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    answers.push({ type: new Headers(init?.headers).get("content-type"), ...JSON.parse(String(init?.body)) });
    return new Response(null, { status: 200 });
  };
  const woken: string[] = [];
  const invoke = async (functionName: string, event: object): Promise<void> => {
    if (away.lambda) throw new Error("Lambda is away");
    woken.push(`${functionName} ${JSON.stringify(event)}`);
  };
  const away = { lambda: false };
  const release = hostedRelease({ s3: () => as("release"), invoke, fetch });
  const ask = async (RequestType: string, content: object): Promise<Loose> => {
    await release({
      RequestType,
      ResponseURL: "https://cloudformation.example.com/answer?signature=s",
      StackId: "stack",
      RequestId: "request",
      LogicalResourceId: "Release",
      ResourceProperties: {
        Bucket: demo.bucket,
        Cluster: "west",
        Directory: "casement-cloud-events",
        Release: JSON.stringify(content),
      },
    });
    return answers.at(-1) ?? {};
  };
  const get = async (Key: string, VersionId?: string): Promise<string> => {
    const { Body } = await as("admin").send(new GetObjectCommand({ Bucket: demo.bucket, Key, VersionId }));
    return (await Body?.transformToString()) ?? "";
  };
  return { ask, get, woken, away };
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

describe("publishing a release", () => {
  it("writes a release document that the handlers accept, and names its version", async () => {
    const { ask, get } = newFixture();
    const answer = await ask("Create", releaseContent(exampleWith({}), payload, made));
    expect(answer).toMatchObject({ Status: "SUCCESS", StackId: "stack", RequestId: "request", type: "" });
    const { RuntimeVersion } = answer.Data as Loose;
    const document = JSON.parse(await get("runtime/current.json", String(RuntimeVersion)));
    expect(configurationOf(document.configuration).pools.web?.securityGroup).toBe(made.securityGroup);
    expect(payloadManifestOf(okd, document.payload).files).toHaveLength(okd.payloadPaths.size);
  });

  it("puts our scripts where the document says they are, byte for byte", async () => {
    const { ask, get } = newFixture();
    await ask("Create", releaseContent(exampleWith({}), payload, made));
    const document = JSON.parse(await get("runtime/current.json"));
    const ours = payloadManifestOf(okd, document.payload).files.filter(({ name }) => OURS.includes(name));
    expect(ours).toHaveLength(OURS.length);
    for (const { key, versionId, sha256: hash } of ours) expect(sha256(await get(key, versionId))).toBe(hash);
  });

  it("keeps the document that running executions go by when another follows", async () => {
    const { ask, get } = newFixture();
    const first = await ask("Create", releaseContent(exampleWith({}), payload, made));
    const second = await ask("Update", releaseContent(exampleWith({}), payload, { ...made, ledgerTable: "another" }));
    const versions = [first, second].map(({ Data }) => String((Data as Loose).RuntimeVersion));
    const tables = await Promise.all(versions.map((version) => get("runtime/current.json", version)));
    expect(tables.map((text) => JSON.parse(text).configuration.ledgerTable)).toEqual([demo.ledgerTable, "another"]);
    expect(second.PhysicalResourceId).toBe(first.PhysicalResourceId);
  });

  it("has the directory of people read at once, so that a fresh stack knows its groups", async () => {
    const { ask, woken } = newFixture();
    await ask("Create", releaseContent(exampleWith({}), payload, made));
    expect(woken).toEqual([`casement-cloud-events ${JSON.stringify(directoryTick("west", "request"))}`]);
  });

  it("is none the worse when the directory cannot be asked for", async () => {
    const { ask, away } = newFixture();
    away.lambda = true;
    const silenced = vi.spyOn(console, "error").mockReturnValue();
    expect(await ask("Create", releaseContent(exampleWith({}), payload, made))).toMatchObject({ Status: "SUCCESS" });
    expect(silenced).toHaveBeenCalledOnce();
    silenced.mockRestore();
  });

  it("publishes nothing while the payload is missing, and says so", async () => {
    const { ask, get, woken } = newFixture();
    const answer = await ask("Create", releaseContent(exampleWith({}), null, made));
    expect(woken).toEqual([]);
    expect(answer).toMatchObject({ Status: "SUCCESS", Data: { RuntimeVersion: "none: the payload is missing" } });
    await expect(get("runtime/current.json")).rejects.toThrow("does not exist");
  });

  it("takes the document back when the payload is left out again, and keeps it for running executions", async () => {
    const { ask, get } = newFixture();
    const first = await ask("Create", releaseContent(exampleWith({}), payload, made));
    const { RuntimeVersion } = first.Data as Loose;
    expect(await ask("Update", releaseContent(exampleWith({}), null, made))).toMatchObject({
      Status: "SUCCESS",
      Data: { RuntimeVersion: "none: the payload is missing" },
    });
    await expect(get("runtime/current.json")).rejects.toThrow("does not exist");
    expect(await get("runtime/current.json", String(RuntimeVersion))).not.toBe("");
  });

  it("fails the deployment with the path of a wrong value", async () => {
    const { ask, get } = newFixture();
    const answer = await ask("Update", releaseContent(exampleWith({}), payload, { ...made, securityGroup: "none" }));
    expect(answer.Status).toBe("FAILED");
    expect(answer.Reason).toContain("pools.web.securityGroup");
    await expect(get("runtime/current.json")).rejects.toThrow("does not exist");
  });

  it("leaves everything in place when the stack goes", async () => {
    const { ask, get } = newFixture();
    await ask("Create", releaseContent(exampleWith({}), payload, made));
    expect(await ask("Delete", releaseContent(exampleWith({}), payload, made))).toMatchObject({ Status: "SUCCESS" });
    expect(await get("runtime/current.json")).not.toBe("");
  });
});
