import { marshall } from "@aws-sdk/util-dynamodb";
import { describe, expect, test } from "vitest";
import { contentHash, recordedFile } from "../../../lambdas/inputs/input.ts";
import { proxyInput } from "../../../lambdas/inputs/proxy/input.ts";
import type { SeenMachine } from "../../../lambdas/machine/seen-machine.ts";
import type { SentInput } from "../../../lambdas/records/machine-record.ts";
import { auditCopies } from "../../../lambdas/steps/doctor/audit.ts";
import { lackingFindings } from "../../../lambdas/steps/doctor/given-nodes.ts";
import { sharedRecords } from "../../../lambdas/steps/doctor/input-facts.ts";
import { kubeletClientFindings } from "../../../lambdas/steps/doctor/kubelet-clients.ts";
import { mirrorsCheck, renewalFindings } from "../../../lambdas/steps/doctor/mirrors.ts";
import { proxyCheck } from "../../../lambdas/steps/doctor/proxy.ts";
import { rulesCheck } from "../../../lambdas/steps/doctor/rules.ts";
import { configurationWith } from "../../profiles/okd/facts.ts";
import { type ApiAnswers, apiRefusal, listOf } from "../api-server.ts";
import { foundIn, recorded } from "./a-cluster.ts";
import { launchedTags, listing } from "./a-patient.ts";

const HOUR = 3_600_000;
const NOW = Date.parse("2026-11-21T12:00:00Z");
const at = (hoursAgo: number): string => new Date(NOW - hoursAgo * HOUR).toISOString();

describe("Copies of the audit", () => {
  const late = (...chains: readonly (readonly [string, number?])[]) => ({
    Query: () => ({
      body: {
        Items: chains.map(([operation, index], at) =>
          marshall({ chain: { operation, index }, since: `2026-11-2${at}T00:00:00Z` }, { removeUndefinedValues: true }),
        ),
      },
    }),
  });

  test("that are missing are named by operation, since the first", async () => {
    const aws = late(["add-1"], ["add-1", 0], ["reboot-1"]);
    expect(await foundIn(auditCopies, {}, { aws })).toEqual([
      { kind: "audit-late", operations: ["add-1", "reboot-1"], since: "2026-11-20T00:00:00Z" },
    ]);
    expect(await foundIn(auditCopies, {}, { aws: late() })).toEqual([]);
    expect(`${auditCopies.area}: ${auditCopies.what}`).toBe("AWS: the copies of the audit");
  });
});

describe("People and approvals", () => {
  const roster = (readAt: string) => ({
    GetItem: () => ({ body: { Item: marshall({ groups: { S1: ["U1"] }, standings: {}, readAt }) } }),
  });
  const none = { GetItem: () => ({ body: {} }) };
  const base = configurationWith();
  const configuration = {
    ...base,
    people: { ops: ["S1"], lead: ["U2"] },
    approvals: { ...base.approvals, reboot: { needs: 1, roles: ["ops"] } },
  } as unknown as typeof base;

  test("are judged by the members that the schedule read in the last half hour", async () => {
    const facts = { configuration };
    const found = (await foundIn(rulesCheck, {}, { aws: roster(at(0.4)), facts, now: NOW })) as { kind: string }[];
    expect(found.find(({ kind }) => kind === "few-approvers")).toMatchObject({
      commands: expect.arrayContaining(["reboot"]),
      pool: null,
    });
    const old = (await foundIn(rulesCheck, {}, { aws: roster(at(0.5)), facts, now: NOW })) as { kind: string }[];
    expect(old.filter((one) => JSON.stringify(one).includes('"reboot"') && one.kind === "few-approvers")).toEqual([]);
    expect(`${rulesCheck.area}: ${rulesCheck.what}`).toBe("Slack: people and approvals");
  });

  test("name rules of a pool that cannot be read", async () => {
    const web = base.pools.web as NonNullable<typeof base.pools.web>;
    const facts = { configuration: { ...base, pools: { web: { ...web, rulesFault: "policy: wrong" }, batch: web } } };
    expect(await foundIn(rulesCheck, {}, { aws: none, facts })).toContainEqual({
      kind: "rules-unreadable",
      pool: "web",
      why: "policy: wrong",
    });
  });
});

