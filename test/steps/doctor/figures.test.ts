import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { renewsAt, termOf } from "../../../lambdas/cluster/credential-term.ts";
import { atLeast, kubeletFits, serverFits } from "../../../lambdas/machine/versions.ts";
import { skewFinding } from "../../../lambdas/steps/doctor/clock.ts";
import { termFinding } from "../../../lambdas/steps/doctor/credential.ts";
import { slackScopes } from "../../../lambdas/steps/doctor/slack.ts";

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY = 24 * 3_600_000;
const token = (claims: object): string => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.sig`;

describe("versions", () => {
  it.each([
    ["v1.34.2", "1.34.2", true],
    ["v1.35.0+abc", "1.34.2", true],
    ["v1.36.0", "1.34.2", false],
    ["v1.33.9", "1.34.2", false],
    ["v2.34.0", "1.34.2", false],
    ["nonsense", "1.34.2", false],
  ])("an API server %s with the payload %s: %s", (server, payload, fits) => {
    expect(serverFits(server, payload)).toBe(fits);
  });

  it.each([
    ["v1.34.2", "v1.34.2", true],
    ["v1.31.0", "v1.34.2", true],
    ["v1.30.0", "v1.34.2", false],
    ["v1.35.0", "v1.34.2", false],
  ])("a kubelet %s below %s: %s", (kubelet, server, fits) => {
    expect(kubeletFits(kubelet, server)).toBe(fits);
  });

  it.each([
    ["3.3.2746.0", "3.3", true],
    ["3.3", "3.3", true],
    ["3.10.1.0", "3.3", true],
    ["3.2.2222.0", "3.3", false],
    ["2.9", "3.3", false],
  ])("an agent %s where %s is wanted: %s", (version, wanted, enough) => {
    expect(atLeast(version, wanted)).toBe(enough);
  });
});

describe("the term of a credential", () => {
  const HOUR = 3_600_000;
  const day = { issuedAt: NOW, expiresAt: NOW + DAY };

  it("is read from the token", () => {
    expect(termOf(token({ iat: 1_789_913_600, exp: 1_790_000_000 }))).toEqual({
      issuedAt: 1_789_913_600_000,
      expiresAt: 1_790_000_000_000,
    });
  });

  it.each([token({}), token({ iat: 1 }), "sha256~opaque", "", "a.b.c"])("is unknown for %j", (one) => {
    expect(termOf(one)).toBeNull();
  });

  it("is half over after twelve hours at the latest, however long somebody made the token", () => {
    expect(renewsAt(day)).toBe(NOW + 12 * HOUR);
    expect(renewsAt({ issuedAt: NOW, expiresAt: NOW + 90 * DAY })).toBe(NOW + 12 * HOUR);
    expect(renewsAt({ issuedAt: NOW, expiresAt: NOW + HOUR })).toBe(NOW + HOUR / 2);
  });

  it.each([
    [day, 14, null],
    [day, 15, { kind: "credential-overdue", account: "look", at: new Date(NOW + DAY).toISOString() }],
    [day, 24, { kind: "credential-expired", account: "look" }],
    [{ issuedAt: NOW, expiresAt: NOW + 90 * DAY }, 15, { kind: "credential-overdue" }],
    [{ issuedAt: NOW, expiresAt: NOW + HOUR }, 0.8, null],
    [{ issuedAt: NOW, expiresAt: NOW + HOUR }, 0.95, { kind: "credential-overdue" }],
    [null, 0, { kind: "credential-endless" }],
  ])("%j means after %d hours: %j", (term, hours, finding) => {
    expect(termFinding("look", term, NOW + hours * HOUR)).toEqual(finding && expect.objectContaining(finding));
  });
});

it("a clock that is a minute off is tolerated, one more second is not", () => {
  const date = new Date(NOW).toUTCString();
  expect(skewFinding("AWS", date, NOW + 60_000)).toEqual([]);
  expect(skewFinding("AWS", date, NOW - 61_000)).toEqual([{ kind: "clock", against: "AWS", seconds: 61 }]);
  expect(skewFinding("AWS", undefined, NOW)).toEqual([]);
});

it("the scopes are those of the Slack app's manifest", () => {
  const file = new URL("../../../docs/slack-app-manifest.yaml", import.meta.url);
  const {
    oauth_config: { scopes },
  } = parse(readFileSync(file, "utf8"));
  expect([...slackScopes]).toEqual(scopes.bot);
});
