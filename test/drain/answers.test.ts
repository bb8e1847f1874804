import { ApiException } from "@kubernetes/client-node";
import { describe, expect, test } from "vitest";
import { meaningOf } from "../../lambdas/steps/drain/answers.ts";

const status = (code: number, message: string, reason?: string, causes?: object[]): string =>
  JSON.stringify({
    kind: "Status",
    status: "Failure",
    message,
    reason,
    code,
    ...(causes ? { details: { causes } } : {}),
  });
const answered = (code: number, body: string, headers: Record<string, string> = {}) =>
  meaningOf(new ApiException(code, "Unknown API Status Code!", body, headers));
const budgetCause = (message: string) => [{ reason: "DisruptionBudget", message }];
const violates = "Cannot evict pod as it would violate the pod's disruption budget.";

describe("DR-13 a 429", () => {
  test("with a budget's cause names the budget's own words", () => {
    const words = "The disruption budget z needs 1 healthy pods and has 1 currently";
    expect(answered(429, status(429, violates, "TooManyRequests", budgetCause(words)))).toEqual({
      kind: "budget",
      words,
      retryAfterMs: null,
    });
  });

  test("of a budget that is still processed carries the server's own pause", () => {
    const words = "The disruption budget m1 is still being processed by the server.";
    const body = status(429, violates, "TooManyRequests", budgetCause(words));
    expect(answered(429, body, { "retry-after": "10" })).toEqual({ kind: "budget", words, retryAfterMs: 10_000 });
  });

  test("in plain text is an overload of the whole server", () => {
    const body = "Too many requests, please try again later.\n";
    expect(answered(429, body, { "retry-after": "1" })).toEqual({
      kind: "overload",
      words: "too many requests",
      retryAfterMs: 1_000,
    });
  });

  test("of a proxy that asks for an hour is tried again after a minute", () => {
    const answer = answered(429, "slow down", { "retry-after": "3600" });
    expect(answer).toEqual({ kind: "overload", words: "too many requests", retryAfterMs: 60_000 });
  });

  test("of a webhook is neither a budget nor an overload", () => {
    const words = 'admission webhook "a.drain.example.com" denied the request: webhook says later';
    expect(answered(429, status(429, words, "TooManyRequests"))).toEqual({ kind: "refused", by: "webhook", words });
  });
});

test("DR-14 two budgets are told from every other 500", () => {
  const words = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
  expect(answered(500, status(500, words))).toEqual({ kind: "several-budgets", words });
  const webhook = 'Internal error occurred: failed calling webhook "a.drain.example.com": context deadline exceeded';
  expect(answered(500, status(500, webhook, "InternalError"))).toEqual({ kind: "unanswered", words: webhook });
});

describe("DR-15", () => {
  test.each([502, 503, 504])("%i is no answer and is asked again", (code) => {
    const words = `the API server answered ${code}: later`;
    expect(answered(code, status(code, "later"))).toEqual({ kind: "unanswered", words });
  });

  test("a connection that is reset or silent is no answer either", () => {
    const reset = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
    expect(meaningOf(reset)).toEqual({ kind: "unanswered", words: "socket hang up" });
  });

  test.each([
    ["rbac", 403, 'pods "r1" is forbidden: User "act" cannot create resource "pods/eviction" in API group ""'],
    ["policy", 403, "pods \"v\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: not now"],
    ["policy", 422, "pods \"v\" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'p' denied request: not now"],
    ["webhook", 400, 'admission webhook "a.example.com" denied the request: no'],
    ["webhook", 403, 'admission webhook "a.example.com" denied the request: no'],
    [
      "unconfirmed",
      403,
      'poddisruptionbudget.policy "k" is forbidden: DisruptedPods map too big - too many evictions not confirmed by PDB controller',
    ],
  ])("a refusal by %s (%i) says who refuses", (by, code, words) => {
    expect(answered(code, status(code, words))).toEqual({ kind: "refused", by, words });
  });

  test("a refused credential is no answer about a pod: it ends the drain", () => {
    expect(() => answered(401, status(401, "Unauthorized"))).toThrow();
  });
});

test("DR-16 a namespace that is being deleted is told from every other 403", () => {
  const words = 'pods "q1" is forbidden: unable to create new content in namespace x because it is being terminated';
  const causes = [{ reason: "NamespaceTerminating", message: "namespace x is being terminated" }];
  expect(answered(403, status(403, words, "Forbidden", causes))).toEqual({ kind: "namespace-ends", words });
});

test("V9 a 404 is a success: the pod is gone", () => {
  expect(answered(404, status(404, 'pods "nope" not found', "NotFound"))).toEqual({ kind: "gone" });
});

test("a uid that is another pod's by now means that this pod is gone; any other conflict says nothing", () => {
  const another = 'Operation cannot be fulfilled on Pod "p1": the UID in the precondition (a) does not match the UID';
  expect(answered(409, status(409, another, "Conflict"))).toEqual({ kind: "gone" });
  const changed = "the object has been modified; please apply your changes to the latest version";
  expect(answered(409, status(409, changed, "Conflict"))).toMatchObject({ kind: "unanswered" });
});
