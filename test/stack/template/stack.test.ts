import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { appenders } from "../../../lambdas/audit/appenders.ts";
import { commands } from "../../../lambdas/commands/list.ts";
import { configurationSchema } from "../../../lambdas/configuration/configuration.ts";
import { securityGroupFaults } from "../../../lambdas/machine/ports.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { scriptDocuments } from "../../../lib/constructs/script-document.ts";
import { rulesOf } from "../../../lib/event-rules.ts";
import { functionNames, functions, triedNames, workflowNames } from "../../../lib/functions.ts";
import { ledgerTable } from "../../../lib/sandbox/seed-account.ts";
import { exampleWith, type Loose } from "../example.ts";
import { plain, type Resource, synthesised } from "./synthesised.ts";

const { ofType, template } = synthesised();
const text = JSON.stringify(template.toJSON());
const lambdas = ofType("AWS::Lambda::Function");
const rules = rulesOf("prod-west");
const idOf = (type: string): string => `<${ofType(type)[0]?.id}>`;

const lambdaOf = (name: string): Resource => {
  const found = lambdas.find(({ Properties }) => String(Properties.Description).startsWith(`Casement ${name} `));
  if (!found) throw new Error(`the template holds no function ${name}`);
  return found;
};
const kept = ({ DeletionPolicy, UpdateReplacePolicy }: Resource) => [DeletionPolicy, UpdateReplacePolicy];
/** Every resource that refers to this one or waits for it. */
const dependants = (id: string): string[] =>
  Object.entries(template.toJSON().Resources)
    .filter(([other, resource]) => other !== id && JSON.stringify(resource).includes(`"${id}"`))
    .map(([other]) => other);
const environmentOf = (name: string): Loose =>
  plain((lambdaOf(name).Properties.Environment as Loose).Variables) as Loose;

describe("functions", () => {
  it("are those of the table and the one that publishes, on Node 24", () => {
    expect(lambdas).toHaveLength(functionNames.length + 1);
    expect(new Set(lambdas.map(({ Properties }) => Properties.Runtime))).toEqual(new Set(["nodejs24.x"]));
  });

  it("know for how long the ledger keeps an operation", () => {
    for (const name of functionNames) expect(environmentOf(name).CASEMENT_RETENTION_DAYS).toBe("400");
  });

  it("have no fixed name", () => {
    expect(lambdas.filter(({ Properties }) => "FunctionName" in Properties)).toEqual([]);
  });

  it("cover the workflow of every command, and the sweep that tells who has what waits", () => {
    const needed = commands
      .flatMap(({ workflow, workflowOfMany = null }) => [workflow, workflowOfMany])
      .filter((workflow) => workflow !== null);
    expect(Object.keys(JSON.parse(String(environmentOf("front-door").CASEMENT_FUNCTIONS))).toSorted()).toEqual(
      [...new Set([...needed, "sweep"])].toSorted(),
    );
  });

  it.for(workflowNames)("%s is durable, and its execution outlasts every wait", (name) => {
    const shape = functions[name];
    const { DurableConfig } = lambdaOf(name).Properties;
    expect(DurableConfig).toEqual({
      ExecutionTimeout: "executionSeconds" in shape ? shape.executionSeconds : 0,
      RetentionPeriodInDays: 40,
    });
  });

  it("let the one who watches nodes outlive the nodes' own executions", () => {
    expect(functions["add-nodes"].executionSeconds).toBeGreaterThan(functions["provision-node"].executionSeconds);
  });

  it("keep every version that an execution may have begun on", () => {
    const versions = ofType("AWS::Lambda::Version");
    expect(versions).toHaveLength(workflowNames.length + 1);
    for (const version of versions) expect(kept(version)).toEqual(["RetainExceptOnCreate", "Retain"]);
  });

  it("are called by the alias live, and given up while somebody still counts on the start", () => {
    const aliases = ofType("AWS::Lambda::Alias");
    const named = (wanted: string) =>
      aliases.filter(({ Properties }) => Properties.Name === wanted).map(({ id }) => id);
    expect(named("live")).toHaveLength(workflowNames.length);
    expect(named("rights").map((id) => id.split("Rights")[0])).toEqual([
      ...[
        "ProvisionNode",
        "AssistNode",
        "DrainNode",
        "RebootNode",
        "RestartNode",
        "RemoveNode",
        "Reconcile",
        "UpdateAuthority",
        "Sweep",
      ],
    ]);
    const callers = aliases.filter(({ id }) => id.startsWith("AppendAuditFor"));
    expect(callers.map(({ Properties }) => Properties.Name)).toEqual(appenders);
    expect(aliases).toHaveLength(workflowNames.length + 9 + appenders.length);
    const invokes = ofType("AWS::Lambda::EventInvokeConfig");
    expect(invokes).toHaveLength(workflowNames.length + 1);
    for (const { Properties } of invokes) expect(Properties.MaximumEventAgeInSeconds).toBeLessThan(15 * 60);
  });

  it("know the names of those that they start, by their alias", () => {
    const started = JSON.parse(String(environmentOf("add-nodes").CASEMENT_FUNCTIONS));
    const append = `<${lambdaOf("append-audit").id}.Arn>`;
    expect(started).toEqual({
      "provision-node": `<${lambdaOf("provision-node").id}.Arn>:live`,
      "append-audit": `${append}:add-nodes`,
    });
    expect(JSON.parse(String(environmentOf("provision-node").CASEMENT_FUNCTIONS))).toEqual({
      "probe-nodes": `<${lambdaOf("probe-nodes").id}.Arn>:live`,
      "append-audit": `${append}:provision-node`,
    });
    expect(environmentOf("probe-nodes").CASEMENT_FUNCTIONS).toBe("{}");
    const asked = JSON.parse(String(environmentOf("look").CASEMENT_FUNCTIONS));
    expect(Object.keys(asked)).toEqual(triedNames);
    for (const name of Object.values(asked)) expect(name).toMatch(/:rights$/);
  });

  it("write into a log of their own that is kept for the configured time", () => {
    const groups = ofType("AWS::Logs::LogGroup");
    expect(groups).toHaveLength(lambdas.length);
    for (const { Properties } of groups) expect(Properties.RetentionInDays).toBe(545);
    const logs = lambdas.map(({ Properties }) => JSON.stringify((Properties.LoggingConfig as Loose).LogGroup));
    expect(new Set(logs).size).toBe(lambdas.length);
  });

  it("keep what they could not handle, wherever nobody waits for an answer", () => {
    for (const name of functionNames)
      expect("DeadLetterConfig" in lambdaOf(name).Properties, name).toBe(
        !["front-door", "append-audit"].includes(name),
      );
  });

  it("have one door without a sign-in, with a bound on how many it serves at once", () => {
    expect(ofType("AWS::Lambda::Url").map(({ Properties }) => plain(Properties.TargetFunctionArn))).toEqual([
      `<${lambdaOf("front-door").id}.Arn>`,
    ]);
    expect(lambdaOf("front-door").Properties.ReservedConcurrentExecutions).toBe(10);
    expect("DurableConfig" in lambdaOf("front-door").Properties).toBe(false);
  });
});