describe("Nodes that lack an input", () => {
  const content = { sha256: "new", files: [] };
  const node = { name: "a", instanceId: "i-a", runtime: "" };
  const open: SentInput = {
    sha256: "old",
    files: [],
    owner: "x:0",
    at: at(1),
    unconfirmed: { before: null, sent: [] },
  };
  const watch = (hours: number) => ({ stored: contentHash(content), storedAt: NOW - hours * HOUR, blocked: null });
  const found = (now: number, sent: SentInput, hours: number) =>
    lackingFindings(proxyInput, content, [node], {
      given: new Map([["i-a", { proxy: sent }]]),
      watch: watch(hours),
      now,
    });

  test("are late only after more than an hour", () => {
    expect(found(NOW, open, 1)).toEqual([]);
    expect(found(NOW + 1, open, 1)).toEqual([{ kind: "input-unconfirmed", input: "proxy", nodes: ["a"] }]);
  });

  test("are blocked by a content until its time is over", () => {
    const blocked = { sha256: "new", instanceId: "i-a", until: NOW };
    const at = (now: number) =>
      lackingFindings(proxyInput, content, [node], {
        given: new Map([["i-a", { proxy: open }]]),
        watch: { ...watch(9), blocked },
        now,
      }).map(({ kind }) => kind);
    expect([at(NOW - 1), at(NOW)]).toEqual([["input-blocked"], []]);
  });
});

test("An authority is missed until its end, and the newest signer ends soon from thirty days on", () => {
  const DAY = 24 * HOUR;
  const signer = {
    subject: "CN=kube-apiserver-to-kubelet-signer@1",
    fingerprint: "1",
    notAfter: new Date(NOW + 30 * DAY).toISOString(),
  };
  const known = new Map([
    [
      "i-a",
      { kubeletClients: { owner: "x:0", at: at(9), sha256: "0", authorities: [{ ...signer, fingerprint: "0" }] } },
    ],
  ]);
  const found = (now: number) => kubeletClientFindings([signer], [{ name: "a", instanceId: "i-a" }], known, now);
  const missing = { kind: "authority-missing", nodes: ["a"], authority: signer.subject, logs: true };
  const ends = { kind: "authority-ends", authority: signer.subject, at: signer.notAfter };
  expect(found(NOW - 1)).toEqual([missing]);
  expect(found(NOW)).toEqual([missing, ends]);
  expect(found(NOW + 30 * DAY)).toEqual([ends]);
});

describe("Mirror sets of a cluster without a source of inputs", () => {
  const kinds = [
    "GET /apis/config.openshift.io/v1/imagedigestmirrorsets",
    "GET /apis/config.openshift.io/v1/imagetagmirrorsets",
    "GET /apis/operator.openshift.io/v1alpha1/imagecontentsourcepolicies",
  ];
  const check = mirrorsCheck(sharedRecords());
  const answers = (...all: readonly ApiAnswers[string][]): ApiAnswers =>
    Object.fromEntries(kinds.map((kind, index) => [kind, all[index] ?? apiRefusal(404)]));
  const facts = { configuration: configurationWith({ inputs: "none" }) };
  const counted = (...all: readonly ApiAnswers[string][]) => foundIn(check, answers(...all), { facts });

  test("are counted over all kinds, of which the cluster may lack some", async () => {
    expect(await counted(listOf({}, {}), listOf({}), apiRefusal(404))).toEqual([
      { kind: "mirrors-not-applied", sets: 3, source: "none" },
    ]);
    expect(await counted(listOf(), apiRefusal(404), apiRefusal(404))).toEqual([]);
  });

  test("are not counted without the right to read them", async () => {
    expect(await counted(listOf({}), apiRefusal(403), listOf())).toEqual([
      {
        kind: "input-unread",
        input: "mirrors",
        why: "Casement is not allowed to read ImageTagMirrorSet: apply the manifest (`npm run --silent connect -- manifest | kubectl apply -f -`), so no node was changed",
      },
    ]);
    expect(await counted(apiRefusal(503))).toContain("HTTP-Code: 503");
  });
});

