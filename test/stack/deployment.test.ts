import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { configurationOf } from "../../lambdas/configuration/configuration.ts";
import { oldKeyWarnings } from "../../lambdas/configuration/deadlines.ts";
import { okd } from "../../lambdas/profiles/okd/okd.ts";
import { deploymentOf, readDeployment } from "../../lib/deployment.ts";
import { readPayload, releaseContent } from "../../lib/release-content.ts";
import { certificate } from "./certificates.ts";
import { example, exampleWith, type Loose, NOW } from "./example.ts";

/** The example with one value replaced, addressed by its path. */
function exampleWhere(path: string, value: unknown): Loose {
  const file = example();
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  const parent = keys.reduce((at, key) => at[key] as Loose, file);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return file;
}

const SUBNET = "subnet-0a10000000000000a";
const pem = (body: string): string => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
const ofServer = await certificate(false, new Date(Date.UTC(2100, 0, 1)));
const expired = await certificate(true, new Date(Date.UTC(2026, 0, 2)));
const authorityOf = ({ cluster }: Loose): string => String((cluster as Loose).certificateAuthority);

const made = { bucket: "b", ledgerTable: "l", instanceProfileArn: "arn", securityGroup: "sg-0d10000000000a100" };

const KEY_ELSEWHERE = "arn:aws:kms:us-east-1:111122223333:key/1a2b3c4d-1a2b-3c4d-5e6f-1a2b3c4d5e6f";

