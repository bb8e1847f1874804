import type { DurableContext } from "@aws/durable-execution-sdk-js";
import { describe, expect, it } from "vitest";
import { credentialMessage, credentialNotice } from "../../../lambdas/capabilities/doctor/credential-news.ts";
import { watchingCredentials } from "../../../lambdas/capabilities/doctor/watch-credentials.ts";
import type { CredentialNews, Renewal } from "../../../lambdas/cluster/credential-watch.ts";
import { answers, recorded } from "../../engine/recorded.ts";

const NOW = Date.UTC(2026, 10, 22, 12);
const HOUR = 3_600_000;
const renewal = (account: Renewal["account"], hours: number | null, change: Partial<Renewal> = {}): Renewal => ({
  ...{ account, state: "kept", why: null, isOver: false, ...change },
  term: hours === null ? null : { issuedAt: NOW - HOUR, expiresAt: NOW + hours * HOUR },
});
const well = { look: renewal("look", 20), act: renewal("act", 6.5), join: renewal("join", 12) };

interface Scene {
  readonly own?: Renewal;
  /** Answers of the functions, by their names. */
  readonly others?: Readonly<Record<string, Renewal | Error>>;
  readonly news?: readonly CredentialNews[];
  readonly release?: Error;
}

/** Runs one tick of the schedule. @returns the names of the steps and calls, and what was written */
async function watched(payload: object, { own = well.look, others = {}, news = [], release }: Scene = {}) {
  const named: string[] = [];
  const functions: Readonly<Record<string, Renewal | Error>> = {
    "remove-node": well.act,
    "provision-node": well.join,
    ...others,
  };
  const { steps, calls } = recorded(
    {
      credential: { renew: answers(own), note: answers(news) },
      executions: { nameOf: (name: string) => `casement-${name}:live` },
      runtime: {
        read: async () => {
          if (release) throw release;
          return { configuration: { cluster: { name: "west" }, slack: { channel: "C0WINDOWS" } } };
        },
      },
    },
    {
      credential: { note: answers(news) },
      metrics: { credentialHours: answers() },
      thread: { post: answers() },
      notices: { send: answers() },
    },
    NOW,
  );
  const ctx = {
    step: async (name: string, work: () => Promise<unknown>) => {
      named.push(name);
      return work();
    },
    invoke: async (name: string, target: string, asked: object) => {
      named.push(`${name}: ${target} ${JSON.stringify(asked)}`);
      const answer = functions[target.replace(/^casement-|:live$/g, "")];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  const work = watchingCredentials(() => async () => "its own work");
  const result = await work(steps)(payload, ctx as unknown as DurableContext);
  return { result, named, calls };
}

const tick = { watch: "credential", tick: "event-1" };

describe("The schedule of the cluster's credentials", () => {
  it("has every account's credential renewed, its own and those of two functions, and tells nobody that all is well", async () => {
    expect(await watched(tick)).toEqual({
      result: undefined,
      named: [
        "renew the credential",
        'ask remove-node: casement-remove-node:live {"renew":"credential"}',
        'ask provision-node: casement-provision-node:live {"renew":"credential"}',
        "note how the credentials stand",
      ],
      calls: [
        ["metrics.credentialHours", "look", 20],
        ["metrics.credentialHours", "act", 6.5],
        ["metrics.credentialHours", "join", 12],
        ["credential.note", "event-1", [well.look, well.act, well.join]],
      ],
    });
  });

  it("is no part of the workflow's own work", async () => {
    expect(await watched({ operation: "doctor-1" })).toEqual({ result: "its own work", named: [], calls: [] });
  });

  it("counts no hours of a credential that cannot be used, and none where no term is known", async () => {
    const own = renewal("look", 20, { state: "failed", why: "refused", isOver: true });
    const { calls } = await watched(tick, { own, others: { "remove-node": renewal("act", null) } });
    expect(calls.filter(([verb]) => verb === "metrics.credentialHours").map(([, ...hours]) => hours)).toEqual([
      ["look", 0],
      ["join", 12],
    ]);
  });

  it("takes a function that does not answer for a renewal that failed", async () => {
    const { calls } = await watched(tick, { others: { "provision-node": new Error("throttled") } });
    const why = "provision-node does not answer: throttled";
    const failed = { account: "join", state: "failed", why, term: null, isOver: false };
    expect(calls.at(-1)).toEqual(["credential.note", "event-1", [well.look, well.act, failed]]);
    expect(calls.filter(([verb]) => verb === "metrics.credentialHours")).toHaveLength(2);
  });
});

describe("News of the credentials", () => {
  const failed = renewal("act", 6, { state: "failed", why: "the API server is away" });
  const bad: readonly CredentialNews[] = [{ say: "failing", renewal: failed }];
  const good: readonly CredentialNews[] = [{ say: "well", renewal: well.act }];
  const saidOf = (news: readonly CredentialNews[]) => [
    "thread.post",
    "C0WINDOWS",
    credentialMessage("west", news),
    "credentials event-1",
  ];

  it("that are bad call people, and are posted in the channel", async () => {
    const { named, calls } = await watched(tick, { news: bad });
    expect(named.slice(-2)).toEqual(["call people: credentials", "tell the channel"]);
    expect(calls.slice(-2)).toEqual([["notices.send", credentialNotice(bad)], saidOf(bad)]);
  });

  it("that are good are posted, and call nobody", async () => {
    const { named, calls } = await watched(tick, { news: good });
    expect(named.at(-1)).toBe("tell the channel");
    expect(named).not.toContain("call people: credentials");
    expect(calls.at(-1)).toEqual(saidOf(good));
  });

  it("call people although there is no release that names the channel", async () => {
    const { calls } = await watched(tick, { news: bad, release: new Error("none is published") });
    expect(calls.at(-1)).toEqual(["notices.send", credentialNotice(bad)]);
  });
});
