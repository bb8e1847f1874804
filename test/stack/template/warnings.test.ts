import { Annotations, Match } from "aws-cdk-lib/assertions";
import { describe, expect, it, test } from "vitest";
import { type Deployment, deploymentOf } from "../../../lib/deployment.ts";
import { example, exampleWith, type Loose, NOW } from "../example.ts";
import { synthesised } from "./synthesised.ts";

/** Names of the warnings that `synth` shows, without the one about the payload that the example does not name. */
const warned = (deployment: Deployment): string[] =>
  Annotations.fromStack(synthesised(deployment).stack)
    .findWarning("*", Match.stringLikeRegexp("casement:"))
    .flatMap(({ entry }) => /\[ack: casement:([a-z-]+)\]/.exec(String(entry.data))?.[1] ?? [])
    .filter((name) => name !== "payload")
    .toSorted();

test("nothing is warned of in the example, whose logs and copies outlast the audit's entries", () => {
  expect(warned(exampleWith({}))).toEqual([]);
});

test("a bucket without Object Lock is, unless that is meant, and logs that end before the audit's entries", () => {
  expect(warned(exampleWith({ audit: undefined, logRetentionDays: 400 }))).toEqual(["logs", "object-lock"]);
  expect(warned(exampleWith({ audit: { objectLock: "none" }, logRetentionDays: 545 }))).toEqual([]);
});

test("an empty policy is, and deploys all the same", () => {
  expect(warned(deploymentOf({ ...example(), policy: {} }, NOW))).toEqual(["policy"]);
});

test("people who are nobody are, and deploy all the same with nothing that names a role", () => {
  const { approvals: _, ...rest } = example();
  expect(warned(deploymentOf({ ...rest, people: {}, policy: {} }, NOW))).toEqual(["people", "policy"]);
});

describe("the bucket's Object Lock", () => {
  const bucketOf = (aws: Loose) => synthesised(exampleWith(aws)).ofType("AWS::S3::Bucket")[0]?.Properties ?? {};

  it("is on in the example, and keeps every version for the configured days", () => {
    expect(bucketOf({})).toMatchObject({
      ObjectLockEnabled: true,
      ObjectLockConfiguration: { Rule: { DefaultRetention: { Days: 445, Mode: "GOVERNANCE" } } },
    });
    expect(bucketOf({ audit: { objectLock: { mode: "compliance", days: 400 } } })).toMatchObject({
      ObjectLockEnabled: true,
      ObjectLockConfiguration: { Rule: { DefaultRetention: { Days: 400, Mode: "COMPLIANCE" } } },
      VersioningConfiguration: { Status: "Enabled" },
    });
  });

  it("is off where the configuration says nothing, because a bucket that exists would be replaced", () => {
    for (const audit of [undefined, { objectLock: "none" }]) {
      expect(bucketOf({ audit })).not.toHaveProperty("ObjectLockEnabled");
      expect(bucketOf({ audit })).not.toHaveProperty("ObjectLockConfiguration");
    }
  });
});