describe("the configuration file", () => {
  it("is valid as the repository shows it", () => {
    const deployment = readDeployment("docs/configuration.example.yaml", NOW);
    expect(deployment.cluster.name).toBe("prod-west");
    expect(deployment.deadlines.provision.launch).toBe(10);
  });

  it.for([
    ["cluster.name", "Prod West"],
    ["cluster.version", "1.34"],
    ["cluster.regoin", "us-west-2"],
    ["cluster.region", "us-west"],
    ["cluster.apiServer", "http://api-int.example.com:6443"],
    ["cluster.apiServer", "api-int.example.com:6443"],
    ["cluster.certificateAuthority", "MIIB"],
    ["cluster.kubeletClientAuthority", "no PEM"],
    ["cluster.serviceNetwork", "172.30.0.0"],
    ["cluster.clusterNetwork", "10.128.0.0/40"],
    ["cluster.dnsAddress", "172.30.0.0/16"],
    ["cluster.hybridOverlayPort", 0],
    ["slack.teamId", "example.slack.com"],
    ["people.operator", ["@olivia"]],
    ["people.operator", "U0123456789"],
    ["pools.web.labels", { "a b": "c" }],
    ["pools.web.taint.key", ""],
    ["pools.web.instanceTypes", []],
    ["pools.web.diskGiB", 30],
    ["command", "win"],
    ["slack.channel", undefined],
    ["pools.web.windows", "2016"],
    ["pools.web.maximum", 0],
    ["pools.web.securityGroup", "sg-0d10000000000a100"],
    ["pools.web.subnets", ["10.0.0.0/24"]],
    ["deadlines.provision.agent", -1],
    ["deadlines.agent", -1],
    ["deadlines.remove.agent", 20],
    ["policy.renew", ["operator"]],
    ["policy.add", ["oprator"]],
    ["aws.account", 111122223333],
    ["aws.vpc", "vpc"],
    ["aws.securityGroups.linuxNodes", undefined],
    ["aws.notify", ["nobody"]],
    ["aws.logRetentionDays", 91],
    ["aws.audit", { objectLock: { mode: "governance", days: 0 } }],
    ["retention.operations", 7],
    ["bucket", "mine"],
  ] as const)("is refused with the path of a wrong value: %s", ([path, value]) => {
    const file = exampleWhere(path, value);
    // An unknown key is told by its name, at the path of what it stands in.
    const key = path.split(".").at(-1);
    const attempt = () => deploymentOf(file, NOW);
    expect(attempt).toThrow("The configuration is not valid:");
    expect(attempt).toThrow(new RegExp(`${path.replaceAll(".", "\\.")}|"${key}"`));
  });

  it.for([
    ["cluster.region", "us-wset-9", "there is no region us-wset-9"],
    ["cluster.region", "us-moon-7", "there is no region us-moon-7"],
    ["cluster.region", "cn-north-1", "cn-north-1 is in the partition aws-cn"],
    ["cluster.region", "us-gov-west-1", "us-gov-west-1 is in the partition aws-us-gov"],
    ["cluster.profile", "eks", "must be okd: other kinds of cluster have no profile yet (docs/requirements.md)"],
    ["cluster.name", "-west-", "neither begin nor end with -"],
    ["cluster.certificateAuthority", pem("hello"), "holds a certificate that cannot be read"],
    ["cluster.certificateAuthority", "MIIB", "must be a certificate in PEM"],
    ["cluster.kubeletClientAuthority", ofServer, "holds no authority's certificate (CA:TRUE)"],
    ["cluster.kubeletClientAuthority", expired, "expired on 2026-01-02"],
    ["cluster.machineNetwork", "10.128.1.0/24", "overlaps with cluster.machineNetwork"],
    ["cluster.serviceNetwork", "10.0.0.0/8", "cluster.serviceNetwork: overlaps with cluster.clusterNetwork"],
    ["cluster.clusterNetwork", "240.0.0.0/14", "is in 240.0.0.0/4, which Windows does not use"],
    ["people.approver", [], "no person has this role"],
    ["approvals.dance", { needs: 1 }, "there is no such command"],
    ["approvals.add", { needs: 2 }, "add asks for no approval: only drain, reboot"],
    ["approvals.thaw", { needs: 0 }, "thaw asks for no approval"],
    ["pools.web.approvals", { guard: { needs: 1 } }, "pools.web.approvals.guard: guard asks for no approval"],
    ["pools.web.approvals", { authorities: { needs: 2 } }, "concern the machines of all pools"],
    ["pools", {}, "name at least one pool"],
    ["pools.Web", example().pools, "a pool's name must be at most 30 of a-z, 0-9 and -, such as web"],
    ["pools.web.maxUnavailable", 0, "must be at least 1, or a percentage such as 20%: with 0 no node could be drained"],
    ["pools.web.maxUnavailable", "0%", "must be at least 1, or a percentage such as 20%"],
    ["pools.web.maxUnavailable", "101%", "must be at least 1, or a percentage such as 20%"],
    ["pools.web.maxUnavailable", 1.5, "must be at least 1, or a percentage such as 20%"],
    ["pools.web.instanceTypes", ["banana.huge"], "must be a family and a size, m6i.xlarge"],
    ["pools.web.instanceTypes", ["m6i"], "must be a family and a size, m6i.xlarge"],
    ["pools.web.instanceTypes", ["m6i.xlarge", "m7g.xlarge"], "there is no Windows Server for Arm"],
    ["pools.web.instanceTypes", ["m6i.xlarge", "m6i.xlarge"], "names something twice"],
    ["pools.web.instanceTypes", ["mac2.metal"], "Windows Server does not run on"],
    ["pools.web.subnets", ["subnet-1"], "must be an id, subnet-0a1b2c3d4e5f60718"],
    ["pools.web.subnets", [SUBNET, SUBNET], "names something twice"],
    ["pools.web.taint.effect", "NoExecute", "must be NoSchedule or PreferNoSchedule"],
    ["pools.web.taint.key", "node.kubernetes.io/not-ready", "is in a domain that Kubernetes"],
    ["pools.web.labels", { "kubernetes.io/os": "linux" }, "is in a domain that Kubernetes"],
    ["pools.web.labels", { "node-role.kubernetes.io/master": "" }, "is in a domain that Kubernetes"],
    ["pools.web.labels", { "topology.k8s.io/zone": "a" }, "is in a domain that Kubernetes"],
    ["pools.web.labels", { "casement.dev/starting": "a" }, "is in a domain that Kubernetes"],
    ["probe", { outside: "https://registry.example.com" }, "must be a host and a port: registry.example.com:443"],
    ["probe", { outside: "registry.example.com" }, "must be a host and a port"],
    ["probe", { outside: "registry.example.com:65536" }, "must be a host and a port"],
    ["probe", { outside: "-e:443" }, "must be a host and a port"],
    ["probe", { outside: "a';calc;':443" }, "must be a host and a port"],
    ["aws.account", 111122223333, 'must be in quotation marks, "111122223333"'],
    ["aws.volumeKey", "alias/volumes", "must be the ARN of a key"],
    ["aws.key", "alias/casement", "must be the ARN of a key"],
    ["aws.key", KEY_ELSEWHERE, "is in us-east-1, and the cluster is in us-west-2"],
    ["aws.volumeKey", KEY_ELSEWHERE, "is in us-east-1, and the cluster is in us-west-2"],
    ["aws.notify", undefined, "or write none if something else subscribes"],
    ["aws.notify", [], "or write none if something else subscribes"],
  ] as const)("is refused with words that help: %s %j", ([path, value, words]) => {
    const attempt = () => deploymentOf(exampleWhere(path, value), NOW);
    expect(attempt).toThrow("The configuration is not valid:");
    expect(attempt).toThrow(words);
    expect(attempt).toThrow(path.split(".").slice(0, 2).join("."));
  });
});

