// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the policy variables are IAM's, not ours.
import { describe, expect, it } from "vitest";
import { access } from "../../../lib/sandbox/aws/access.ts";
import { allows } from "../../../lib/sandbox/aws/policy.ts";
import type { Context } from "../../../lib/sandbox/core/aws-service.ts";
import type { Conditions, Statement } from "../../../lib/statement.ts";

const one = (more: Partial<Statement>): Statement[] => [
  { sid: "One", actions: ["s3:GetObject"], resources: ["*"], ...more },
];
const ask = (
  statements: Statement[],
  context: Context = {},
  action = "s3:GetObject",
  resource = "arn:aws:s3:::b/k",
): boolean => allows(statements, { action, resource, context });

describe("IAM's decision", () => {
  it("denies what nothing allows", () => {
    expect(ask([])).toBe(false);
    expect(ask(one({}), {}, "s3:PutObject")).toBe(false);
  });

  it("reads wildcards in actions without regard to case, in resources with", () => {
    expect(ask(one({ actions: ["S3:get*"] }))).toBe(true);
    expect(ask(one({ resources: ["arn:aws:s3:::b/?"] }))).toBe(true);
    expect(ask(one({ resources: ["arn:aws:s3:::b/??"] }))).toBe(false);
    expect(ask(one({ resources: ["arn:aws:s3:::B/*"] }))).toBe(false);
    expect(ask(one({ resources: ["arn:aws:s3:::b.k"] }))).toBe(false);
  });

  const cases: [string, Conditions, Context, boolean][] = [
    ["StringEquals of one of several", { StringEquals: { k: ["a", "b"] } }, { k: "b" }, true],
    ["StringEquals in another case", { StringEquals: { k: "a" } }, { k: "A" }, false],
    ["StringEquals without the key", { StringEquals: { k: "a" } }, {}, false],
    ["a key in another case", { StringEquals: { "aws:RequestTag/K": "a" } }, { "aws:requesttag/k": "a" }, true],
    ["StringNotEquals without the key", { StringNotEquals: { k: "a" } }, {}, true],
    ["StringNotEquals of the value", { StringNotEquals: { k: "a" } }, { k: "a" }, false],
    ["StringLike", { StringLike: { k: "a*" } }, { k: "abc" }, true],
    ["StringEqualsIfExists without the key", { StringEqualsIfExists: { k: "a" } }, {}, true],
    ["StringEqualsIfExists of another value", { StringEqualsIfExists: { k: "a" } }, { k: "b" }, false],
    ["Bool", { Bool: { k: "true" } }, { k: "TRUE" }, true],
    ["Null of an absent key", { Null: { k: "true" } }, {}, true],
    ["Null of a present key", { Null: { k: "true" } }, { k: "a" }, false],
    [
      "ForAllValues inside the list",
      { "ForAllValues:StringEquals": { "aws:TagKeys": ["a", "b"] } },
      { "aws:TagKeys": ["a"] },
      true,
    ],
    [
      "ForAllValues beyond the list",
      { "ForAllValues:StringEquals": { "aws:TagKeys": ["a", "b"] } },
      { "aws:TagKeys": ["a", "c"] },
      false,
    ],
    ["ForAnyValue", { "ForAnyValue:StringEquals": { "aws:TagKeys": "a" } }, { "aws:TagKeys": ["a", "c"] }, true],
    [
      "a plain operator on a key of several values",
      { StringEquals: { "events:source": "a" } },
      { "events:source": "a" },
      false,
    ],
    ["ForAllValues without the key", { "ForAllValues:StringEquals": { "events:source": "a" } }, {}, true],
    ["StringNotEquals of an unknown variable", { StringNotEquals: { k: "${me}" } }, { k: "a" }, false],
    ["a policy variable in another case", { StringEquals: { k: "${AWS:Me}" } }, { k: "a", "aws:me": "a" }, true],
    [
      "ArnLike over a part",
      { ArnLike: { k: "arn:aws:ec2:*:1:instance/*" } },
      { k: "arn:aws:ec2:r:1:instance/i:x" },
      true,
    ],
    ["ArnLike over two parts", { ArnLike: { k: "arn:aws:*:instance/i" } }, { k: "arn:aws:ec2:r:1:instance/i" }, false],
    ["NumericEquals", { NumericEquals: { k: "1" } }, { k: "1.0" }, true],
    ["NumericLessThan", { NumericLessThan: { k: "1.2" } }, { k: "1.3" }, false],
    ["NumericLessThan without the key", { NumericLessThan: { k: "1.2" } }, {}, false],
    [
      "two operators, one of which fails",
      { StringEquals: { k: "a" }, Bool: { b: "true" } },
      { k: "a", b: "false" },
      false,
    ],
    ["a policy variable", { StringEquals: { k: "${me}" } }, { k: "a", me: "a" }, true],
    ["a policy variable without a value", { StringEquals: { k: "${me}" } }, { k: "" }, false],
  ];
  it.each(cases)("reads %s", (_, conditions, context, expected) => {
    expect(ask(one({ conditions }), context)).toBe(expected);
  });
});

describe("an explicit deny", () => {
  const statements = [...one({}), ...one({ sid: "No", effect: "Deny", conditions: { StringEquals: { k: "a" } } })];

  it("wins over every allow where its conditions hold", () => {
    expect(ask(statements, { k: "a" })).toBe(false);
    expect(ask(statements, { k: "b" })).toBe(true);
    expect(ask(statements)).toBe(true);
  });

  it("is called by its name", () => {
    const options = { accountId: "111122223333", region: "us-west-2", rolePrefix: "casement-x" };
    const { callerFor } = access({ ...options, permissions: { look: statements } });
    expect(() => callerFor("look").require("s3:GetObject", ["arn:aws:s3:::b/k"], { k: "a" })).toThrow(
      "with an explicit deny in an identity-based policy",
    );
  });
});

describe("a denial", () => {
  const caller = access({
    accountId: "111122223333",
    region: "us-west-2",
    permissions: {},
    rolePrefix: "casement-x",
  }).callerFor("look");
  it.each([
    ["ec2:RunInstances", "UnauthorizedOperation", 403],
    ["s3:GetObject", "AccessDenied", 403],
    ["ssm:SendCommand", "AccessDeniedException", 400],
    ["lambda:InvokeFunction", "AccessDeniedException", 403],
  ])("of %s is called %s", (action, code, status) => {
    const words =
      "User: arn:aws:sts::111122223333:assumed-role/casement-x-look/look is not authorized to perform: " +
      `${action} on resource: arn:x because no identity-based policy allows the ${action} action`;
    expect(() => caller.require(action, ["arn:x"])).toThrow(
      expect.objectContaining({ code, status, message: expect.stringContaining(words) }),
    );
  });

  it.each([
    ["ec2:RunInstances", true],
    ["ssm:SendCommand", false],
  ])("of %s carries details that are encoded anew in each answer: %s", (action, isEncoded) => {
    const refusal = (): string => {
      try {
        caller.require(action, ["arn:x"]);
      } catch (error) {
        return (error as Error).message;
      }
      return "";
    };
    const [first, second] = [refusal(), refusal()];
    expect(first.includes("Encoded authorization failure message: ")).toBe(isEncoded);
    expect(first === second).toBe(!isEncoded);
  });
});