const vpc = { subnets: ["subnet-0a1000000000000ff"], wayOut: "nat-0a10000000000000a" };

describe("functions in a VPC", () => {
  it("are none unless the configuration says so", () => {
    expect(lambdas.filter(({ Properties }) => "VpcConfig" in Properties)).toEqual([]);
  });

  it("are only those that call Kubernetes", () => {
    const placed = synthesised(exampleWith({ functionsNetwork: vpc }));
    const inside = placed.ofType("AWS::Lambda::Function").filter(({ Properties }) => "VpcConfig" in Properties);
    expect(inside.map(({ Properties }) => String(Properties.Description).split(" ")[1]).toSorted()).toEqual([
      "add-nodes",
      "assist-node",
      "cordon-node",
      "drain-node",
      "guard-node",
      "look",
      "probe-nodes",
      "provision-node",
      "reboot-node",
      "reboot-nodes",
      "reconcile",
      "remove-node",
      "restart-node",
      "stop-changes",
      "sweep",
      "update-authority",
      "watch-reboots",
    ]);
  });
});

describe("what remembers", () => {
  it("is a table like the one that the handlers are tried on", () => {
    const [table] = ofType("AWS::DynamoDB::Table");
    const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } = table?.Properties ?? {};
    expect(KeySchema).toEqual(ledgerTable.KeySchema);
    expect(GlobalSecondaryIndexes).toEqual(ledgerTable.GlobalSecondaryIndexes);
    expect(AttributeDefinitions).toEqual(ledgerTable.AttributeDefinitions);
  });

  it("is a table that can be restored, is encrypted, and is not deleted by mistake", () => {
    const [table] = ofType("AWS::DynamoDB::Table");
    expect(table?.Properties).toMatchObject({
      BillingMode: "PAY_PER_REQUEST",
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
    });
    expect(table && kept(table)).toEqual(["Retain", "Retain"]);
  });

  it("is a bucket that keeps versions, is private, and speaks TLS alone", () => {
    const [bucket] = ofType("AWS::S3::Bucket");
    expect(bucket?.Properties).toMatchObject({
      VersioningConfiguration: { Status: "Enabled" },
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    });
    expect(bucket && kept(bucket)).toEqual(["RetainExceptOnCreate", "Retain"]);
    template.hasResourceProperties("AWS::S3::BucketPolicy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } }),
        ]),
      },
    });
  });

  it("forgets screenshots and plans, and nothing else", () => {
    const { LifecycleConfiguration } = ofType("AWS::S3::Bucket")[0]?.Properties ?? {};
    const { Rules } = LifecycleConfiguration as { readonly Rules: readonly object[] };
    const ending = Rules.filter((rule) => JSON.stringify(rule).includes("Expiration"));
    expect(ending).toEqual([
      expect.objectContaining({ Prefix: "plans/", ExpirationInDays: 30 }),
      expect.objectContaining({
        Prefix: "screenshots/",
        ExpirationInDays: 1,
        NoncurrentVersionExpiration: { NoncurrentDays: 1 },
      }),
    ]);
  });

  it("is six secrets that no template fills", () => {
    const secrets = ofType("AWS::SecretsManager::Secret").map(({ Properties }) => Properties);
    expect(secrets.map(({ Name }) => Name)).toEqual([
      "casement/prod-west/slack",
      "casement/prod-west/registries",
      "casement/prod-west/proxy",
      "casement/prod-west/kubernetes/look",
      "casement/prod-west/kubernetes/act",
      "casement/prod-west/kubernetes/join",
    ]);
    for (const { Name, Description: _, ...more } of secrets) expect({ Name, more }).toEqual({ Name, more: {} });
  });
});

