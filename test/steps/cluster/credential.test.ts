import { PutSecretValueCommand } from "@aws-sdk/client-secrets-manager";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { clients } from "../../../lambdas/clients/clients.ts";
import type { KubernetesExchange } from "../../../lambdas/clients/transport.ts";
import { type Account, secretOf } from "../../../lambdas/cluster/accounts.ts";
import { steps } from "../../../lambdas/steps/steps.ts";
import { demo } from "../../../lib/sandbox/demo.ts";
import { credentialFor } from "../../../lib/sandbox/seed-account.ts";
import { type TestSimulator, testSimulator } from "../test-simulator.ts";

let simulator: TestSimulator;
beforeEach(async () => {
  simulator = await testSimulator();
});
afterEach(() => simulator.close());

const HOUR = 3_600;
const SERVER = "https://api.sandbox.test:6443";

const stored = (account: Account) => simulator.as(holders[account]).credential;
const holders = { look: "look", act: "remove-node", join: "provision-node" } as const;

const secretText = (account: Account): Promise<string> => {
  const { secret } = clients(simulator.settings(holders[account]), simulator.transport);
  return secret(secretOf(demo.cluster.name, account), true);
};

const store = (account: Account, text: string) => simulator.secrets.seed(secretOf(demo.cluster.name, account), text);

/** The verbs of `look` whose requests to the cluster pass through other hands on their way, which may answer themselves. */
function through(meanwhile: (url: string) => undefined | Awaited<ReturnType<KubernetesExchange>>) {
  const exchange: KubernetesExchange = async (request) =>
    meanwhile(request.url) ?? (simulator.transport.kubernetes as KubernetesExchange)(request);
  const settings = simulator.settings("look");
  const made = clients(settings, { ...simulator.transport, kubernetes: exchange });
  return steps({ clients: made, settings, now: () => simulator.simulation.clock.now() }).credential;
}

describe("A credential", () => {
  test("is kept while less than half of its life is over, and renewed afterwards", async () => {
    const before = await secretText("act");
    expect(await stored("act").renew()).toMatchObject({ account: "act", state: "kept", isOver: false });
    await simulator.pass(12 * HOUR);
    const { state, term } = await stored("act").renew();
    expect(state).toBe("renewed");
    expect(term).toEqual({
      issuedAt: simulator.simulation.clock.now(),
      expiresAt: simulator.simulation.clock.now() + 24 * HOUR * 1_000,
    });
    expect(await secretText("act")).not.toBe(before);
    expect(await stored("act").renew()).toMatchObject({ state: "kept" });
  });

  test("that is renewed twice at once is good afterwards, whoever was last", async () => {
    await simulator.pass(12 * HOUR);
    const both = await Promise.all([stored("join").renew(), stored("join").renew()]);
    expect(both.map(({ state }) => state)).toEqual(["renewed", "renewed"]);
    expect(await stored("join").renew()).toMatchObject({ state: "kept" });
  });

  test("that somebody stored while a new one was made stays", async () => {
    await simulator.pass(12 * HOUR);
    const theirs = credentialFor(simulator, "look", "https://elsewhere.example.com:6443");
    await through((url) => {
      if (url.includes("selfsubjectreviews")) store("look", theirs);
      return undefined;
    }).renew();
    expect(await secretText("look")).toBe(theirs);
  });

  test("stays when the new one cannot be tried", async () => {
    await simulator.pass(12 * HOUR);
    const before = await secretText("look");
    const failing = through((url) => {
      if (url.includes("selfsubjectreviews")) throw new Error("the line is cut");
      return undefined;
    });
    expect(await failing.renew()).toMatchObject({ state: "failed", why: "the line is cut", isOver: false });
    expect(await secretText("look")).toBe(before);
  });

  test("is not over because the API server refuses the new one", async () => {
    await simulator.pass(12 * HOUR);
    const before = await secretText("look");
    const refusing = through((url) =>
      url.includes("selfsubjectreviews") ? { status: 401, headers: {}, body: "{}" } : undefined,
    );
    expect(await refusing.renew()).toMatchObject({
      state: "failed",
      why: "the API server rejects the token that it has just issued",
      isOver: false,
    });
    expect(await secretText("look")).toBe(before);
  });

  test("that says no end is not over because it cannot be renewed", async () => {
    const endless = { server: SERVER, ca: "-----BEGIN CERTIFICATE-----", token: "an-old-one" };
    store("look", JSON.stringify(endless));
    const forbidding = through((url) =>
      url.endsWith("/token") ? { status: 403, headers: {}, body: "{}" } : undefined,
    );
    expect(await forbidding.renew()).toMatchObject({ state: "failed", term: null, isOver: false });
  });

  test("of another account is not taken for this one's", async () => {
    store("look", credentialFor(simulator, "join", SERVER));
    expect(await stored("look").renew()).toMatchObject({
      state: "failed",
      why: "it belongs to system:serviceaccount:casement:join, not to system:serviceaccount:casement:look",
    });
    // It may not renew itself in the other's name either.
    await simulator.pass(12 * HOUR);
    expect(await stored("look").renew()).toMatchObject({
      state: "failed",
      why: expect.stringContaining('serviceaccounts "look" is forbidden'),
    });
  });

  test.each([
    ["is empty", ""],
    ["is no credential", "{}"],
  ])("that %s is over", async (_what, text) => {
    store("join", text);
    expect(await stored("join").renew()).toMatchObject({ state: "failed", term: null, isOver: true });
  });

  test("that has ended is over, and cannot renew itself", async () => {
    await simulator.pass(24 * HOUR);
    expect(await stored("join").renew()).toMatchObject({ state: "failed", isOver: true });
  });

  test("is stored by its own function alone", async () => {
    for (const [account, holder] of Object.entries(holders) as [Account, (typeof holders)[Account]][])
      for (const other of Object.values(holders)) {
        const { secrets } = clients(simulator.settings(other), simulator.transport);
        const put = secrets.send(
          new PutSecretValueCommand({
            SecretId: secretOf(demo.cluster.name, account),
            SecretString: credentialFor(simulator, account, SERVER),
          }),
        );
        if (other === holder) await put;
        else await expect(put).rejects.toMatchObject({ name: "AccessDeniedException" });
      }
  });
});

describe("What is noted of a tick", () => {
  const failed = { account: "join", state: "failed", why: "away", term: null, isOver: false } as const;

  test("is the same when it is noted again after a crash", async () => {
    const { note } = simulator.as("look").credential;
    expect(await note("first", [failed])).toEqual([]);
    expect(await note("second", [failed])).toEqual([{ say: "failing", renewal: failed }]);
    expect(await note("second", [failed])).toEqual([{ say: "failing", renewal: failed }]);
    expect(await note("third", [failed])).toEqual([]);
  });
});
