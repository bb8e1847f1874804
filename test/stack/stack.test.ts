import { readFileSync } from "node:fs";
import { Match } from "aws-cdk-lib/assertions";
import { describe, expect, it } from "vitest";
import { commands } from "../../lambdas/commands/list.ts";
import { configurationSchema } from "../../lambdas/configuration.ts";
import { okdPorts, securityGroupFaults } from "../../lambdas/desired/ports.ts";
import { METRICS, metricLine } from "../../lambdas/metrics.ts";
import { scriptDocuments } from "../../lib/constructs/script-document.ts";
import { rulesOf } from "../../lib/event-rules.ts";
import { functionNames, functions, workflowNames } from "../../lib/functions.ts";
import { ledgerTable } from "../../lib/sandbox/furnish.ts";
import { exampleWith, type Loose } from "./example.ts";
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
const environmentOf = (name: string): Loose =>
  plain((lambdaOf(name).Properties.Environment as Loose).Variables) as Loose;

describe("functions", () => {
  it("are those of the table and the one that publishes, on Node 24", () => {
    expect(lambdas).toHaveLength(functionNames.length + 1);
    expect(new Set(lambdas.map(({ Properties }) => Properties.Runtime))).toEqual(new Set(["nodejs24.x"]));
  });

  it("have no fixed name", () => {
    expect(lambdas.filter(({ Properties }) => "FunctionName" in Properties)).toEqual([]);
  });

  it("cover the workflow of every command", () => {
    const needed = commands.map(({ workflow }) => workflow).filter((workflow) => workflow !== null);
    expect(Object.keys(JSON.parse(String(environmentOf("front-door").CASEMENT_FUNCTIONS))).toSorted()).toEqual(
      [...new Set(needed)].toSorted(),
    );
  });

  it.for(workflowNames)("%s is durable, and its execution outlasts every wait", (name) => {
    const shape = functions[name];
    const { DurableConfig } = lambdaOf(name).Properties;
    expect(DurableConfig).toEqual({
      ExecutionTimeout: "executionSeconds" in shape ? shape.executionSeconds : 0,
      RetentionPeriodInDays: 14,
    });
  });

  it("let the one who watches nodes outlive the nodes' own executions", () => {
    expect(functions["add-nodes"].executionSeconds).toBeGreaterThan(functions["provision-node"].executionSeconds);
  });

  it("keep every version that an execution may have begun on", () => {
    const versions = ofType("AWS::Lambda::Version");
    expect(versions).toHaveLength(workflowNames.length);
    for (const version of versions) expect(kept(version)).toEqual(["Retain", "Retain"]);
  });

  it("are called by the alias live, and given up while somebody still counts on the start", () => {
    const aliases = ofType("AWS::Lambda::Alias");
    expect(aliases.map(({ Properties }) => Properties.Name)).toEqual(workflowNames.map(() => "live"));
    const invokes = ofType("AWS::Lambda::EventInvokeConfig");
    expect(invokes).toHaveLength(workflowNames.length + 1);
    for (const { Properties } of invokes) expect(Properties.MaximumEventAgeInSeconds).toBeLessThan(15 * 60);
  });

  it("know the names of those that they start, by their alias", () => {
    const started = JSON.parse(String(environmentOf("add-nodes").CASEMENT_FUNCTIONS));
    expect(started).toEqual({ "provision-node": `<${lambdaOf("provision-node").id}.Arn>:live` });
    expect(environmentOf("provision-node").CASEMENT_FUNCTIONS).toBe("{}");
  });

  it("write into a log of their own that is kept for the configured time", () => {
    const groups = ofType("AWS::Logs::LogGroup");
    expect(groups).toHaveLength(lambdas.length);
    for (const { Properties } of groups) expect(Properties.RetentionInDays).toBe(90);
    const logs = lambdas.map(({ Properties }) => JSON.stringify((Properties.LoggingConfig as Loose).LogGroup));
    expect(new Set(logs).size).toBe(lambdas.length);
  });

  it("keep what they could not handle, wherever nobody waits for an answer", () => {
    for (const name of functionNames)
      expect("DeadLetterConfig" in lambdaOf(name).Properties, name).toBe(name !== "front-door");
  });

  it("have one door without a sign-in, with a bound on how many it serves at once", () => {
    expect(ofType("AWS::Lambda::Url").map(({ Properties }) => plain(Properties.TargetFunctionArn))).toEqual([
      `<${lambdaOf("front-door").id}.Arn>`,
    ]);
    expect(lambdaOf("front-door").Properties.ReservedConcurrentExecutions).toBe(10);
    expect("DurableConfig" in lambdaOf("front-door").Properties).toBe(false);
  });
});

describe("functions in a VPC", () => {
  it("are none unless the configuration says so", () => {
    expect(lambdas.filter(({ Properties }) => "VpcConfig" in Properties)).toEqual([]);
  });

  it("are only those that call Kubernetes", () => {
    const placed = synthesised(
      exampleWith({ functionsNetwork: { subnets: ["subnet-0a1000000000000ff"], wayOut: "nat-0a10000000000000a" } }),
    );
    const inside = placed.ofType("AWS::Lambda::Function").filter(({ Properties }) => "VpcConfig" in Properties);
    expect(inside.map(({ Properties }) => String(Properties.Description).split(" ")[1]).toSorted()).toEqual([
      "look",
      "provision-node",
      "remove-node",
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
    expect(bucket && kept(bucket)).toEqual(["Retain", "Retain"]);
    template.hasResourceProperties("AWS::S3::BucketPolicy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Effect: "Deny", Condition: { Bool: { "aws:SecureTransport": "false" } } }),
        ]),
      },
    });
  });

  it("is two secrets that no template fills", () => {
    const secrets = ofType("AWS::SecretsManager::Secret").map(({ Properties }) => Properties);
    expect(secrets.map(({ Name }) => Name)).toEqual(["casement/prod-west/slack", "casement/prod-west/kubernetes"]);
    for (const secret of secrets) expect(Object.keys(secret).toSorted()).toEqual(["Description", "Name"]);
  });
});

