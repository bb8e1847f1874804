import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { proposalOf } from "../../bin/discover/proposal.ts";
import { deploymentOf } from "../../lib/deployment.ts";
import { unfilled } from "../../lib/fill-in.ts";
import { wholeFacts } from "./facts.ts";

const NOW = Date.UTC(2026, 10, 26);
const example = readFileSync("docs/configuration.example.yaml", "utf8");

test("a proposal of whole facts is a valid configuration, which has no value of the example's cluster", () => {
  const { text, missing } = proposalOf(example, wholeFacts(), null);
  const { cluster, aws, slack, people, pools, policy } = deploymentOf(parse(text), NOW);
  expect(missing.size).toBe(0);
  expect(cluster).toMatchObject({ name: "prod-east", version: "1.34.9", hybridOverlayPort: 9898, inputs: "openshift" });
  expect(aws).toMatchObject({ account: "012345678901", vpc: "vpc-0123456789abcdef0", notify: ["team@example.org"] });
  expect(slack.channel).toBe("C0EXAMPLE");
  expect(people).toEqual({ operator: ["S0OPERATORS"], approver: ["U0ONE", "U0TWO"] });
  expect(policy["break-glass"]).toBeUndefined();
  expect(pools.web).toMatchObject({
    subnets: ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
    maintenance: [],
  });
  const values = text.replaceAll(/#.*$/gm, "");
  for (const word of ["prod-west", "example.com", "0a10000", "Berlin"]) expect(values).not.toContain(word);
});

test("each value names its source behind it", () => {
  const { text } = proposalOf(example, wholeFacts(), null);
  for (const line of ["teamId: T0EXAMPLE # a source", "hybridOverlayPort: 9898 # a source"])
    expect(text).toContain(line);
});

test("a value that was not found is refused with its path, and its line has the reason", () => {
  const facts = wholeFacts();
  const denied = { missing: "EC2 DescribeInstances: UnauthorizedOperation" };
  const { text, missing } = proposalOf(example, { ...facts, account: { ...facts.account, vpc: denied } }, null);
  expect(text).toContain("vpc: FILL-IN # EC2 DescribeInstances: UnauthorizedOperation");
  expect([...missing]).toEqual([["aws.vpc", denied.missing]]);
  expect(unfilled(parse(text))).toEqual(["aws.vpc"]);
});

test("a file that is there keeps what a person chose and what was not found now; a value that differs is proposed anew", () => {
  const facts = wholeFacts();
  const earlier = proposalOf(example, facts, null)
    .text.replace("  web:", "  shop:")
    .replace("maximum: 8", "maximum: 3")
    .replace("[U0ONE, U0TWO]", "[U0ONE, U0TWO, U0THREE]")
    .replace("hybridOverlayPort: 9898", "hybridOverlayPort: 4789");
  const slack = { ...facts.slack, teamId: { missing: "no token" } };
  const { text, missing } = proposalOf(example, { ...facts, slack }, `${earlier}  payloadManifest: p.json\n`);
  const { cluster, people, pools, aws, slack: kept } = deploymentOf(parse(text), NOW);
  expect(missing.size).toBe(0);
  expect(kept.teamId).toBe("T0EXAMPLE");
  expect(people.approver).toEqual(["U0ONE", "U0TWO", "U0THREE"]);
  expect(Object.entries(pools).map(([name, { maximum }]) => [name, maximum])).toEqual([["shop", 3]]);
  expect(aws.payloadManifest).toBe("p.json");
  expect(cluster.hybridOverlayPort).toBe(9898);
});

test("a second proposal fills in what the first did not find", () => {
  const facts = wholeFacts();
  const nobody = { ...facts.slack.people, approver: { missing: "no token" } };
  const first = proposalOf(example, { ...facts, slack: { ...facts.slack, people: nobody } }, null);
  expect([...first.missing.keys()]).toEqual(["people.approver"]);
  const { text, missing } = proposalOf(example, facts, first.text);
  expect(missing.size).toBe(0);
  expect(text).toBe(proposalOf(example, facts, null).text);
});

test("a DNS Service at an address of its own brings it, in a new file and in one that is there", () => {
  const facts = wholeFacts();
  const { text: usual } = proposalOf(example, facts, null);
  expect(deploymentOf(parse(usual), NOW).cluster.dnsAddress).toBeUndefined();
  const dnsAddress = { value: "172.31.0.53", source: "Service openshift-dns/dns-default" };
  for (const earlier of [null, usual]) {
    const { text } = proposalOf(example, { ...facts, cluster: { ...facts.cluster, dnsAddress } }, earlier);
    expect(text).toContain("dnsAddress: 172.31.0.53 # Service openshift-dns/dns-default");
    expect(deploymentOf(parse(text), NOW).cluster.dnsAddress).toBe("172.31.0.53");
  }
});

test("a private API server brings the functions' network, a customer's key the volumes' key, a group the role on call", () => {
  const facts = wholeFacts();
  const wayOut = "nat-0123456789abcdef0";
  const key = "arn:aws:kms:us-east-1:012345678901:key/11111111-2222-3333-4444-555555555555";
  const account = {
    ...facts.account,
    volumeKey: { value: key, source: "EC2" },
    functionsNetwork: { value: { subnets: ["subnet-0123456789abcdef0"], wayOut }, source: "EC2" },
  };
  const people = { ...facts.slack.people, "on-call": { value: ["S0ONCALL"], source: "Slack" } };
  const { text } = proposalOf(example, { ...facts, account, slack: { ...facts.slack, people } }, null);
  const { aws, policy } = deploymentOf(parse(text), NOW);
  expect(aws).toMatchObject({ volumeKey: key, functionsNetwork: { subnets: ["subnet-0123456789abcdef0"], wayOut } });
  expect(policy["break-glass"]).toEqual(["on-call"]);
});
