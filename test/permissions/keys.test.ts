// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are filled by permissionsFor.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { servicesWithoutKey } from "../../lambdas/steps/doctor/key.ts";
import { keyStatements } from "../../lib/key-statements.ts";
import type { permissions } from "../../lib/permissions.ts";
import { permissionsFor } from "../../lib/role-permissions.ts";
import { keyPolicy } from "../../lib/sandbox/aws/kms.ts";
import { allows } from "../../lib/sandbox/aws/policy.ts";
import { place } from "./permission-cases.ts";

const key = "arn:aws:kms:us-west-2:111122223333:key/1a2b3c4d-1a2b-3c4d-5e6f-1a2b3c4d5e6f";
const withKey = permissionsFor({ ...place, key, topicKey: key });

/** May the role do this to the key through the service? */
const may = (role: keyof typeof permissions, action: string, service: string): boolean =>
  allows(withKey[role], {
    action: `kms:${action}`,
    resource: key,
    context: { "kms:ViaService": `${service}.us-west-2.amazonaws.com` },
  });

describe("rights to the customer's key", () => {
  it("are none where no key is configured, but for the role that publishes to the topic", () => {
    const without = permissionsFor(place);
    const holders = Object.entries(without).filter(([, statements]) =>
      statements.some(({ sid }) => sid.startsWith("UseKeyOf")),
    );
    expect(holders.map(([name]) => name)).toEqual(["publisher"]);
  });

  it("go through the services that the role uses, and through no other", () => {
    expect(may("provision-node", "GenerateDataKey", "secretsmanager")).toBe(true);
    expect(may("provision-node", "GenerateDataKey", "sns")).toBe(false);
    expect(may("node", "Decrypt", "s3")).toBe(true);
    expect(may("node", "Decrypt", "secretsmanager")).toBe(true);
    expect(may("node", "Decrypt", "dynamodb")).toBe(false);
    expect(may("publisher", "GenerateDataKey", "sns")).toBe(true);
  });

  it("let readers read, and not encrypt", () => {
    expect(may("node", "GenerateDataKey", "s3")).toBe(false);
    expect(may("cloud-events", "GenerateDataKey", "secretsmanager")).toBe(false);
  });

  it("never decrypt by a call of the role itself", () => {
    for (const statements of Object.values(withKey))
      expect(allows(statements, { action: "kms:Decrypt", resource: key, context: {} })).toBe(false);
  });

  it("derive from what a role is allowed, not from what it is denied", () => {
    const denied = { sid: "No", effect: "Deny", actions: ["s3:PutObject"], resources: ["*"] } as const;
    expect(keyStatements([denied])).toEqual([]);
  });
});

describe("the policy of the customer's key", () => {
  const statements = (text: string) => JSON.parse(text).Statement;
  const documented = /```json\n(\{[^`]+AccountDecides[^`]+\})\n```/.exec(readFileSync("docs/security.md", "utf8"))?.[1];

  it("is in the documents as the services need it", () => {
    expect(statements(documented ?? "{}")).toEqual(statements(keyPolicy("key:customer", place)));
  });

  it("lets every service, as documented", () => {
    expect(servicesWithoutKey(JSON.parse(documented ?? "{}"), "us-west-2")).toEqual([]);
  });

  it.for([
    ["of another region", "us-east-1", ["logs.us-east-1.amazonaws.com"]],
    ["of this one", "us-west-2", []],
  ] as const)("names the logs %s", ([, region, wanted]) => {
    expect(servicesWithoutKey(JSON.parse(documented ?? "{}"), region)).toEqual(wanted);
  });

  it.for([
    ["no action that encrypts", { Service: "events.amazonaws.com" }, "kms:Decrypt", "Allow"],
    ["a denial", { Service: "events.amazonaws.com" }, "kms:*", "Deny"],
    ["the account alone", { AWS: "arn:aws:iam::111122223333:root" }, "kms:*", "Allow"],
  ] as const)("lacks EventBridge with %s", ([, Principal, Action, Effect]) => {
    const policy = { Statement: [{ Effect, Principal, Action, Resource: "*" }] };
    expect(servicesWithoutKey(policy, "us-west-2")).toContain("events.amazonaws.com");
  });

  it("lets everybody who is named by a star", () => {
    const policy = { Statement: [{ Effect: "Allow", Principal: "*", Action: "kms:*", Resource: "*" }] };
    expect(servicesWithoutKey(policy, "us-west-2")).toEqual([]);
  });
});
