import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { accounts } from "../../lambdas/cluster/accounts.ts";
import { lastRelease } from "../../lambdas/records/machine-record.ts";
import { functionNames, functionOf, isFunction } from "../../lib/functions.ts";
import { ledgerWriters } from "../../lib/ledger-writers.ts";
import { permissionsFor } from "../../lib/role-permissions.ts";
import { allows } from "../../lib/sandbox/aws/policy.ts";
import { like } from "../../lib/sandbox/aws/wildcard.ts";
import type { Context } from "../../lib/sandbox/core/aws-service.ts";
import { place } from "../../lib/sandbox/demo-account.ts";
import type { Conditions, Statement } from "../../lib/statement.ts";

interface Denial {
  readonly Sid: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition: { readonly ArnNotLike: { readonly "aws:PrincipalArn": string | readonly string[] } };
}

const text = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");
const policy = /```json\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
const denials = (JSON.parse(policy) as { Statement: Denial[] }).Statement;
const listed = (one: string | readonly string[]): readonly string[] => (typeof one === "string" ? [one] : one);

/** Permissions of all roles. */
const rights = permissionsFor(place);

const administrator = "arn:aws:iam::111122223333:role/administrator";
const ourRole = "arn:aws:iam::111122223333:role/casement-prod-west-ProvisionNodeRole-1A2B";
const deployment = "arn:aws:iam::111122223333:role/cdk-hnb659fds-cfn-exec-role-111122223333-us-west-2";
const connecting = "arn:aws:iam::111122223333:role/connects-casement";
const launched = { "aws:ResourceTag/casement:launched": "true" };
const node = "arn:aws:ec2:us-west-2:111122223333:instance/i-1";
const workflow = "arn:aws:lambda:us-west-2:111122223333:function:casement-prod-west-Look-1";
const nodeRole = "arn:aws:iam::111122223333:role/casement-prod-west-NodeIdentityRole-1";
const secret = "arn:aws:secretsmanager:us-west-2:111122223333:secret:casement/prod-west/slack-abcdef";

test("the example of a service control policy fits into one", () => {
  // AWS Organizations, "Quotas": 5,120 characters, white space not counted.
  expect(JSON.stringify(JSON.parse(policy)).length).toBeLessThanOrEqual(5_120);
  expect(new Set(denials.map(({ Effect }) => Effect))).toEqual(new Set(["Deny"]));
});

/** Does every statement that grants the action ask for named tags, so that a denial of requests without any never meets it? */
const namesTags = (action: string): boolean =>
  Object.values(rights)
    .flat()
    .filter(({ actions, effect }) => effect !== "Deny" && actions.includes(action))
    .every(({ conditions }) => conditions?.Null?.["aws:TagKeys"] === "false");

test("it forbids our functions nothing that they are granted", () => {
  const granted = new Set(Object.values(rights).flatMap((all) => all.flatMap(({ actions }) => actions)));
  const hitting = denials.filter(
    ({ Action, Condition }) =>
      listed(Action).some((action) => granted.has(action)) &&
      !((Condition as Conditions).Null?.["aws:TagKeys"] === "true" && listed(Action).every(namesTags)) &&
      !listed(Condition.ArnNotLike["aws:PrincipalArn"]).some((pattern) => like(pattern, ourRole)),
  );
  expect(hitting.map(({ Sid }) => Sid)).toEqual([]);
});

/** The policy's statements as the sandbox's IAM reads them, over a role that may do everything. */
const statements: Statement[] = [
  { sid: "Everything", actions: ["*"], resources: ["*"] },
  ...denials.map(({ Sid, Action, Resource, Condition }) => ({
    sid: Sid,
    effect: "Deny" as const,
    actions: listed(Action),
    resources: listed(Resource),
    conditions: Condition as Conditions,
  })),
];
const held: [string, string, string, string, Context, boolean][] = [
  ["takes all tags off a node at once", administrator, "ec2:DeleteTags", node, launched, false],
  [
    "takes our tag off",
    administrator,
    "ec2:DeleteTags",
    node,
    { ...launched, "aws:TagKeys": ["casement:launched"] },
    false,
  ],
  ["takes another tag off", administrator, "ec2:DeleteTags", node, { ...launched, "aws:TagKeys": ["owner"] }, true],
  ["takes all tags off another instance", administrator, "ec2:DeleteTags", node, {}, true],
  ["ends a node", administrator, "ec2:TerminateInstances", node, launched, false],
  ["ends another instance", administrator, "ec2:TerminateInstances", node, {}, true],
  ["opens a shell on a node", administrator, "ssm:StartSession", node, launched, false],
  ["passes the node role", administrator, "iam:PassRole", nodeRole, {}, false],
  ["puts other code into a function", administrator, "lambda:UpdateFunctionCode", workflow, {}, false],
  ["makes another alias", administrator, "lambda:CreateAlias", workflow, {}, false],
  ["reads a secret", administrator, "secretsmanager:GetSecretValue", secret, {}, false],
  ["reads a secret to connect", connecting, "secretsmanager:GetSecretValue", secret, {}, true],
  ["ends a node as whoever connects", connecting, "ec2:TerminateInstances", node, launched, false],
  ["deploys code", deployment, "lambda:UpdateFunctionCode", workflow, {}, true],
  ["deploys a role", deployment, "iam:PassRole", nodeRole, {}, true],
  ["launches with the node role", ourRole, "iam:PassRole", nodeRole, {}, true],
  ["ends its own node", ourRole, "ec2:TerminateInstances", node, launched, true],
  ["sends a command", ourRole, "ssm:SendCommand", node, launched, true],
];

test.for(held)("%s", ([, principal, action, resource, context, expected]) => {
  const question = { action, resource, context: { ...context, "aws:PrincipalArn": principal } };
  expect(allows(statements, question)).toBe(expected);
});

test("every function has its line in the table of credentials", () => {
  for (const principal of Object.keys(rights).filter((name) => name !== "node"))
    expect(text).toContain(`role of \`${principal}\``);
});

