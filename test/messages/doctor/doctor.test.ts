import { describe, expect, it } from "vitest";
import { doctorMessage, doctorText, type Examination } from "../../../lambdas/messages/doctor/doctor.ts";
import type { Finding } from "../../../lambdas/messages/doctor/finding.ts";
import { wordsOfFinding } from "../../../lambdas/messages/doctor/findings.ts";
import type { PersonWait } from "../../../lambdas/records/waits.ts";
import { readBlocks } from "../../journeys/reading.ts";
import { expectWithinSlackLimits } from "../within-slack-limits.ts";

const examination = (findings: readonly Finding[], more: Partial<Examination> = {}): Examination => ({
  findings,
  looked: 20,
  skipped: [],
  ...more,
});

const NOW = "2026-11-26T03:10:00.000Z";
const since = "2026-11-26T02:53:00.000Z";
const silent: Finding = { kind: "agents-silent", agents: [{ node: "win-1", pool: "web", since }], at: NOW };
const unready: Finding = { kind: "nodes-not-ready", nodes: [{ node: "win-1", pool: null, since }], at: NOW };
const open: Finding = { kind: "security-group", group: "sg-1", faults: ["it admits SSH (port 22)"] };
const opened: Finding = { kind: "balancer-ports", group: "sg-1", ports: ["tcp 31234"] };
const unclear: Finding = { kind: "no-answer", area: "AWS", what: "the subnets", why: "ThrottlingException" };
const scopes: Finding = { kind: "scopes-missing", scopes: ["users:read", "commands"] };

const hostile = "<!channel> `x` *b* & <@U1>";
const fault = { registry: "quay.io", object: hostile, source: hostile, mirror: hostile, reason: "path" } as const;