describe("what machines are given", () => {
  it("is one document per script, named with its hash and kept", () => {
    const documents = ofType("AWS::SSM::Document");
    const made = scriptDocuments("prod-west");
    expect(documents.map(({ Properties }) => Properties.Name)).toEqual(made.map(({ name }) => name));
    expect(documents.map(({ Properties }) => Properties.Content)).toEqual(made.map(({ content }) => content));
    for (const document of documents) expect(kept(document)).toEqual(["RetainExceptOnCreate", "Retain"]);
  });

  it("is a security group that the bot itself would launch behind", () => {
    const group = ofType("AWS::EC2::SecurityGroup")[0];
    const own = ofType("AWS::EC2::SecurityGroupIngress")
      .map(({ Properties }) => plain(Properties) as Loose)
      .filter(({ GroupId }) => GroupId === `<${group?.id}.GroupId>`);
    const IpPermissions = own.map(({ IpProtocol, FromPort, ToPort, SourceSecurityGroupId }) => ({
      IpProtocol: String(IpProtocol),
      FromPort: Number(FromPort),
      ToPort: Number(ToPort),
      UserIdGroupPairs: [{ GroupId: String(SourceSecurityGroupId) }],
    }));
    expect(securityGroupFaults({ IpPermissions }, okd.ports({ hybridOverlayPort: 4789 }))).toEqual([]);
    expect(own).toHaveLength(okd.ports({ hybridOverlayPort: 4789 }).flatMap(({ from }) => from).length);
  });

  it("opens nothing but the overlay in the cluster's own groups", () => {
    const foreign = ofType("AWS::EC2::SecurityGroupIngress")
      .map(({ Properties }) => Properties)
      .filter(({ GroupId }) => typeof GroupId === "string");
    expect(foreign.map(({ GroupId, IpProtocol, FromPort }) => [GroupId, IpProtocol, FromPort])).toEqual([
      ["sg-0d10000000000a200", "udp", 4789],
      ["sg-0d10000000000a300", "udp", 4789],
    ]);
  });
});

describe("a cluster whose control plane and Linux nodes are in one group", () => {
  const group = "sg-0d10000000000a200";
  const one = synthesised(exampleWith({ securityGroups: { controlPlane: group, linuxNodes: group } }));

  // EC2 refuses a rule that is there already: InvalidPermission.Duplicate.
  it("gets no rule twice", () => {
    const rules = one.ofType("AWS::EC2::SecurityGroupIngress").map(({ Properties }) => {
      const { Description: _, ...rule } = plain(Properties) as Loose;
      return JSON.stringify(rule);
    });
    expect(rules.filter((rule, at) => rules.indexOf(rule) !== at)).toEqual([]);
    expect(rules.length).toBeGreaterThan(3);
  });
});

describe("the release", () => {
  const [release] = ofType("Custom::CasementRelease");
  const { DependsOn } = template.toJSON().Resources[release?.id ?? ""];

  it("goes live after the code that knows it: every alias and both doors", () => {
    const live = ofType("AWS::Lambda::Alias").filter(({ Properties }) => Properties.Name === "live");
    for (const { id } of live) expect(DependsOn).toContain(id);
    for (const name of ["front-door", "cloud-events"]) expect(DependsOn).toContain(lambdaOf(name).id);
  });

  it("is nothing that any code waits for", () => {
    expect(dependants(release?.id ?? "")).toEqual([]);
  });
});