describe("The proxy", () => {
  const api: ApiAnswers = {
    "GET /apis/config.openshift.io/v1/proxies/cluster": {
      body: { metadata: { name: "cluster" }, spec: {}, status: { httpProxy: "http://proxy.example.com:3128" } },
    },
    "GET /api/v1/nodes": listOf(
      ...["a", "b", "c"].map((name) => ({
        metadata: { name, uid: `uid-${name}`, labels: { "kubernetes.io/os": "windows", "casement.dev/pool": "web" } },
        spec: { providerID: `aws:///us-west-2a/i-${name}` },
      })),
    ),
    "GET /apis/machine.openshift.io/v1beta1/namespaces/openshift-machine-api/machines": apiRefusal(404),
    "GET /api/v1/namespaces/openshift-windows-machine-config-operator/configmaps/windows-instances": apiRefusal(404),
  };
  const machines = listing(...["a", "b", "c"].map((name) => ({ id: `i-${name}`, dns: name, tags: launchedTags })));
  const secret = { DescribeSecret: () => ({ body: { VersionIdsToStages: { v: ["AWSCURRENT"] } } }) };
  const watch = { GetItem: () => ({ body: {} }) };
  const configuration = configurationWith({ inputs: "openshift" });
  const look = (aws: object) =>
    foundIn(proxyCheck(sharedRecords()), api, {
      aws: { ...machines, ...secret, ...watch, ...aws },
      facts: { configuration },
      now: NOW,
    });
  const content = () => {
    const found = [[{ spec: {}, status: { httpProxy: "http://proxy.example.com:3128" } }]];
    const facts = { configuration, given: [], now: NOW, isRequested: false, accepted: [], images: null, payload: null };
    const made = proxyInput.content(found, facts);
    if (typeof made === "string") throw new Error("the proxy needs no further fact");
    return made;
  };
  const sentAt = (hours: number): SentInput => ({
    sha256: content().sha256,
    files: content().files.map(recordedFile),
    owner: "x:0",
    at: at(hours),
  });
  const seen = (name: string, reasons: SeenMachine["reasons"]): SeenMachine => ({
    instanceId: `i-${name}`,
    node: name,
    uid: `uid-${name}`,
    bootId: "7",
    launchedAt: "",
    reasons,
    dueSince: null,
    seenAt: at(0),
  });

  test("that services do not use yet is pending, since the first node got it", async () => {
    const records = recorded({
      "i-a": { given: { proxy: sentAt(2) }, seen: seen("a", ["proxy"]) },
      "i-b": { given: { proxy: sentAt(3) }, seen: seen("b", ["proxy"]) },
      "i-c": { given: { proxy: sentAt(4) }, seen: seen("c", []) },
    });
    expect(await look(records)).toEqual([{ kind: "proxy-pending", nodes: ["a", "b"], since: at(3), at: at(0) }]);
  });

  test("that every service uses is no finding", async () => {
    const records = recorded(
      Object.fromEntries(
        ["a", "b", "c"].map((name) => [`i-${name}`, { given: { proxy: sentAt(2) }, seen: seen(name, []) }]),
      ),
    );
    expect(await look(records)).toEqual([]);
  });
});

test("Nodes that do not renew their passwords are named with the time of the check", () => {
  const renewalFault = { kind: "failed", why: "denied", since: at(2) } as const;
  const seen = new Map([["i-a", { instanceId: "i-a", seenAt: at(0), renewalFault } as unknown as SeenMachine]]);
  const files = [{ path: "C:\\Casement\\registries\\quay.io.json", sha256: "one" }];
  const given = new Map([["i-a", { mirrors: { sha256: "new", files, owner: "x:0", at: at(9) } }]]);
  const examined = [
    { name: "a", instanceId: "i-a", runtime: "" },
    { name: "b", instanceId: null, runtime: "" },
  ];
  const facts = { configuration: configurationWith(), examined, given, seen, now: NOW };
  expect(renewalFindings(facts)).toEqual([
    { kind: "passwords-not-renewed", renewals: [{ node: "a", ...renewalFault }], at: at(0) },
  ]);
  expect(renewalFindings({ ...facts, given: new Map() })).toEqual([]);
});