/** One of each kind, with hostile words in every place that holds words from elsewhere. */
const each: readonly Finding[] = [
  { kind: "down", area: "Cluster", why: hostile },
  { kind: "agents-silent", agents: [{ node: hostile, pool: "web", since }], at: NOW },
  { kind: "nodes-not-ready", nodes: [{ node: hostile, pool: "web", since }], at: NOW },
  { kind: "no-answer", area: "Slack", what: "the channel", why: hostile },
  { kind: "no-answer", area: "AWS", what: hostile, why: hostile, service: "EC2", throttled: true },
  { kind: "no-credentials", why: hostile },
  { kind: "denied", by: "look", action: hostile },
  { kind: "other-app", found: hostile, configured: "T/U" },
  scopes,
  { kind: "not-a-member", channel: "C1" },
  { kind: "commands-unnamed", commands: ["approve", "deny"] },
  { kind: "rules-unreadable", pool: "web", why: "  approvals.reboot.needs: Too big" },
  { kind: "few-approvers", commands: ["drain"], pool: null, people: ["U1"] },
  { kind: "few-approvers", commands: ["drain", "remove"], pool: "web", people: [] },
  { kind: "channel-shared", channel: "C1" },
  { kind: "channel-unknown", channel: hostile },
  { kind: "subnet-full", subnet: "subnet-1", pools: ["web"], free: 3 },
  { kind: "subnet-missing", subnet: "subnet-1", pools: ["web"] },
  open,
  opened,
  { kind: "image-missing", pool: "web", why: hostile },
  { kind: "launch-refused", pool: "web", why: hostile },
  { kind: "payload-missing", files: Array.from({ length: 17 }, (_, at) => `file-${at}.exe`) },
  { kind: "payload-version", payload: "1.34.2", configured: "1.35.0" },
  {
    kind: "payload-unusable",
    faults: [{ kind: "broken", program: "kubelet.exe", version: "1.31.0", why: "it does not start" }],
  },
  {
    kind: "payload-ended",
    faults: [{ kind: "ended", program: "containerd.exe", version: "1.7.27", since: "2026-03-31" }],
  },
  { kind: "vpc-dns", vpc: "vpc-1", attribute: "enableDnsHostnames" },
  { kind: "volume-key", key: "arn:aws:kms:us-west-2:111122223333:key/1" },
  { kind: "key-state", key: "arn:aws:kms:us-west-2:111122223333:key/1", state: "Disabled" },
  { kind: "key-policy", key: "arn:aws:kms:us-west-2:111122223333:key/1", services: ["events.amazonaws.com"] },
  { kind: "document-missing", script: "apply", name: "casement-apply" },
  { kind: "document-changed", script: "apply", name: "casement-apply" },
  { kind: "executions-hidden", operations: [hostile] },
  { kind: "executions-hidden", operations: ["drain-1a2b3c4d", "reboot-1a2b3c4d"] },
  { kind: "no-release", why: hostile },
  { kind: "clock", against: "AWS", seconds: 90 },
  { kind: "agents-old", machines: ["i-1"], wanted: "3.3" },
  silent,
  { kind: "agents-proxied", nodes: ["win-1"] },
  { kind: "others-without-profile", machines: ["i-1"] },
  { kind: "others-without-agent", machines: ["i-1"] },
  { kind: "others-silent", machines: ["i-1"] },
  { kind: "node-identity", fault: { kind: "other-name", instanceId: "i-1", node: "web-9", wanted: "web-1" } },
  { kind: "assistance-without-power", machines: [{ instanceId: "i-1", fault: "tag-of-others" }] },
  { kind: "accounts-bound", bindings: ["all: ClusterRole cluster-admin for ServiceAccount casement/look"] },
  { kind: "right-missing", account: "act", does: "evict pods", right: "create pods/eviction" },
  { kind: "policy-missing", account: "act", policy: "casement-nodes", what: "a label on a Linux node" },
  { kind: "policy-old", account: "act", policy: "casement-nodes", what: "the label that takes nodes out" },
  { kind: "policy-lax", account: "act", policy: "casement-probes", what: "to delete pods of others" },
  { kind: "credential-expired", account: "join", at: "2026-11-21T04:00:00.000Z" },
  { kind: "credential-overdue", account: "join", due: "2026-11-21T04:00:00.000Z", at: "2026-11-21T16:00:00.000Z" },
  { kind: "credential-endless", account: "join" },
  { kind: "credential-refused", account: "look" },
  { kind: "credential-unusable", account: "look", why: "the API server rejects the token" },
  { kind: "slack-credential", why: "token_revoked" },
  { kind: "server-version", server: "v1.36.1", payload: "1.34.2" },
  { kind: "kubelet-version", node: "win-1", kubelet: "v1.30.0", server: "v1.34.2" },
  { kind: "no-cloud-controller", platform: hostile },
  { kind: "reserved-network", network: hostile },
  { kind: "networks-overlap", one: { of: "the VPC", cidr: hostile }, other: { of: "Services", cidr: hostile } },
  { kind: "networks-overlap", one: { of: "pods", cidr: hostile }, other: { of: "Services", cidr: hostile } },
  { kind: "few-addresses", network: hostile, hostPrefix: 28, addresses: 13, podsPerNode: 250 },
  { kind: "dns-differs", address: hostile, expected: hostile },
  { kind: "daemonsets-anywhere", daemonSets: [hostile] },
  { kind: "no-storage-driver", nodes: [hostile], pods: [hostile] },
  { kind: "beside-wmco", nodes: [hostile], meant: false },
  { kind: "beside-wmco", nodes: [], meant: true },
  { kind: "no-hybrid-network", network: "OpenShiftSDN" },
  { kind: "network-differs", what: "the overlay's port", cluster: "9898", configured: "4789" },
  { kind: "no-join-account" },
  { kind: "no-machine-approver" },
  { kind: "no-linux-node" },
  { kind: "mirrors-not-applied", sets: 2, source: "none" },
  { kind: "input-unread", input: "mirrors", why: hostile },
  { kind: "mirrors-inexpressible", faults: Array.from({ length: 7 }, () => fault), unused: [fault] },
  { kind: "registries-not-enforced", list: "blocked", registries: [hostile] },
  { kind: "registries-not-enforced", list: "allowed", registries: ["quay.io"] },
  { kind: "registries-unencrypted", registries: ["quay.io"] },
  { kind: "registry-credentials-unused", hosts: [hostile] },
  { kind: "mirrors-asked", parts: [hostile] },
  { kind: "input-late", input: "mirrors", nodes: ["win-1"] },
  { kind: "input-unconfirmed", input: "mirrors", nodes: ["win-1", "win-2"] },
  { kind: "input-blocked", input: "mirrors", failed: "win-1", nodes: ["win-1", "win-2"] },
  { kind: "input-blocked", input: "mirrors", failed: null, nodes: ["win-1"] },
  { kind: "input-late", input: "trustedAuthorities", nodes: ["win-1"] },
  { kind: "input-late", input: "proxy", nodes: ["win-1"] },
  { kind: "proxy-pending", nodes: ["win-1"], since: "2026-11-21T04:00:00.000Z", at: "2026-11-21T16:00:00.000Z" },
  { kind: "authorities-remarks", remarks: Array.from({ length: 7 }, () => hostile) },
  { kind: "authorities-asked", roots: 2 },
  {
    ...{ kind: "passwords-not-renewed", at: "2026-11-21T16:00:00.000Z" },
    renewals: [
      { node: "win-1", kind: "failed", why: `${hostile}.`, since: "2026-11-21T15:00:00.000Z" },
      { node: "win-2", kind: "failed", why: "", since: "2026-11-21T15:30:00.000Z" },
    ],
  },
  {
    ...{ kind: "passwords-not-renewed", at: "2026-11-21T16:00:00.000Z" },
    renewals: [{ node: "win-1", kind: "missing", why: "", since: "2026-11-20T15:00:00.000Z" }],
  },
  { kind: "containerd-untried", version: hostile, nodes: ["win-1"] },
];

