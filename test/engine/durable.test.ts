import { ApiException } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stepAtMostOnce } from "../../lambdas/engine/at-most-once.ts";
import { causeOf, done, pending, step, until } from "../../lambdas/engine/durable.ts";
import { pauseSeconds } from "../../lambdas/engine/pace.ts";
import { inMinutes, run, setUp, tearDown, tenMinutes, timeout } from "./durable-engine.ts";

beforeAll(setUp);
afterAll(tearDown);

it("the pause between polls grows with the time that the wait has lasted", () => {
  const pauses = [0, 19, 20, 599, 600, 3_599, 3_600, 86_400].map((seconds) => pauseSeconds(seconds * 1_000));
  expect(pauses).toEqual([5, 5, 15, 15, 30, 30, 60, 60]);
  let polls = 0;
  for (let lasted = 0; lasted < 8 * 3_600; lasted += pauseSeconds(lasted * 1_000)) polls += 1;
  expect(polls).toBeLessThan(600);
});

describe("A wait", () => {
  it("gives up at its deadline and says what was missing", async () => {
    const end = inMinutes(10);
    let last = 0;
    const ended = await run((ctx) =>
      until(ctx, "wait", tenMinutes({ until: end }), async () => {
        last = Date.now();
        return pending("the agent");
      }),
    );
    expect(ended.error).toEqual({ type: "DeadlineExceeded:deadline-passed", message: "gave up waiting for the agent" });
    expect(last).toBeGreaterThanOrEqual(end);
    expect(last).toBeLessThan(end + 2_000);
  });

  it("that continues another one is as slow as that one", async () => {
    const at: number[] = [];
    const options = tenMinutes({ since: inMinutes(-60) });
    await run((ctx) =>
      until(ctx, "wait", options, async () => {
        at.push(Date.now());
        return pending("the agent");
      }),
    );
    expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(60_000);
  });

  it("ends when somebody cancels, before it looks again", async () => {
    let looks = 0;
    const ended = await run((ctx) =>
      until(ctx, "wait", tenMinutes({ cancelledBy: async () => (looks === 2 ? "U0OPERATOR" : null) }), async () => {
        looks += 1;
        return pending("the agent");
      }),
    );
    expect(ended.error).toEqual({ type: "Cancelled", message: "U0OPERATOR" });
    expect(looks).toBe(2);
  });

  it("outlasts a busy service, and tells once what it waits for", async () => {
    const told: string[] = [];
    let looks = 0;
    const bounds = tenMinutes({ onPending: async (reason, isNew) => void (isNew && told.push(reason)) });
    const ended = await run((ctx) =>
      until(ctx, "wait", bounds, async () => {
        looks += 1;
        if (looks === 2) throw timeout();
        return looks < 4 ? pending("the agent") : done("online");
      }),
    );
    expect(ended).toMatchObject({ status: "SUCCEEDED", result: "online" });
    expect(told).toEqual(["the agent"]);
  });

  it("says what it waited for and what a service answered last that was never ready", { tags: ["long"] }, async () => {
    const deaf = (first: number) => {
      const bounds = tenMinutes();
      let looks = 0;
      return run((ctx) =>
        until(ctx, "wait", bounds, async () => {
          looks += 1;
          if (looks > first) throw timeout();
          return pending("the agent");
        }),
      );
    };
    const { error } = await deaf(2);
    expect(error?.message).toBe("gave up waiting for the agent; the last answer was: no answer");
    expect((await deaf(0)).error?.message).toBe("gave up; the last answer was: no answer");
  });

  it("ends at once where a look fails for good, in the words of what failed", async () => {
    const ended = await run((ctx) =>
      until(ctx, "wait", tenMinutes(), async () => {
        throw new Error("access denied");
      }),
    );
    expect(ended.error).toEqual({ type: "StageFailed:unexpected", message: "access denied" });
  });
});

describe("A refusal by RBAC", () => {
  const message = 'nodes is forbidden: User "act" cannot list resource "nodes" in API group "" at the cluster scope';
  const refusal = () => new ApiException(403, "m", JSON.stringify({ kind: "Status", message }), {});
  const refusing = (times: number) => {
    const at: number[] = [];
    const work = async (): Promise<string> => {
      at.push(Date.now());
      if (at.length <= times) throw refusal();
      return "read";
    };
    const pauses = () => at.slice(1).map((time, index) => Math.round((time - (at[index] ?? 0)) / 1_000));
    return { work, pauses };
  };
  const waited = (work: () => Promise<string>) =>
    run((ctx) => until(ctx, "wait", tenMinutes(), async () => done(await work())));
  const stepped = (work: () => Promise<string>) => run((ctx) => step(ctx, "read", work));

  it.each([
    ["wait", waited],
    ["step", stepped],
  ])("is waited out three times by a %s, as the API server may just have started", async (_what, runs) => {
    const { work, pauses } = refusing(3);
    expect(await runs(work)).toMatchObject({ status: "SUCCEEDED", result: "read" });
    expect(pauses()).toEqual([2, 4, 8]);
  });

  it.each([
    ["wait", waited],
    ["step", stepped],
  ])("ends a %s the fourth time, in the server's words", async (_what, runs) => {
    const { work, pauses } = refusing(4);
    expect(await runs(work)).toMatchObject({ status: "FAILED", error: { message: expect.stringContaining(message) } });
    expect(pauses()).toEqual([2, 4, 8]);
  });
});

describe("A step that may run again", () => {
  it("ends in the service's own words after minutes of patience, and says that the service was busy", async () => {
    const status = { kind: "Status", message: "the server is currently unable to handle the request" };
    const { error } = await run((ctx) =>
      step(ctx, "read", async () => {
        throw new ApiException(503, "Unknown API Status Code!", JSON.stringify(status), {});
      }).catch((thrown: unknown) => Promise.reject(causeOf(thrown))),
    );
    expect(error).toEqual({ type: "Retryable", message: `the API server answered 503: ${status.message}` });
  });
});

describe("A step that must not run twice", () => {
  const tried = async (answers: readonly (string | Error)[], lookUps: readonly (string | null)[]) => {
    let done = 0;
    let looked = 0;
    const work = async (): Promise<string> => {
      const answer = answers[done++] ?? "";
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const ended = await run((ctx) =>
      stepAtMostOnce(ctx, "send", {
        work,
        lookUp: async () => lookUps[looked++] ?? null,
        isCertain: ({ name }) => name === "ThrottlingException",
      }),
    );
    return { result: ended.result, error: ended.error.message, done, looked };
  };

  it("finds what it did when the answer was lost, and does it no second time", async () => {
    expect(await tried([timeout()], ["command-1"])).toMatchObject({ result: "command-1", done: 1, looked: 1 });
  });

  it("is done again only when a look found nothing of it", async () => {
    expect(await tried([timeout(), "command-2"], [null])).toMatchObject({ result: "command-2", done: 2, looked: 1 });
  });

  it("is repeated without a look when it is certain that nothing was done", async () => {
    const throttled = Object.assign(new Error("slow down"), { name: "ThrottlingException" });
    expect(await tried([throttled, "command-3"], [])).toMatchObject({ result: "command-3", done: 2, looked: 0 });
  });

  it("is not done again after a refusal", async () => {
    expect(await tried([new Error("not allowed")], [])).toMatchObject({ error: "not allowed", done: 1, looked: 0 });
  });
});
