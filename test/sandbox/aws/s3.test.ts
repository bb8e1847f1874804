import { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  GetBucketVersioningCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListObjectVersionsCommand,
  PutObjectAclCommand,
  PutObjectCommand,
  S3Client,
} from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";
import { s3 } from "../../../lib/sandbox/aws/s3/s3.ts";
import type { WireRequest } from "../../../lib/sandbox/core/wire.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { sdkTransport } from "../../../lib/sandbox/in-process.ts";
import { manualClock } from "../manual-clock.ts";
import { clientOf, codeOf, endpointFor, simulationFor } from "./fixture.ts";

const Bucket = demo.bucket;

function newFixture() {
  const buckets = s3(simulationFor(manualClock()));
  buckets.createBucket(Bucket);
  const endpoint = endpointFor(simulationFor(manualClock()), [buckets.service]);
  const client = (principal = "admin", more: object = {}) =>
    new S3Client({ ...clientOf(endpoint, principal), ...more });
  const put = async (Key: string, Body: string) => {
    const { VersionId = "" } = await client().send(new PutObjectCommand({ Bucket, Key, Body }));
    return VersionId;
  };
  const get = async (Key: string, more: object = {}) => {
    const { Body } = await client().send(new GetObjectCommand({ Bucket, Key, ...more }));
    return Body?.transformToString();
  };
  return { buckets, endpoint, client, put, get };
}

describe("S3", () => {
  it("keeps every version of an object", async () => {
    const { put, get } = newFixture();
    const first = await put("plans/ä b/1.json", "one");
    const second = await put("plans/ä b/1.json", "two");
    expect(first).not.toBe(second);
    expect(await get("plans/ä b/1.json")).toBe("two");
    expect(await get("plans/ä b/1.json", { VersionId: first })).toBe("one");
  });

  it("reads the bucket from the path or from the host", async () => {
    const { client, put } = newFixture();
    await put("plans/1", "one");
    const byPath = client("admin", { forcePathStyle: true });
    expect(await codeOf(byPath.send(new GetObjectCommand({ Bucket, Key: "plans/1" })))).toBe("none");
  });

  it("returns size, type, metadata and checksum in the headers", async () => {
    const { client } = newFixture();
    const object = {
      Bucket,
      Key: "plans/1",
      Body: "content",
      ContentType: "application/json",
      Metadata: { plan: "p1" },
    };
    await client().send(new PutObjectCommand({ ...object, ChecksumAlgorithm: "SHA256" }));
    const head = await client().send(new HeadObjectCommand({ Bucket, Key: "plans/1", ChecksumMode: "ENABLED" }));
    expect(head).toMatchObject({ ContentLength: 7, ContentType: "application/json", Metadata: { plan: "p1" } });
    expect(head.ChecksumSHA256).toBe("7XACtDnprIRfIjV9giusFERzD722AW0+yUMil7nsn3M=");
  });
});

