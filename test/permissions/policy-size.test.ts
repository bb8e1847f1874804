import { expect, it } from "vitest";
import { checkPolicySizes } from "../../lib/policy-size.ts";
import { place } from "./permission-cases.ts";

const subnets = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `subnet-0a1${String(at).padStart(14, "0")}`);

it("lets through what IAM takes for every role", () => {
  expect(() => checkPolicySizes({ ...place, subnets: subnets(12) })).not.toThrow();
  expect(() => checkPolicySizes({ ...place, functionsInVpc: true, subnets: subnets(12) })).not.toThrow();
  const key = `arn:aws:kms:us-west-2:111122223333:key/mrk-${"1".repeat(32)}`;
  expect(() =>
    checkPolicySizes({ ...place, functionsInVpc: true, subnets: subnets(10), key, topicKey: key }),
  ).not.toThrow();
});

it("refuses more, with the role, the size, and what to shorten", () => {
  expect(() => checkPolicySizes({ ...place, subnets: subnets(100) })).toThrow(
    /^The policy of the role provision-node would have \d{5} characters, IAM takes 10240: name fewer different subnets \(100\) and instance types \(2\) of the pools/,
  );
});