/** The cells of the one row of the page that begins so. */
const cellsOf = (beginning: string): string[] =>
  (text.split("\n").find((line) => line.startsWith(`| ${beginning}`)) ?? "").split("|").map((cell) => cell.trim());

const namedIn = (cell: string): string[] =>
  [...cell.matchAll(/`([a-z-]+)`/g)].flatMap(([, name = ""]) => (isFunction(name) ? [name] : [])).toSorted();

test.for(accounts)("the table names every function that reads the cluster credential %s", (account) => {
  const row = cellsOf(`cluster credential \`${account}\``).join("|");
  const [, readers = ""] = /read by ([^|]*)/.exec(row) ?? [];
  expect(namedIn(readers)).toEqual(functionNames.filter((name) => functionOf(name)?.account === account).toSorted());
});

test.for(functionNames)("the table says what %s starts", (name) => {
  const [, , , can = ""] = cellsOf(`role of \`${name}\``);
  expect(namedIn(can)).toEqual(expect.arrayContaining([...(functionOf(name)?.starts ?? [])]));
});

test("the table of the audit names the function that inserts into it, and every function that asks it to", () => {
  const holding = (sid: string, action: string) =>
    functionNames.filter((name) => rights[name].some((one) => one.sid === sid && one.actions.includes(action)));
  expect(namedIn(cellsOf("insert: ")[1] ?? "")).toEqual(holding("AppendToAudit", "dynamodb:PutItem"));
  expect(namedIn(cellsOf("ask it to append: ")[1] ?? "")).toEqual(
    holding("AppendToAudit", "lambda:InvokeFunction").toSorted(),
  );
});

describe("the table of the ledger", () => {
  const rows = new Map(
    (/\| partition \| holds[\s\S]*?\n\n/.exec(text)?.[0] ?? "")
      .split("\n")
      .slice(2)
      .flatMap((line) => {
        const [, names = "", , writers = ""] = line.split("|");
        return [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => [name, namedIn(writers)] as const);
      }),
  );
  const writes = (principal: string, partition: string): boolean => {
    const statements = rights[principal as keyof typeof rights];
    const resource = `arn:aws:dynamodb:${place.region}:${place.account}:table/${place.table}`;
    const context = { "dynamodb:LeadingKeys": [partition.replace("…", "3f9c2a71")] };
    return allows(statements, { action: "dynamodb:PutItem", resource, context });
  };

  test("names who may write each partition, and nobody else may", () => {
    const written = [...rows.keys()].map((partition) => [
      partition,
      Object.keys(rights)
        .filter((principal) => writes(principal, partition))
        .toSorted(),
    ]);
    expect(written).toEqual([...rows]);
  });

  test("holds every partition that a role may write", () => {
    const old = new Set<string>(Object.values(lastRelease));
    const granted = Object.values(ledgerWriters).flat();
    const unnamed = granted.filter(
      (pattern) => !old.has(pattern) && ![...rows.keys()].some((name) => like(pattern, name.replace("…", "3f9c2a71"))),
    );
    expect(unnamed).toEqual([]);
  });

  test("lets exactly those write the execution that waits for a command which its event may wake", () => {
    const wake = rights["cloud-events"].find(({ sid }) => sid === "WakeWaitingExecutions");
    const woken = (wake?.resources ?? []).flatMap((arn) => functionNames.filter((name) => arn.endsWith(`-${name}:*`)));
    expect(rows.get("command#…")).toEqual(woken.toSorted());
    expect(woken).toEqual(expect.arrayContaining([...(rows.get("instance#…") ?? [])]));
  });

  test("leaves no role a request that names no partition", () => {
    const unnamed = Object.entries(rights).filter(([, statements]) =>
      ["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "PartiQLUpdate"].some((action) =>
        allows(statements, {
          action: `dynamodb:${action}`,
          resource: `arn:aws:dynamodb:${place.region}:${place.account}:table/${place.table}`,
          context: {},
        }),
      ),
    );
    expect(unnamed.map(([principal]) => principal)).toEqual([]);
  });
});