describe("S3 with conditions, and beyond the simulated features", () => {
  it("accepts a streamed upload in chunks with a trailing checksum", async () => {
    const { client, get } = newFixture();
    const Body = Readable.from([Buffer.from("one "), Buffer.from("two")]);
    await client().send(new PutObjectCommand({ Bucket, Key: "plans/1", Body, ContentLength: 7 }));
    expect(await get("plans/1")).toBe("one two");
  });

  it("refuses bytes that do not match their checksum", async () => {
    const { endpoint, client, buckets } = newFixture();
    const corrupt = (request: WireRequest) => endpoint.answer(request);
    const signedWrong = client("admin", { requestHandler: sdkTransport(corrupt) });
    signedWrong.middlewareStack.add(
      (next) => (args) => {
        const request = args.request as { headers: Record<string, string> };
        request.headers["x-amz-checksum-crc32"] = "AAAAAA==";
        return next(args);
      },
      { step: "build", priority: "low" },
    );
    expect(await codeOf(signedWrong.send(new PutObjectCommand({ Bucket, Key: "plans/1", Body: "x" })))).toBe(
      "BadDigest",
    );
    expect(buckets.seed(Bucket, "plans/1", "x")).toMatch(/^[0-9a-f]{32}$/);
  });

  it("returns checksums only on request", async () => {
    const { client } = newFixture();
    await client().send(new PutObjectCommand({ Bucket, Key: "plans/1", Body: "x", ChecksumAlgorithm: "SHA256" }));
    const head = await client().send(new HeadObjectCommand({ Bucket, Key: "plans/1" }));
    expect(head.ChecksumSHA256).toBeUndefined();
  });

  it("applies date conditions: 304 when unchanged since, PreconditionFailed when changed since", async () => {
    const { put, get } = newFixture();
    await put("plans/1", "x");
    const [early, late] = [new Date(Date.UTC(2026, 0, 1)), new Date(Date.UTC(2027, 0, 1))];
    expect(await get("plans/1", { IfModifiedSince: early })).toBe("x");
    const same = get("plans/1", { IfModifiedSince: late });
    await expect(same).rejects.toMatchObject({ $metadata: { httpStatusCode: 304 } });
    expect(await get("plans/1", { IfUnmodifiedSince: late })).toBe("x");
    expect(await codeOf(get("plans/1", { IfUnmodifiedSince: early }))).toBe("PreconditionFailed");
  });

  it.each([{ ACL: "public-read" }, { StorageClass: "GLACIER" }, { Tagging: "a=b" }, { SSEKMSKeyId: "key" }] as const)(
    "refuses an upload with %j instead of ignoring it",
    async (more) => {
      const { client } = newFixture();
      const write = client().send(new PutObjectCommand({ Bucket, Key: "plans/1", Body: "x", ...more }));
      expect(await codeOf(write)).toBe("NotImplemented");
    },
  );

  it("shows the bucket, and that it is versioned", async () => {
    const { client } = newFixture();
    expect((await client().send(new GetBucketVersioningCommand({ Bucket }))).Status).toBe("Enabled");
    expect(await codeOf(client().send(new HeadBucketCommand({ Bucket })))).toBe("none");
    expect(await codeOf(client().send(new HeadBucketCommand({ Bucket: "missing" })))).toBe("NoSuchBucket");
  });

  it("refuses a path that is not properly encoded", () => {
    const request = { method: "GET", url: `/${Bucket}/%E0%A4%A`, headers: {}, body: new Uint8Array() };
    expect(() => s3(simulationFor(manualClock())).service.action(request)).toThrow("Couldn't parse the specified URI.");
  });

  it("answers a range", async () => {
    const { put, get } = newFixture();
    await put("plans/1", "0123456789");
    expect(await get("plans/1", { Range: "bytes=2-4" })).toBe("234");
    expect(await get("plans/1", { Range: "bytes=-3" })).toBe("789");
    expect(await codeOf(get("plans/1", { Range: "bytes=10-" }))).toBe("InvalidRange");
  });

  it("writes under a condition", async () => {
    const { client } = newFixture();
    const write = (more: object) =>
      codeOf(client().send(new PutObjectCommand({ Bucket, Key: "plans/1", Body: "x", ...more })));
    expect(await write({ IfNoneMatch: "*" })).toBe("none");
    expect(await write({ IfNoneMatch: "*" })).toBe("PreconditionFailed");
    expect(await write({ IfMatch: '"other"' })).toBe("PreconditionFailed");
  });

  it("adds a marker for a deletion, and keeps the versions", async () => {
    const { client, put, get } = newFixture();
    const version = await put("plans/1", "one");
    await client().send(new DeleteObjectCommand({ Bucket, Key: "plans/1" }));
    expect(await codeOf(get("plans/1"))).toBe("NoSuchKey");
    expect(await get("plans/1", { VersionId: version })).toBe("one");
    const listed = await client().send(new ListObjectVersionsCommand({ Bucket, Prefix: "plans/" }));
    expect(listed.DeleteMarkers).toMatchObject([{ Key: "plans/1", IsLatest: true }]);
    expect(listed.Versions).toMatchObject([{ VersionId: version, IsLatest: false, Size: 3 }]);
  });

  it("lists page by page and by folder", async () => {
    const { client, put } = newFixture();
    for (const key of ["a/1", "a/2", "b/1", "c & d", "e"]) await put(key, key);
    const list = (more: object) => client().send(new ListObjectsV2Command({ Bucket, ...more }));
    const first = await list({ MaxKeys: 2 });
    expect(first.Contents?.map(({ Key }) => Key)).toEqual(["a/1", "a/2"]);
    const second = await list({ ContinuationToken: first.NextContinuationToken });
    expect(second.Contents?.map(({ Key }) => Key)).toEqual(["b/1", "c & d", "e"]);
    expect(second.IsTruncated).toBe(false);
    const folders = await list({ Delimiter: "/" });
    expect(folders.CommonPrefixes?.map(({ Prefix }) => Prefix)).toEqual(["a/", "b/"]);
  });

  it.each([
    ["a key that is not there", new GetObjectCommand({ Bucket, Key: "none" }), "NoSuchKey"],
    ["a version that is not there", new GetObjectCommand({ Bucket, Key: "none", VersionId: "v" }), "NoSuchVersion"],
    ["a bucket that is not there", new GetObjectCommand({ Bucket: "other", Key: "none" }), "NoSuchBucket"],
    ["the head of nothing", new HeadObjectCommand({ Bucket, Key: "none" }), "NotFound"],
    ["what is not simulated", new PutObjectAclCommand({ Bucket, Key: "none", ACL: "private" }), "NotImplemented"],
    ["a key above 1,024 bytes", new PutObjectCommand({ Bucket, Key: "k".repeat(1025), Body: "" }), "KeyTooLongError"],
  ])("refuses %s", async (_, command, code) => {
    expect(
      await codeOf(
        newFixture()
          .client()
          .send(command as GetObjectCommand),
      ),
    ).toBe(code);
  });

  it("lets functions and machines read and write only where they are permitted to", async () => {
    const { client, put } = newFixture();
    const version = await put("payload/a", "x");
    const write = (Key: string) => new PutObjectCommand({ Bucket, Key, Body: "x" });
    const read = new GetObjectCommand({ Bucket, Key: "payload/a", VersionId: version });
    expect(await codeOf(client("provision-node").send(write("plans/1")))).toBe("none");
    expect(await codeOf(client("provision-node").send(write("payload/a")))).toBe("AccessDenied");
    expect(await codeOf(client("node").send(read))).toBe("none");
    expect(await codeOf(client("node").send(write("plans/1")))).toBe("AccessDenied");
    expect(await codeOf(client("cloud-events").send(read))).toBe("AccessDenied");
  });

  it("hides a missing key from a caller who may not list the bucket", async () => {
    const { client, put } = newFixture();
    await put("payload/a", "x");
    await client().send(new DeleteObjectCommand({ Bucket, Key: "payload/a" }));
    for (const Key of ["payload/a", "payload/none"]) {
      expect(await codeOf(client("provision-node").send(new GetObjectCommand({ Bucket, Key })))).toBe("AccessDenied");
      expect(await codeOf(client().send(new GetObjectCommand({ Bucket, Key })))).toBe("NoSuchKey");
    }
  });
});
