import { describe, expect, test } from "vitest";
import type { Account } from "../../../lambdas/cluster/accounts.ts";
import type { DoctorFacts } from "../../../lambdas/steps/doctor/check.ts";
import { policies } from "../../../lambdas/steps/doctor/policies.ts";
import { type ApiAnswer, type ApiAnswers, apiRefusal, listOf } from "../api-server.ts";
import { foundIn, patientOf } from "./a-cluster.ts";

const check = { observe: (patient: DoctorFacts) => policies(patient) };
const OUT = "node.kubernetes.io/exclude-from-external-load-balancers";

const node = (name: string, os: string, labels: Record<string, string> = {}) => ({
  metadata: { name, labels: { "kubernetes.io/os": os, ...labels } },
});

/** Path of each request that a policy must judge. */
const paths = {
  linux: "PATCH /api/v1/nodes/linux-1",
  windows: "PATCH /api/v1/nodes/win-1",
  token: (account: Account) => `POST /api/v1/namespaces/casement/serviceaccounts/${account}/token`,
  join: "POST /api/v1/namespaces/openshift-machine-config-operator/serviceaccounts/node-bootstrapper/token",
  eviction: "POST /api/v1/namespaces/kube-system/pods/casement-doctor/eviction",
  pod: "POST /api/v1/namespaces/casement/pods",
};

const requestsOf = (account: Account): string[] => [
  paths.linux,
  paths.token(account),
  paths.join,
  paths.eviction,
  paths.pod,
];

const denial = (status = 422): ApiAnswer => apiRefusal(status, "ValidatingAdmissionPolicy 'casement-nodes' denied it");
const nodes = listOf(node("linux-1", "linux"), node("win-0", "windows", { [OUT]: "" }), node("win-1", "windows"));

/** A cluster that answers each attempt so, and lets an account take a node out of load balancers. */
const everywhere = (account: Account, answer: ApiAnswer, more: ApiAnswers = {}): ApiAnswers => ({
  "GET /api/v1/nodes": nodes,
  ...Object.fromEntries(requestsOf(account).map((path) => [path, answer])),
  [paths.windows]: { body: {} },
  ...more,
});

const missing = (account: Account, policy: string, what: string) => ({ kind: "policy-missing", account, policy, what });
const lax = {
  kind: "policy-lax",
  account: "act",
  policy: "casement-probes",
  what: "to delete pods of others in the namespace casement",
};
const label = (account: Account) => missing(account, "casement-nodes", "a label on a Linux node");
const ownToken = (account: Account) =>
  missing(account, "casement-tokens", "a token of its own that is not bound to its Secret");
const all: Readonly<Record<Account, readonly object[]>> = {
  look: [ownToken("look")],
  act: [
    label("act"),
    ownToken("act"),
    missing("act", "casement-evictions", "an eviction without a grace period"),
    missing("act", "casement-probes", "a pod in its host's network"),
    lax,
  ],
  join: [label("join"), ownToken("join"), missing("join", "casement-tokens", "a join token for two hours")],
};

describe.each<Account>(["look", "act", "join"])("The admission policies of the account %s", (account) => {
  test.each<[string, ApiAnswer, readonly object[]]>([
    ["a policy denies every request", denial(), []],
    ["the account lacks the rights", apiRefusal(403, 'cannot create resource "pods"'), []],
    ["the server accepts every request", { body: {} }, all[account]],
    ["the server looks for objects that do not exist", apiRefusal(404), all[account]],
  ])("when %s", async (_what, answer, findings) => {
    expect(await foundIn(check, everywhere(account, answer), { account })).toEqual(findings);
  });

  test("are not judged by a busy server", async () => {
    expect(await foundIn(check, everywhere(account, apiRefusal(503)), { account })).toContain("HTTP-Code: 503");
  });
});

test("A denial that is no policy's is a missing one's where it is not a missing right", async () => {
  const api = everywhere("look", apiRefusal(422, "invalid"));
  expect(await foundIn(check, api)).toContain("HTTP-Code: 422");
});

