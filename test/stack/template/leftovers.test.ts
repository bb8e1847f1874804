import { describe, expect, it } from "vitest";
import { collisions, fixedName, leftByDeletion, leftByRollback, type Resources } from "./leftovers.ts";
import { type Resource, synthesised } from "./synthesised.ts";

const { template } = synthesised();
const stack: Resources = new Map(
  Object.entries(template.toJSON().Resources as Record<string, Omit<Resource, "id">>).map(([id, one]) => [
    id,
    { id, ...one },
  ]),
);

/** Types of resources that a deployment of changed code and changed scripts makes anew. */
const CHANGING = ["AWS::Lambda::Version", "AWS::SSM::Document"];
const before: Resources = new Map([...stack].filter(([, { Type }]) => !CHANGING.includes(Type)));
const nothing: Resources = new Map();
const typesOf = (resources: Resources) => [...new Set([...resources.values()].map(({ Type }) => Type))].toSorted();

/** The same stack as it would be with another policy for what is kept. */
const withPolicy = (DeletionPolicy: string): Resources =>
  new Map([...stack].map(([id, one]) => [id, one.DeletionPolicy ? { ...one, DeletionPolicy } : one]));

describe("a deployment that CloudFormation takes back", () => {
  it("leaves nothing of a first deployment but the empty ledger, whose name nobody chose", () => {
    const left = leftByRollback(nothing, stack);
    expect(typesOf(left)).toEqual(["AWS::DynamoDB::Table"]);
    expect([...left.values()].map(fixedName)).toEqual([undefined]);
  });

  it("can be repeated when it was the first", () => {
    expect(collisions(leftByRollback(nothing, stack), nothing, stack)).toEqual([]);
  });

  it("can be repeated when it changed code and scripts", () => {
    const left = leftByRollback(before, stack);
    expect([...left.keys()]).toEqual([]);
    expect(collisions(left, before, stack)).toEqual([]);
  });

  it("could not be repeated if documents and versions were kept whatever happens", () => {
    const next = withPolicy("Retain");
    const inTheWay = collisions(leftByRollback(before, next), before, next);
    expect(inTheWay.map((id) => stack.get(id)?.Type).toSorted()).toEqual([
      ...Array(18).fill("AWS::Lambda::Version"),
      ...Array(4).fill("AWS::SSM::Document"),
    ]);
  });
});

describe("a stack that was deleted", () => {
  const left = leftByDeletion(stack);

  it("leaves what remembers, the logs and the scripts' documents", () => {
    expect(typesOf(left)).toEqual([
      "AWS::DynamoDB::Table",
      "AWS::Logs::LogGroup",
      "AWS::S3::Bucket",
      "AWS::SSM::Document",
    ]);
  });

  it("stands in the way of the next with its documents alone", () => {
    const inTheWay = collisions(left, nothing, stack).map((id) => stack.get(id)?.Type);
    expect(new Set(inTheWay)).toEqual(new Set(["AWS::SSM::Document"]));
  });

  // CloudFormation User Guide, "Import AWS resources into a CloudFormation stack automatically": a name spelled out in the
  // template, and a deletion policy that keeps the resource.
  it("is installed again with --import-existing-resources, which can take those back", () => {
    for (const id of collisions(left, nothing, stack)) {
      const { DeletionPolicy, Properties } = stack.get(id) as Resource;
      expect(Properties.Name).toBeTypeOf("string");
      expect(["Retain", "RetainExceptOnCreate"]).toContain(DeletionPolicy);
    }
  });

  it("leaves no secret: CloudFormation deletes them without a recovery window", () => {
    const secrets = [...stack.values()].filter(({ Type }) => Type === "AWS::SecretsManager::Secret");
    expect(secrets.length).toBeGreaterThan(0);
    expect(secrets.map(({ DeletionPolicy }) => DeletionPolicy)).toEqual(secrets.map(() => undefined));
  });
});
