import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { okdPayloadPaths } from "../../lambdas/desired/okd-payload.ts";
import { deploymentOf, readDeployment } from "../../lib/deployment.ts";
import { readPayload, releaseContent } from "../../lib/release-content.ts";
import { example, exampleWith, type Loose } from "./example.ts";

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

describe("the configuration file", () => {
  it("is valid as the repository shows it", () => {
    const deployment = readDeployment("docs/configuration.example.yaml");
    expect(deployment.cluster.name).toBe("prod-west");
    expect(deployment.deadlines.launch).toBe(10);
  });

  it.for([
    ["cluster.name", "Prod West"],
    ["cluster.version", "1.34"],
    ["cluster.regoin", "us-west-2"],
    ["cluster.region", "us-west"],
    ["cluster.apiServer", "http://api-int.example.com:6443"],
    ["cluster.apiServer", "api-int.example.com:6443"],
    ["cluster.certificateAuthority", "MIIB"],
    ["cluster.kubeletClientAuthority", undefined],
    ["cluster.serviceNetwork", "172.30.0.0"],
    ["cluster.clusterNetwork", "10.128.0.0/40"],
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
    ["deadlines.agent", -1],
    ["policy.reboot", ["operator"]],
    ["policy.add", ["oprator"]],
    ["aws.account", 111122223333],
    ["aws.vpc", "vpc"],
    ["aws.securityGroups.linuxNodes", undefined],
    ["aws.notify", ["nobody"]],
    ["aws.logRetentionDays", 91],
    ["bucket", "mine"],
  ] as const)("is refused with the path of a wrong value: %s", ([path, value]) => {
    const file = exampleWhere(path, value);
    // An unknown key is told by its name, at the path of what it stands in.
    const key = path.split(".").at(-1);
    const attempt = () => deploymentOf(file);
    expect(attempt).toThrow("The configuration is not valid:");
    expect(attempt).toThrow(new RegExp(`${path.replaceAll(".", "\\.")}|"${key}"`));
  });

  it("is refused when waits for people together outlast an execution", () => {
    const file = exampleWhere("deadlines.keepFailed", 600);
    expect(() => deploymentOf(file)).toThrow(/deadlines: .*an execution ends after 480/);
  });

  it("is refused when a pool's Windows cannot use the overlay's port", () => {
    const file = exampleWhere("cluster.hybridOverlayPort", 9_898);
    const { web } = file.pools as { web: Loose };
    expect(() => deploymentOf(file)).not.toThrow();
    web.windows = "2019";
    expect(() => deploymentOf(file)).toThrow("pools.web.windows: Windows Server 2019 cannot use the overlay port 9898");
  });

  it.for([
    [{}],
    [{ subnets: ["subnet-0a1000000000000ff"] }],
    [{ subnets: ["subnet-0a1000000000000ff"], wayOut: "igw-1" }],
  ])("is refused when functions in a VPC have no way out to Slack and AWS: %j", ([functionsNetwork]) => {
    expect(() => exampleWith({ functionsNetwork })).toThrow(/aws\.functionsNetwork\.wayOut: name the NAT gateway/);
  });

  it("is refused by its own name when it is not there", () => {
    expect(() => readDeployment("no/such.yaml")).toThrow(/^no\/such\.yaml: ENOENT/);
  });
});

const programs = [...okdPayloadPaths]
  .filter(([name]) => !["guard.ps1", "network.ps1"].includes(name))
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
    expect(() => readPayload(...beside(content))).toThrow(/^aws\.payloadManifest: /);
    expect(() => readPayload(...beside(content))).toThrow(why);
  });

  it("is refused when it is not there", () => {
    expect(() => readPayload(exampleWith({ payloadManifest: "gone.json" }), "docs/x.yaml")).toThrow(
      /aws\.payloadManifest: ENOENT.*docs\/gone\.json/,
    );
  });
});

describe("the release", () => {
  const made = { bucket: "b", ledgerTable: "l", instanceProfileArn: "arn", securityGroup: "sg-0d10000000000a100" };

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

  it("carries the scripts that lie on machines, whole", () => {
    const { scripts } = releaseContent(exampleWith({}), null, made);
    expect(scripts.map(({ name }) => name)).toEqual(["guard.ps1", "network.ps1"]);
    for (const { text } of scripts) expect(text).not.toContain("# include:");
  });
});
