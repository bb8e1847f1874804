import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { describe, expect, it } from "vitest";
import type { ObjectLock } from "../../../lib/sandbox/aws/s3/lock.ts";
import { s3 } from "../../../lib/sandbox/aws/s3/s3.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { manualClock } from "../manual-clock.ts";
import { clientOf, codeOf, endpointFor, simulationFor } from "./fixture.ts";

const Bucket = demo.bucket;
const Key = "audit/prod-west/2026-11-21/remove-3f9c2a71/0001.json";

function lockedBucket(lock: ObjectLock) {
  const clock = manualClock();
  const buckets = s3(simulationFor(clock));
  buckets.createBucket(Bucket, lock);
  const endpoint = endpointFor(simulationFor(clock), [buckets.service]);
  const client = new S3Client(clientOf(endpoint, "admin"));
  const put = () => client.send(new PutObjectCommand({ Bucket, Key, Body: "{}" }));
  const remove = (more: object = {}) => codeOf(client.send(new DeleteObjectCommand({ Bucket, Key, ...more })));
  const get = (more: object = {}) => codeOf(client.send(new GetObjectCommand({ Bucket, Key, ...more })));
  return { clock, client, put, remove, get };
}

describe("A bucket with Object Lock", () => {
  it("deletes no version before its days are over, and hides the object all the same", async () => {
    const { clock, put, remove, get } = lockedBucket({ mode: "COMPLIANCE", days: 2 });
    const { VersionId } = await put();
    expect(await remove({ VersionId })).toBe("AccessDenied");
    expect(await remove({ VersionId, BypassGovernanceRetention: true })).toBe("AccessDenied");
    expect(await remove()).toBe("none");
    expect(await get()).toBe("NoSuchKey");
    expect(await get({ VersionId })).toBe("none");
    await clock.advance(2 * 24 * 60 * 60 * 1_000);
    expect(await remove({ VersionId })).toBe("none");
    expect(await get({ VersionId })).toBe("NoSuchVersion");
  });

  it("gives way under governance to who asks for it and holds the right", async () => {
    const { put, remove } = lockedBucket({ mode: "GOVERNANCE", days: 2 });
    const { VersionId } = await put();
    expect(await remove({ VersionId })).toBe("AccessDenied");
    expect(await remove({ VersionId, BypassGovernanceRetention: true })).toBe("none");
  });

  it("keeps the first version when the object is written again", async () => {
    const { put, get } = lockedBucket({ mode: "GOVERNANCE", days: 2 });
    const { VersionId } = await put();
    await put();
    expect(await get({ VersionId })).toBe("none");
  });

  it("takes no upload without a checksum", async () => {
    const { client } = lockedBucket({ mode: "GOVERNANCE", days: 2 });
    client.middlewareStack.add(
      (next) => (args) => {
        const request = args.request as { headers: Record<string, string> };
        for (const name of Object.keys(request.headers))
          if (name.startsWith("x-amz-checksum-") || name === "content-md5") delete request.headers[name];
        return next(args);
      },
      { step: "build", priority: "low" },
    );
    expect(await codeOf(client.send(new PutObjectCommand({ Bucket, Key, Body: "{}" })))).toBe("InvalidRequest");
  });
});
