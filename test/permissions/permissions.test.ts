// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the policy variable is IAM's, not ours.
import { describe, expect, it } from "vitest";
import { accounts } from "../../lambdas/cluster/accounts.ts";
import { functionNames, functionOf, type PrincipalName } from "../../lib/functions.ts";
import { permissionsFor, resourcePoliciesFor } from "../../lib/role-permissions.ts";
import { allows, decide, type Requester } from "../../lib/sandbox/aws/policy.ts";
import type { Context } from "../../lib/sandbox/core/aws-service.ts";
import { cases, instance, ours, place } from "./permission-cases.ts";

const permissions = permissionsFor(place);
const everyStatement = Object.entries(permissions).flatMap(([principal, statements]) =>
  statements.map((statement) => ({ principal, ...statement })),
);
describe("the credentials of the cluster", () => {
  const secretOf = (account: string): string =>
    `arn:aws:secretsmanager:us-west-2:111122223333:secret:casement/prod-west/kubernetes/${account}-a1b2c3`;
  const holding = (action: string, account: string) =>
    Object.keys(permissions).filter((principal) =>
      allows(permissions[principal as PrincipalName], {
        action: `secretsmanager:${action}`,
        resource: secretOf(account),
        context: {},
      }),
    );

  it.each(accounts)("are read by the functions that are %s in the cluster, and by no other", (account) => {
    const using = functionNames.filter((name) => functionOf(name)?.account === account);
    expect(using.length).toBeGreaterThan(0);
    expect(holding("GetSecretValue", account).toSorted()).toEqual(using.toSorted());
  });

  it.each([
    ["look", "look"],
    ["act", "remove-node"],
    ["join", "provision-node"],
  ])("of %s are stored by %s alone", (account, holder) => {
    expect(holding("PutSecretValue", account)).toEqual([holder]);
  });
});

describe("the permissions as a whole", () => {
  it("name every action", () => {
    const vague = everyStatement.filter(({ actions }) => actions.some((action) => /[*?]/.test(action)));
    expect(vague).toEqual([]);
  });

  it("say why wherever a statement holds for everything", () => {
    const unexplained = everyStatement.filter(({ resources, why }) => resources.includes("*") && !why);
    expect(unexplained).toEqual([]);
  });

  it("leave no placeholder but IAM's own policy variables", () => {
    const left = JSON.stringify(permissions).match(/\$\{[^}]+\}/g) ?? [];
    expect(new Set(left)).toEqual(new Set(["${aws:RequestTag/casement:instance-arn}", "${ec2:SourceInstanceARN}"]));
  });

  it("give each statement of a principal a name of its own", () => {
    for (const statements of Object.values(permissions)) {
      const names = statements.map(({ sid }) => sid);
      expect(names).toEqual([...new Set(names)]);
    }
  });

  it("are another cluster's under another name", () => {
    const other = permissionsFor({ ...place, cluster: "prod-east" });
    expect(allows(other["remove-node"], { action: "ec2:TerminateInstances", resource: instance, context: ours })).toBe(
      false,
    );
  });
});

describe("functions in a VPC", () => {
  const inVpc = permissionsFor({ ...place, functionsInVpc: true });
  const code = { "lambda:SourceFunctionArn": "arn:aws:lambda:us-west-2:111122223333:function:casement-prod-west-look" };
  const decided = (principal: PrincipalName, action: string, context: Context): string =>
    decide(inVpc[principal], [], { action, resource: "*", context });

  it("have their interfaces made by Lambda, which their code may not do", () => {
    expect(decided("look", "ec2:CreateNetworkInterface", {})).toBe("allowed");
    expect(decided("look", "ec2:CreateNetworkInterface", code)).toBe("denied by identity");
  });

  it("may see subnets by their code where the reviewed list says so", () => {
    expect(decided("look", "ec2:DescribeSubnets", code)).toBe("allowed");
  });

  it("are those alone that call the cluster", () => {
    expect(decided("sweep", "ec2:CreateNetworkInterface", {})).toBe("allowed");
    expect(decided("cloud-events", "ec2:CreateNetworkInterface", {})).toBe("not allowed");
    expect(decided("node", "ec2:CreateNetworkInterface", {})).toBe("not allowed");
  });
});

describe("resources' own policies", () => {
  const policies = Object.values(resourcePoliciesFor(place)).flatMap((policy) => policy ?? []);
  const door = "arn:aws:lambda:us-west-2:111122223333:function:casement-prod-west-front-door";
  const events = "arn:aws:lambda:us-west-2:111122223333:function:casement-prod-west-cloud-events";
  const rule = (name: string): Context => ({ "aws:SourceArn": `arn:aws:events:us-west-2:111122223333:rule/${name}` });
  const encrypted = { "aws:SecureTransport": "true", "s3:TlsVersion": "1.3" };
  const cases: [string, Requester, string, string, Context, string][] = [
    ["Slack by the URL", "role", "lambda:InvokeFunction", door, { "lambda:InvokedViaFunctionUrl": "true" }, "allowed"],
    ["anybody past the URL", "role", "lambda:InvokeFunction", door, {}, "not allowed"],
    ["our rule", "events.amazonaws.com", "lambda:InvokeFunction", events, rule("casement-prod-west-sweep"), "allowed"],
    [
      "a neighbour's rule",
      "events.amazonaws.com",
      "lambda:InvokeFunction",
      events,
      rule("casement-prod-west-2-sweep"),
      "not allowed",
    ],
    [
      "our rule elsewhere",
      "events.amazonaws.com",
      "lambda:InvokeFunction",
      door,
      rule("casement-prod-west-sweep"),
      "not allowed",
    ],
    [
      "an alarm",
      "cloudwatch.amazonaws.com",
      "sns:Publish",
      "arn:aws:sns:us-west-2:111122223333:people",
      { ...encrypted, "aws:SourceArn": "arn:aws:cloudwatch:us-west-2:111122223333:alarm:a" },
      "allowed",
    ],
    [
      "another account's alarm",
      "cloudwatch.amazonaws.com",
      "sns:Publish",
      "arn:aws:sns:us-west-2:111122223333:people",
      { ...encrypted, "aws:SourceArn": "arn:aws:cloudwatch:us-west-2:444455556666:alarm:a" },
      "not allowed",
    ],
  ];
  it.each(cases)("%s", (_, requester, action, resource, context, expected) => {
    expect(decide([], policies, { action, resource, context }, requester)).toBe(expected);
  });

  it.each([
    ["plain HTTP", { ...encrypted, "aws:SecureTransport": "false" }, "denied by resource"],
    ["TLS 1.1", { ...encrypted, "s3:TlsVersion": "1.1" }, "denied by resource"],
    ["TLS 1.3", encrypted, "allowed"],
  ])("the bucket is read over %s", (_, context, expected) => {
    const question = { action: "s3:GetObjectVersion", resource: "arn:aws:s3:::plans/payload/a", context };
    expect(decide(permissions.node, policies, question)).toBe(expected);
  });
});

describe("what is allowed and what is not", () => {
  it.each(cases)("%s: %s on %s", (principal, action, resource, context, expected) => {
    expect(allows(permissions[principal], { action, resource, context })).toBe(expected);
  });
});