describe("what machines are given", () => {
  it("is one document per script, named with its hash and kept", () => {
    const documents = ofType("AWS::SSM::Document");
    const made = scriptDocuments("prod-west");
    expect(documents.map(({ Properties }) => Properties.Name)).toEqual(made.map(({ name }) => name));
    expect(documents.map(({ Properties }) => Properties.Content)).toEqual(
      made.map(({ content }) => JSON.parse(content)),
    );
    for (const document of documents) expect(kept(document)).toEqual(["Retain", "Retain"]);
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
    expect(securityGroupFaults({ IpPermissions }, okdPorts(4789))).toEqual([]);
    expect(own).toHaveLength(okdPorts(4789).flatMap(({ from }) => from).length);
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

describe("what tells a human", () => {
  const alarms = ofType("AWS::CloudWatch::Alarm").map(({ Properties }) => plain(Properties) as Loose);
  const descriptions = alarms.map(({ AlarmDescription }) => String(AlarmDescription));

  it("does not need Slack: every alarm goes to the topic", () => {
    const topic = ofType("AWS::SNS::Topic")[0]?.id;
    expect(alarms.length).toBeGreaterThan(6);
    for (const { AlarmActions } of alarms) expect(AlarmActions).toEqual([`<${topic}>`]);
    expect(ofType("AWS::SNS::Subscription").map(({ Properties }) => Properties.Endpoint)).toEqual([
      "platform-team@example.com",
    ]);
  });

  it("leads from every alarm to a section of the runbook that exists", () => {
    const headings = [...readFileSync("docs/runbook.md", "utf8").matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading.toLowerCase().replaceAll(" ", "-"),
    );
    const anchors = descriptions.map((description) => /See docs\/runbook\.md#(\S+)$/.exec(description)?.[1]);
    for (const anchor of anchors) expect(headings).toContain(anchor);
  });

  it.for(["DurableExecutionFailed", "DurableExecutionTimedOut", "Throttles"])(
    "counts %s of every workflow",
    (metric) => {
      const counted = alarms.find((alarm) => JSON.stringify(alarm).includes(`"${metric}"`));
      for (const name of workflowNames) expect(JSON.stringify(counted)).toContain(`<${lambdaOf(name).id}>`);
    },
  );

  it("counts the letters of every dead-letter queue", () => {
    const counted = JSON.stringify(
      alarms.find((alarm) => JSON.stringify(alarm).includes("ApproximateNumberOfMessages")),
    );
    for (const { id } of ofType("AWS::SQS::Queue")) expect(counted).toContain(`<${id}.QueueName>`);
  });

  it("takes silence of a schedule for an alarm, and silence of anything else for good news", () => {
    const silent = alarms.filter(({ TreatMissingData }) => TreatMissingData === "breaching");
    const scheduled = rules.filter(({ schedule }) => schedule).map(({ name }) => name);
    expect(silent).toHaveLength(scheduled.length + 1);
    for (const name of scheduled) expect(JSON.stringify(silent)).toContain(`The schedule ${name} has not run`);
  });

  it("takes too few days of the cluster credential, and nobody who could count them, for an alarm", () => {
    const watched = alarms.filter(({ MetricName }) => MetricName === METRICS.credentialDays);
    expect(watched.map(({ Threshold, TreatMissingData }) => [Threshold, TreatMissingData])).toEqual([
      [14, "breaching"],
      [3, "notBreaching"],
    ]);
    const line = JSON.parse(metricLine("prod-west", METRICS.credentialDays, 13.5, 0));
    for (const { Namespace, Dimensions, ComparisonOperator, Statistic } of watched) {
      expect(Namespace).toBe(line._aws.CloudWatchMetrics[0].Namespace);
      expect(Dimensions).toEqual([{ Name: "Cluster", Value: line.Cluster }]);
      expect([Statistic, ComparisonOperator]).toEqual(["Minimum", "LessThanThreshold"]);
    }
  });

  it("hears of server errors at the front door", () => {
    const heard = JSON.stringify(alarms.find((alarm) => JSON.stringify(alarm).includes("Url5xxCount")));
    expect(heard).toContain(`"Value":"<${lambdaOf("front-door").id}>"`);
  });
});

describe("what the template never holds", () => {
  it("is AWS's own way to run anything on a machine", () => {
    expect(text).not.toContain("AWS-RunPowerShellScript");
  });

  it("is a policy that AWS maintains and may widen", () => {
    expect(text).not.toContain("ManagedPolicyArns");
    expect(text).not.toContain(":iam::aws:policy");
  });
});

describe("a deployment without a payload", () => {
  it("says so where it is looked for", () => {
    expect(template.toJSON().Outputs.Missing.Value).toContain("Upload the Windows payload");
  });
});
