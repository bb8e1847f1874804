import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { checkFrontDoor } from "../../lambdas/cloud-events/front-door-check.ts";
import { isReadable, isSigned, unverifiedRequest } from "../../lambdas/front-door/verify.ts";

const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const NOW = 1_798_761_600;

beforeEach(() => {
  vi.spyOn(console, "error").mockReturnValue();
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Checks a front door that gives these answers, one after the other; the last one again and again. */
async function checked(...answers: (number | Error)[]) {
  const sent: { body: string; headers: Readonly<Record<string, string>> }[] = [];
  const reported: boolean[] = [];
  const said = await checkFrontDoor({
    signingSecret: async () => SECRET,
    now: () => NOW,
    send: async (body, headers) => {
      const answer = answers[Math.min(sent.push({ body, headers }), answers.length) - 1] ?? 500;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    report: (answered) => void reported.push(answered),
  });
  return { said, sent, reported };
}

test("the question is one that the front door takes for Slack's", async () => {
  const { sent, reported, said } = await checked(200);
  expect([said, reported]).toEqual(["the front door answered", [true]]);
  const [{ body, headers } = { body: "", headers: {} }] = sent;
  const request = unverifiedRequest(
    { headers: { ...headers, "content-type": "application/x-www-form-urlencoded" }, body },
    NOW,
  );
  if ("status" in request) throw new Error(request.why);
  expect(isSigned(request, SECRET)).toBe(true);
  expect(isReadable(request)).toBe(true);
});

test("one answer that is lost is no alarm", async () => {
  expect((await checked(new Error("no answer"), 502, 200)).reported).toEqual([true]);
});

test("three are, and the log says the last one", async () => {
  const { reported, sent, said } = await checked(new Error("no answer"), 502, 401);
  expect(reported).toEqual([false]);
  expect(sent).toHaveLength(3);
  expect(said).toBe("the front door did not answer: it answered with 401");
});