describe("a value of the configuration file", () => {
  it.for([
    ["aws.volumeKey", "arn:aws:kms:us-west-2:111122223333:key/1a2b3c4d-1a2b-3c4d-5e6f-1a2b3c4d5e6f"],
    ["aws.key", "arn:aws:kms:us-west-2:111122223333:key/1a2b3c4d-1a2b-3c4d-5e6f-1a2b3c4d5e6f"],
    ["aws.volumeKey", "arn:aws:kms:us-west-2:111122223333:key/mrk-1a2b3c4d1a2b3c4d5e6f1a2b3c4d5e6f"],
    ["pools.web.instanceTypes", ["g4ad.xlarge", "u-6tb1.metal", "x2iedn.metal-48xl", "t3.micro", "m5zn.12xlarge"]],
    ["pools.web.labels", { "example.com/role": "web", tier: "a", "k8s.example.com/x": "y" }],
    ["aws.notify", "none"],
    ["approvals.authorities", { needs: 2 }],
    ["pools.web.approvals", { restart: { needs: 2 } }],
    ["cluster.certificateAuthority", `${ofServer}${authorityOf(example())}`],
  ] as const)("is accepted at synth, and again when the release is published: %s %j", ([path, value]) => {
    const { configuration } = releaseContent(deploymentOf(exampleWhere(path, value), NOW), null, made);
    expect(() => configurationOf(JSON.parse(JSON.stringify(configuration)))).not.toThrow();
  });

  it("is refused when its authority has expired since it was written", () => {
    expect(() => deploymentOf(example(), Date.UTC(2200, 0, 1))).toThrow(
      "cluster.certificateAuthority: expired on 2126-10-29",
    );
  });

  it("is refused when a pool's Windows cannot use the overlay's port", () => {
    const file = exampleWhere("cluster.hybridOverlayPort", 9_898);
    const { web } = file.pools as { web: Loose };
    expect(() => deploymentOf(file, NOW)).not.toThrow();
    web.windows = "2019";
    expect(() => deploymentOf(file, NOW)).toThrow(
      "pools.web.windows: Windows Server 2019 cannot use the overlay port 9898",
    );
  });

  it.for([
    [{}],
    [{ subnets: ["subnet-0a1000000000000ff"] }],
    [{ subnets: ["subnet-0a1000000000000ff"], wayOut: "igw-1" }],
  ])("is refused when functions in a VPC have no way out to Slack and AWS: %j", ([functionsNetwork]) => {
    expect(() => exampleWith({ functionsNetwork })).toThrow(/aws\.functionsNetwork\.wayOut: name the NAT gateway/);
  });

  it("is refused by its own name when it is not there", () => {
    expect(() => readDeployment("no/such.yaml", NOW)).toThrow(/^no\/such\.yaml: ENOENT/);
  });
});

describe("the deadlines of a configuration file", () => {
  it("are refused when a workflow's deadlines together outlast its execution", () => {
    const attempt = (path: string, minutes: number) => () => deploymentOf(exampleWhere(path, minutes), NOW);
    expect(attempt("deadlines.provision.keepFailed", 400)).toThrow(
      /deadlines\.provision: together they are \d+ minutes/,
    );
    expect(attempt("deadlines.remove.evict", 360)).not.toThrow();
    expect(attempt("deadlines.remove.evict", 361)).toThrow("deadlines.remove: together they are 451 minutes");
  });

  it.for([
    ["deadlines.guarding.guard", 75, /deadlines\.guarding: .*152 minutes, and may be 150/],
    ["deadlines.authority.file", 20, /deadlines\.authority: .*94 minutes, and may be 90/],
    ["deadlines.mirrors.files", 47, /deadlines: mirrors, trust, proxy one after the other are 332 minutes/],
  ] as const)("count a command to many machines as often as it may run: %s is %d at most", ([path, most, words]) => {
    const [, workflow = "", key = ""] = path.split(".");
    const attempt = (minutes: number) => () =>
      deploymentOf(exampleWhere("deadlines", { [workflow]: { [key]: minutes } }), NOW);
    expect(attempt(most)).not.toThrow();
    expect(attempt(most + 1)).toThrow(words);
  });

  it("count the rounds in which all machines of the pools get a command", () => {
    const { pools } = example() as { pools: { web: Loose } };
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`web-${at}`, { ...pools.web, maximum: 500 }]));
    const attempt = (count: number) => () => deploymentOf({ ...example(), pools: many(count) }, NOW);
    expect(attempt(2)).not.toThrow();
    expect(attempt(3)).toThrow(
      /deadlines\.authority: with every command twice, for 1500 machines, they are 100 minutes/,
    );
  });

  it("may be given by the last release's keys, and the new ones are told", () => {
    const { evict, ...others } = deploymentOf(exampleWhere("deadlines", { evict: 40 }), NOW).deadlines.remove;
    expect({ evict, terminate: others.terminate }).toEqual({ evict: 40, terminate: 10 });
    expect(oldKeyWarnings({ evict: 40, terminate: 5, image: 2, remove: { dialog: 5 } })).toEqual([
      "deadlines.evict is now deadlines.remove.evict",
      "deadlines.terminate is now deadlines.provision.terminate and deadlines.remove.terminate",
      "deadlines.image has no effect any more: remove it",
    ]);
  });
});