describe("passwords of ECR that are not renewed", () => {
  it("are a warning until the last one has expired, and then a problem", () => {
    const since = "2026-11-21T04:00:00.000Z";
    const renewals = [{ node: "win-1", kind: "failed", why: "ECR does not answer", since }] as const;
    const levelAt = (at: string) => wordsOfFinding({ kind: "passwords-not-renewed", renewals, at }).level;
    expect(levelAt("2026-11-21T15:59:00.000Z")).toBe("warning");
    expect(levelAt("2026-11-21T16:00:00.000Z")).toBe("broken");
  });
});

describe("the doctor's report", () => {
  it("says how many problems there are, and puts the area with the worst one first", () => {
    const text = doctorText(examination([silent, scopes, unclear, open]), "prod-west");
    expect(text.split("\n")[0]).toBe("prod-west: 2 problems, 1 warning, 1 inconclusive check");
    const order = ["AWS\n", "admits SSH", "Could not check", "Slack\n", "Nodes\n"].map((part) => text.indexOf(part));
    expect(order).toEqual(order.toSorted((one, other) => one - other));
    expect(order).not.toContain(-1);
  });

  it("names silent agents and NotReady nodes by node, pool and time, with a way on that is no removal", () => {
    const [agents, nodes] = [silent, unready].map((one) => wordsOfFinding(one));
    expect(agents?.says).toBe("the SSM agent does not report: `win-1` (web, for 17m)");
    expect(nodes?.says).toBe("1 Windows node is NotReady: `win-1` (for 17m)");
    for (const words of [agents, nodes]) {
      expect(words?.remedy).toMatch(/why win-1.* names the cause/);
      expect(words?.remedy).not.toContain("remove");
    }
  });

  it.for([
    [[{ lacksProfile: true }], "attach the pool's instance profile to win-0, which no reboot helps. Many"],
    [[{}], "names the cause; {win} reboot &lt;node&gt; reboots a node through EC2 once it is approved. Many"],
    [[{}, { lacksProfile: true }], "to win-1, which no reboot helps; {win} reboot &lt;node&gt; reboots"],
  ] as const)("recommends no reboot for an agent without an instance profile: %j", ([bare, words]) => {
    const agents = bare.map((more, at) => ({ node: `win-${at}`, pool: "web", since, ...more }));
    const { remedy = "" } = wordsOfFinding({ kind: "agents-silent", agents, at: NOW });
    expect(remedy.replaceAll("`", "")).toContain(words);
    expect(remedy.includes("reboots a node")).toBe(bare.length > 1 || !("lacksProfile" in bare[0]));
  });

  it("names the missing instance profile of a NotReady node, and recommends no reboot of it", () => {
    const agent = { node: "win-1", pool: "web", since, lacksProfile: true } as const;
    const text = doctorText(examination([{ kind: "agents-silent", agents: [agent], at: NOW }, unready]), "prod-west");
    expect(text).toContain("win-1 (for 17m, its instance has no instance profile, so its SSM agent does not report).");
    expect(text).toContain("attach the pool's instance profile to win-1, which no reboot helps");
    expect(text).not.toContain("recovers a node");
  });

  it("names a NotReady node once, with its silent agent, and no input that its machine cannot confirm", () => {
    const both = ["win-1", "win-2"].map((node) => ({ node, pool: "web", since }));
    const agents: Finding = { kind: "agents-silent", agents: both, at: NOW };
    const late: Finding = { kind: "input-late", input: "mirrors", nodes: ["win-1", "win-2", "win-3"] };
    const unconfirmed: Finding = { kind: "input-unconfirmed", input: "proxy", nodes: ["win-1"] };
    const text = doctorText(examination([agents, unready, late, unconfirmed]), "prod-west");
    expect(text.split("\n")[0]).toBe("prod-west: 1 problem, 2 warnings");
    expect(text).toContain("1 Windows node is NotReady: win-1 (for 17m, its SSM agent does not report).");
    expect(text).toContain("recovers a node, through EC2 where its agent does not report");
    expect(text).toContain("The SSM agent does not report: win-2 (web, for 17m).");
    expect(text).toContain("win-3 has not had the cluster's mirror sets");
    const alone = doctorText(examination([silent, unready]), "prod-west");
    expect(alone.match(/win-1 \(/g)).toHaveLength(1);
  });

  it("repeats what waits for a person, and never says beside it that all checks passed", () => {
    const wait: PersonWait = {
      ...{ kind: "unproven", operation: "reboot-1", index: 0, node: "win-1", pool: "web", since },
      audience: { command: "prove" },
    };
    const waiting = doctorMessage(examination([opened]), "prod-west", { waits: [wait], now: NOW });
    expect(waiting.text).toBe("prod-west: 1 note, 1 wait for a person");
    expect(readBlocks(waiting.blocks)).toContain("❓ *Waiting for a person*\n• `win-1` stays cordoned");
    const alone = doctorMessage(examination([]), "prod-west", { waits: [wait], now: NOW });
    expect(doctorText(examination([]), "prod-west", { waits: [wait], now: NOW })).toBe(
      "prod-west: 1 wait for a person\n\nWaiting for a person\n" +
        "  • win-1 stays cordoned, because its reboot was not proven, for 17m: type {win} why win-1, then {win} prove win-1, or {win} cordon win-1 to keep it.",
    );
    expect(readBlocks(alone.blocks)).not.toMatch(/checks passed|No problems/);
  });

  it.each(each)("gives $kind words and a remedy that can neither ping nor break out", (finding) => {
    const { says, remedy } = wordsOfFinding(finding);
    expect(remedy.length).toBeGreaterThan(10);
    expect(says).not.toMatch(/<!(?!date\^)|<@/);
    expect(`${says}${remedy}`).not.toMatch(/undefined|\.$/);
  });

  it("says of each finding what doctor.txt has", async () => {
    const words = each
      .map(wordsOfFinding)
      .map(({ area, level, says, remedy }) => `${area}, ${level}: ${says}\n  ${remedy}`);
    await expect(`${words.join("\n")}\n`).toMatchFileSnapshot("doctor.txt");
  });

  it("says one cause once, with what it affects and one remedy", () => {
    const throttled = (what: string): Finding => ({
      kind: "no-answer",
      area: "AWS",
      what,
      why: "Request limit exceeded.",
      service: "EC2",
      throttled: true,
    });
    const refused = (pool: string): Finding => ({ kind: "launch-refused", pool, why: "no such key" });
    const findings = [throttled("the subnets"), refused("web"), throttled("the clock"), refused("edge")];
    const text = doctorText(examination(findings), "prod-west");
    expect(text.split("\n")[0]).toBe("prod-west: 1 problem, 1 inconclusive check");
    expect(text).toContain("EC2 throttled 2 checks: the subnets, the clock");
    expect(text).toContain("EC2 would refuse to launch a node of web, edge: no such key.");
    expect(text.split("Remedy:")).toHaveLength(3);
  });

  it("says a remedy once for all that it mends, though the causes differ", () => {
    const away: Finding = { kind: "no-answer", area: "AWS", what: "the clock", why: "no answer within 6 s" };
    const text = doctorText(examination([unclear, away]), "prod-west");
    expect(text.split("\n")[0]).toBe("prod-west: 2 inconclusive checks");
    expect(text.split("Remedy:")).toHaveLength(2);
  });

  it("fits into one message with every finding there is, many times over", () => {
    const subnet = (at: number): Finding => ({ kind: "subnet-missing", subnet: `subnet-${at}`, pools: ["web"] });
    const many = [...each, ...Array.from({ length: 60 }, (_, at) => subnet(at))];
    const { blocks } = doctorMessage(examination(many), "prod-west");
    expectWithinSlackLimits(blocks);
    expect(JSON.stringify(blocks)).toMatch(/and \d+ more findings/);
  });

  it("names what was not checked", () => {
    const skipped = ["the hybrid network", "the Linux nodes"];
    const down = examination([{ kind: "down", area: "Cluster", why: "ECONNREFUSED" }], { skipped });
    expect(JSON.stringify(doctorMessage(down, "c").blocks)).toContain("Not checked: the hybrid network, the");
    expect(doctorText(down, "c")).toContain("Not checked: the hybrid network, the Linux nodes");
  });

  it("says that all is well only when nothing was found that needs somebody", () => {
    expect(doctorMessage(examination([]), "prod-west").text).toBe("prod-west: all 20 checks passed");
    const noted = doctorText(examination([opened]), "prod-west");
    expect(noted).toContain("prod-west: all 20 checks passed (1 note)");
    expect(noted).toContain("To change it: restrict the Service");
    expect(doctorText(examination([opened, silent]), "c").split("\n")[0]).toBe("c: 1 warning, 1 note");
  });

  it("says how old each credential is and when it is renewed", () => {
    const at = "2026-11-21T15:00:00.000Z";
    const credentials = [
      { account: "look", issuedAt: "2026-11-21T03:00:00.000Z", renewsAt: "2026-11-21T15:00:00.000Z", at },
      { account: "join", issuedAt: "2026-11-21T12:00:00.000Z", renewsAt: "2026-11-22T00:00:00.000Z", at },
    ];
    const words = "Cluster credentials: look 12h old, renewal within the hour; join 3h old, renewal in 9h";
    expect(doctorText({ ...examination([]), credentials }, "prod-west")).toContain(words);
    const said = JSON.stringify(doctorMessage({ ...examination([]), credentials }, "prod-west").blocks);
    expect(said).toContain(words.replace("look", "`look`").replace("join", "`join`"));
  });

  it("says which commands are closed by accident, and which approvals hang on one person", () => {
    const said = (finding: Finding) => wordsOfFinding(finding).says;
    expect(said({ kind: "commands-unnamed", commands: ["approve", "deny"] })).toBe(
      "no role may use `approve`, `deny`: the configuration's policy does not name them",
    );
    expect(said({ kind: "few-approvers", commands: ["drain"], pool: "web", people: ["U1"] })).toBe(
      "`drain` in pool `web` needs an approval that only 1 person can give: a request of their own cannot be approved, and lapses",
    );
  });
});
