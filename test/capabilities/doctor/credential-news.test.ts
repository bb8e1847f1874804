import { expect, it } from "vitest";
import { credentialMessage, credentialNotice } from "../../../lambdas/capabilities/doctor/credential-news.ts";
import type { CredentialNews, Renewal } from "../../../lambdas/cluster/credential-watch.ts";

const term = { issuedAt: Date.UTC(2026, 10, 22, 0), expiresAt: Date.UTC(2026, 10, 23, 0) };
const failed: Renewal = { account: "join", state: "failed", why: "the API server is away", term, isOver: false };
const news = (say: CredentialNews["say"], change: Partial<Renewal> = {}): CredentialNews => ({
  say,
  renewal: { ...failed, ...change },
});

it("people are told until when a credential that cannot be renewed works, and what helps", () => {
  const notice = credentialNotice([news("failing")]);
  expect(notice?.message).toContain("Adding nodes works until 2026-11-23 00:00 UTC.");
  expect(notice?.message).toContain("run: npm run connect -- credential");
  expect(notice?.until).toBe("2026-11-23T00:00:00.000Z");
});

it("one that does not say its end is not said to have stopped already", () => {
  const notice = credentialNotice([news("failing", { term: null })]);
  expect(notice?.message).toContain("the API server is away. When it expires, adding nodes fails.");
  expect(notice?.until).toBeNull();
});

it("the same trouble of several accounts is said once, and nobody is woken for good news", () => {
  const both = [news("ended"), news("ended", { account: "act" })];
  expect(credentialNotice(both)?.message).toContain(
    "the credentials of the accounts join and act cannot be used: the API server is away.",
  );
  expect(credentialNotice([news("well")])).toBeNull();
  expect(credentialMessage("west", [news("well")]).text).toContain("can be used again");
});
