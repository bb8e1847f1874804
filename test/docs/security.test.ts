import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { permissionsFor } from "../../lib/permissions.ts";
import { like } from "../../lib/sandbox/aws/wildcard.ts";
import { place } from "../../lib/sandbox/town-account.ts";

interface Denial {
  readonly Sid: string;
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Condition: { readonly ArnNotLike: { readonly "aws:PrincipalArn": string | readonly string[] } };
}

const text = readFileSync(new URL("../../docs/security.md", import.meta.url), "utf8");
const policy = /```json\n([\s\S]*?)```/.exec(text)?.[1] ?? "";
const denials = (JSON.parse(policy) as { Statement: Denial[] }).Statement;
const listed = (one: string | readonly string[]): readonly string[] => (typeof one === "string" ? [one] : one);

test("the example of a service control policy fits into one", () => {
  // AWS Organizations, "Quotas": 5,120 characters, white space not counted.
  expect(JSON.stringify(JSON.parse(policy)).length).toBeLessThanOrEqual(5_120);
  expect(new Set(denials.map(({ Effect }) => Effect))).toEqual(new Set(["Deny"]));
});

test("it forbids our functions nothing that they are granted", () => {
  const granted = new Set(Object.values(permissionsFor(place)).flatMap((all) => all.flatMap(({ actions }) => actions)));
  const ourRole = "arn:aws:iam::111122223333:role/casement-prod-west-ProvisionNodeRole-1A2B";
  const hitting = denials.filter(
    ({ Action, Condition }) =>
      listed(Action).some((action) => granted.has(action)) &&
      !listed(Condition.ArnNotLike["aws:PrincipalArn"]).some((pattern) => like(pattern, ourRole)),
  );
  expect(hitting.map(({ Sid }) => Sid)).toEqual([]);
});

test("every function has its line in the table of credentials", () => {
  for (const principal of Object.keys(permissionsFor(place)).filter((name) => !["node", "release"].includes(name)))
    expect(text).toContain(`role of \`${principal}\``);
});