describe("what wakes the second door", () => {
  it("is every rule of the list, with a place for what cannot be delivered", () => {
    const made = ofType("AWS::Events::Rule").map(({ Properties }) => Properties);
    expect(made.map(({ Name }) => Name)).toEqual(rules.map(({ name }) => `casement-prod-west-${name}`));
    expect(made.map(({ ScheduleExpression }) => ScheduleExpression)).toEqual(rules.map(({ schedule }) => schedule));
    expect(made.map(({ EventPattern }) => EventPattern)).toEqual(rules.map(({ pattern }) => pattern));
    const arns = { "cloud-events": `<${lambdaOf("cloud-events").id}.Arn>`, "human-topic": idOf("AWS::SNS::Topic") };
    expect(made.map(({ Targets }) => (Targets as Loose[]).map((target) => (plain(target) as Loose).Arn))).toEqual(
      rules.map(({ target }) => [arns[target]]),
    );
    for (const { Targets } of made)
      expect(plain((Targets as Loose[])[0])).toMatchObject({
        DeadLetterConfig: { Arn: expect.stringContaining("Undelivered") },
        RetryPolicy: { MaximumEventAgeInSeconds: 900 },
      });
  });

  it("has names that EventBridge takes for the longest name of a cluster", () => {
    const longest = "c".repeat(34);
    expect(configurationSchema.shape.cluster.shape.name.safeParse(longest).success).toBe(true);
    expect(configurationSchema.shape.cluster.shape.name.safeParse(`${longest}c`).success).toBe(false);
    // EventBridge API Reference, PutRule: at most 64 characters.
    for (const { name } of rulesOf(longest)) expect(`casement-${longest}-${name}`.length).toBeLessThanOrEqual(64);
  });

  it("tells people the sentence of the event, with a role of the account's own", () => {
    const calling = ofType("AWS::Events::Rule").filter(({ Properties }) => String(Properties.Name).endsWith("human"));
    const [target] = calling.flatMap(({ Properties }) => Properties.Targets as Loose[]);
    expect(target?.InputTransformer).toEqual({
      InputPathsMap: { "detail-message": "$.detail.message" },
      InputTemplate: '"<detail-message>"',
    });
    expect(plain(target?.RoleArn)).toMatch(/^<EventsPublisher\w+\.Arn>$/);
  });
});

describe("what the template never holds", () => {
  // Regions of other partitions are refused by name in the configuration, so a literal partition is right everywhere.
  it("is a name in another partition than aws, or in a region that is not the cluster's", () => {
    const arns = [...text.matchAll(/arn:([a-z-]+):[a-z0-9]*:([a-z0-9-]*):/g)];
    expect(new Set(arns.map(([, partition]) => partition))).toEqual(new Set(["aws"]));
    expect(new Set(arns.map(([, , where]) => where))).toEqual(new Set(["", "us-west-2"]));
  });

  it("is AWS's own way to run anything on a machine", () => {
    expect(text).not.toContain("AWS-RunPowerShellScript");
  });

  it("is a policy that AWS maintains and may widen", () => {
    expect(text).not.toContain("ManagedPolicyArns");
    expect(text).not.toContain(":iam::aws:policy");
  });
});

describe("what people see of the stack in the console", () => {
  it("says what it is, whose, and what each output is for", () => {
    const { Description, Outputs } = template.toJSON();
    expect(Description).toContain("the Windows nodes of the cluster prod-west");
    for (const output of Object.values(Outputs as Record<string, Loose>))
      expect(output.Description).toBeTypeOf("string");
  });

  it("is tagged with the stack's name and what the configuration adds", () => {
    const { stack } = synthesised(exampleWith({ tags: { "cost-centre": "4711" } }));
    expect(stack.tags.tagValues()).toEqual({ "cost-centre": "4711", "casement:stack": "casement-prod-west" });
    expect(() => exampleWith({ tags: { "casement:cluster": "x" } })).toThrow("must not begin with aws: or casement:");
    const many = Object.fromEntries(Array.from({ length: 45 }, (_, at) => [`tag-${at}`, ""]));
    expect(() => exampleWith({ tags: many })).toThrow("44 at most");
  });

  // Termination protection would keep a first deployment that failed from being deleted and made again.
  it("can be deleted while nothing in it is of use yet", () => {
    expect(synthesised().stack.terminationProtection).toBeFalsy();
  });
});

describe("a deployment without a payload", () => {
  it("says so where it is looked for", () => {
    expect(template.toJSON().Outputs.Missing.Value).toContain("Run npm run payload");
  });
});