test("Without a Linux node there is no label to try", async () => {
  const api = everywhere("join", { body: {} }, { "GET /api/v1/nodes": listOf(node("win-1", "windows")) });
  expect(await foundIn(check, api, { account: "join" })).toEqual(all.join.slice(1));
});

test("A further request is tried beside the others", async () => {
  const attempt = { policy: "casement-x", what: "a thing", attempt: async () => ({}) };
  const observe = (patient: DoctorFacts) => policies(patient, [attempt]);
  expect(await foundIn({ observe }, everywhere("look", denial()))).toEqual([missing("look", "casement-x", "a thing")]);
});

describe("The label that takes a node out of load balancers", () => {
  const tried = (answer: ApiAnswer, found = nodes) =>
    foundIn(check, everywhere("act", denial(), { [paths.windows]: answer, "GET /api/v1/nodes": found }), {
      account: "act",
    });
  const old = { kind: "policy-old", account: "act", policy: "casement-nodes", what: `the label ${OUT}` };

  test.each<[string, ApiAnswer, unknown]>([
    ["is allowed", { body: {} }, []],
    ["is denied by an older policy", denial(), [old]],
    ["is denied by an older policy with 403", denial(403), [old]],
    ["needs a right that the account lacks", apiRefusal(403), []],
    ["is tried on a Node that is gone", apiRefusal(404), []],
    ["meets a busy server", apiRefusal(503), expect.stringContaining("HTTP-Code: 503")],
  ])("%s", async (_what, answer, found) => {
    expect(await tried(answer)).toEqual(found);
  });

  test("is not tried where each Windows node has it", async () => {
    const found = listOf(node("win-0", "windows", { [OUT]: "" }), node("linux-1", "linux"));
    expect(await tried(denial(), found)).toEqual([]);
  });
});

test("Every attempt is a dry run of a request that is forbidden", async () => {
  const asked = async (account: Account) => {
    const { patient, requests } = patientOf(everywhere(account, denial()), { account });
    await policies(patient);
    return requests.filter(({ action }) => !action.startsWith("GET"));
  };
  const merge = "application/merge-patch+json";
  const token = (expirationSeconds: number) => ({
    spec: {
      audiences: [],
      expirationSeconds,
      boundObjectRef: { apiVersion: "v1", kind: "Secret", name: "casement-doctor" },
    },
  });
  const act = await asked("act");
  expect(act.every(({ query }) => query.dryRun === "All")).toBe(true);
  expect(Object.groupBy(act, ({ action }) => action)).toMatchObject({
    [paths.linux]: [{ type: merge, body: { metadata: { labels: { "casement.dev/doctor": "tries" } } } }],
    [paths.windows]: [{ type: merge, body: { metadata: { labels: { [OUT]: "true" } } } }],
    [paths.token("act")]: [{ body: token(3_600) }],
    [paths.eviction]: [
      {
        body: {
          apiVersion: "policy/v1",
          kind: "Eviction",
          metadata: { name: "casement-doctor", namespace: "kube-system" },
          deleteOptions: { gracePeriodSeconds: 0 },
        },
      },
    ],
    [paths.pod]: [
      {
        body: {
          metadata: { name: "casement-doctor", namespace: "casement" },
          spec: { hostNetwork: true, containers: [{ name: "main", image: "registry.invalid/none:0" }] },
        },
      },
      {
        body: {
          metadata: { namespace: "casement", labels: { "casement.dev/probe": "windows" } },
          spec: { nodeName: "casement-doctor", os: { name: "linux" } },
        },
      },
    ],
  });
  const join = await asked("join");
  expect(Object.groupBy(join, ({ action }) => action)).toMatchObject({
    [paths.token("join")]: [{ body: token(3_600) }],
    [paths.join]: [{ body: token(7_200), query: { dryRun: "All" } }],
  });
});