const programs = [...okd.payloadPaths]
  .filter(([name]) => !["guard.ps1", "network.ps1", "registries.ps1"].includes(name))
  .map(([name, path]) => ({
    name,
    path,
    version: "1.34.2",
    key: `payload/okd/1.34.2/${name}`,
    versionId: "v1",
    sha256: "a".repeat(64),
    size: 1,
  }));

const manifest = { format: 1, profile: "okd", kubernetes: "1.34.2", files: programs };

/** A configuration file beside a manifest. */
function beside(content: unknown): readonly [ReturnType<typeof exampleWith>, string] {
  const folder = mkdtempSync(join(tmpdir(), "casement-manifest-"));
  writeFileSync(join(folder, "payload.json"), JSON.stringify(content));
  return [exampleWith({ payloadManifest: "payload.json" }), join(folder, "prod-west.yaml")];
}

describe("the payload's manifest", () => {
  it("is looked for beside the configuration that names it", () => {
    expect(readPayload(...beside(manifest))).toEqual(manifest);
  });

  it("is nothing while no configuration names it", () => {
    expect(readPayload(exampleWith({}), "prod-west.yaml")).toBeNull();
  });

  it.for([
    ["lacks a program", { ...manifest, files: programs.slice(1) }, `${programs[0]?.name} is missing`],
    ["is for another Kubernetes", { ...manifest, kubernetes: "1.33.0" }, "cluster.version is 1.34.2"],
    ["pins nothing", { ...manifest, files: programs.map((file) => ({ ...file, sha256: "" })) }, "files.0.sha256"],
  ] as const)("is refused when it %s", ([, content, why]) => {
    expect(() => readPayload(...beside(content))).toThrow(/prod-west\.yaml: aws\.payloadManifest: .+payload\.json: /);
    expect(() => readPayload(...beside(content))).toThrow(why);
  });

  it("is refused when it is not there", () => {
    expect(() => readPayload(exampleWith({ payloadManifest: "gone.json" }), "docs/x.yaml")).toThrow(
      /^docs\/x\.yaml: aws\.payloadManifest: there is no file .+docs\/gone\.json; its path is relative to docs\/x\.yaml/,
    );
  });
});

describe("the release", () => {
  it("completes the reviewed file with what the stack made, and leaves the account's part out", () => {
    const { configuration } = releaseContent(exampleWith({}), null, made);
    expect(configuration).toMatchObject({
      bucket: "b",
      ledgerTable: "l",
      instanceProfileArn: "arn",
      pools: { web: { securityGroup: "sg-0d10000000000a100" } },
    });
    expect(configuration).not.toHaveProperty("aws");
    expect(configuration).not.toHaveProperty("securityGroup");
  });

  it("carries the tags of the account for the machines", () => {
    const { configuration } = releaseContent(exampleWith({ tags: { "cost-centre": "4711" } }), null, made);
    expect(configurationOf(JSON.parse(JSON.stringify(configuration))).machineTags).toEqual({ "cost-centre": "4711" });
    expect(releaseContent(exampleWith({}), null, made).configuration).not.toHaveProperty("machineTags");
  });

  it("carries the scripts that lie on machines, whole", () => {
    const { scripts } = releaseContent(exampleWith({}), null, made);
    expect(scripts.map(({ name }) => name)).toEqual(["guard.ps1", "network.ps1", "registries.ps1"]);
    for (const { text } of scripts) expect(text).not.toContain("# include:");
  });
});
