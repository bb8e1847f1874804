import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { accounts } from "../../../lambdas/cluster/accounts.ts";
import { METRICS, metricLine } from "../../../lambdas/metrics.ts";
import { rulesOf } from "../../../lib/event-rules.ts";
import { workflowNames } from "../../../lib/functions.ts";
import type { Loose } from "../example.ts";
import { plain, type Resource, synthesised } from "./synthesised.ts";

const { ofType } = synthesised();
const rules = rulesOf("prod-west");

const lambdaOf = (name: string): Resource => {
  const found = ofType("AWS::Lambda::Function").find(({ Properties }) =>
    String(Properties.Description).startsWith(`Casement ${name} `),
  );
  if (!found) throw new Error(`the template holds no function ${name}`);
  return found;
};

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
      const counted = alarms.filter((alarm) => JSON.stringify(alarm).includes(`"${metric}"`));
      for (const name of workflowNames) expect(JSON.stringify(counted)).toContain(`<${lambdaOf(name).id}>`);
    },
  );

  it("counts what Slack denied, and watches the age of the oldest operation", () => {
    const watched = (name: string) => alarms.find(({ MetricName }) => MetricName === name);
    const byName = (all: unknown) => (all as Loose[]).map(({ Name, Value }) => `${Name} ${Value}`).toSorted();
    expect(byName(watched("SlackRefusals")?.Dimensions)).toEqual(["Cluster prod-west", "Kind denied"]);
    expect(watched("SlackRefusals")).toMatchObject({ Threshold: 1, TreatMissingData: "notBreaching" });
    expect(byName(watched("OldestOperationMinutes")?.Dimensions)).toEqual(["Cluster prod-west"]);
    expect(watched("OldestOperationMinutes")).toMatchObject({ Threshold: 840, TreatMissingData: "notBreaching" });
  });

  it("counts the letters of every dead-letter queue", () => {
    const counted = JSON.stringify(
      alarms.filter((alarm) => JSON.stringify(alarm).includes("ApproximateNumberOfMessages")),
    );
    for (const { id } of ofType("AWS::SQS::Queue")) expect(counted).toContain(`<${id}.QueueName>`);
  });

  it("takes silence of a schedule for an alarm, and silence of anything else for good news", () => {
    const silent = alarms.filter(({ TreatMissingData }) => TreatMissingData === "breaching");
    const scheduled = rules.filter(({ schedule }) => schedule).map(({ name }) => name);
    expect(silent).toHaveLength(scheduled.length + accounts.length + 1);
    for (const name of scheduled) expect(JSON.stringify(silent)).toContain(`The schedule ${name} has not run`);
  });

  it("takes too few hours of a cluster credential, and nobody who could count them, for an alarm", () => {
    const watched = alarms.filter(({ MetricName }) => MetricName === METRICS.credentialHours);
    expect(watched).toHaveLength(accounts.length);
    for (const [at, { Namespace, Dimensions, ComparisonOperator, Statistic, Threshold }] of watched.entries()) {
      const dimensions = { Cluster: "prod-west", Account: accounts[at] ?? "" };
      const line = JSON.parse(metricLine(dimensions, METRICS.credentialHours, 13.5, 0));
      expect(Namespace).toBe(line._aws.CloudWatchMetrics[0].Namespace);
      expect(line._aws.CloudWatchMetrics[0].Dimensions).toEqual([["Cluster", "Account"]]);
      const asDimensions = Object.entries(dimensions).map(([Name, Value]) => ({ Name, Value }));
      expect(Dimensions).toHaveLength(2);
      expect(Dimensions).toEqual(expect.arrayContaining(asDimensions));
      expect([Statistic, ComparisonOperator, Threshold]).toEqual(["Minimum", "LessThanThreshold", 6]);
    }
  });

  const alarmOf = (name: string): Loose => {
    const found = alarms.find(({ AlarmDescription }) => String(AlarmDescription).includes(name));
    if (!found) throw new Error(`no alarm says ${name}`);
    return found;
  };

  it("hears when most requests are refused: the signing secret may not be Slack's any more", () => {
    const { Metrics, Threshold } = alarmOf("rejects most requests");
    const [ratio, ...counted] = Metrics as Loose[];
    expect(ratio?.Expression).toBe("IF(FILL(refused, 0) >= 3 AND FILL(refused, 0) / asked > 0.5, 1, 0)");
    expect(counted.map(({ Id, MetricStat }) => [Id, ((MetricStat as Loose).Metric as Loose).MetricName])).toEqual([
      ["refused", "Url4xxCount"],
      ["asked", "UrlRequestCount"],
    ]);
    expect(Threshold).toBe(1);
  });

  it("hears when the front door is too slow for Slack", () => {
    const slow = alarmOf("longer than 2.5 seconds");
    expect(JSON.stringify(slow)).toContain('"MetricName":"UrlRequestLatency"');
    expect(JSON.stringify(slow)).toContain('"p99"');
    expect(slow).toMatchObject({
      Threshold: 2_500,
      EvaluationPeriods: 3,
      DatapointsToAlarm: 2,
    });
  });

  it("hears when nobody answers a signed request, and when nobody sends one", () => {
    expect(alarmOf("did not answer a signed request")).toMatchObject({
      MetricName: METRICS.frontDoorAnswers,
      Dimensions: [{ Name: "Cluster", Value: "prod-west" }],
      Statistic: "Minimum",
      Threshold: 1,
      ComparisonOperator: "LessThanThreshold",
      TreatMissingData: "breaching",
    });
    const { Variables } = plain(lambdaOf("cloud-events").Properties.Environment) as { Variables: Loose };
    expect(Variables.CASEMENT_FRONT_DOOR_URL).toBe(`<${ofType("AWS::Lambda::Url")[0]?.id}.FunctionUrl>`);
  });

  it("hears of a second dead letter while the first one still lies there", () => {
    const [grown] = alarmOf("Another event could not be processed").Metrics as Loose[];
    const [standing] = alarmOf("is in a dead-letter queue").Metrics as Loose[];
    expect(grown?.Expression).toBe(`DIFF(${standing?.Expression})`);
  });

  it("hears of server errors at the front door", () => {
    const heard = JSON.stringify(alarms.find((alarm) => JSON.stringify(alarm).includes("Url5xxCount")));
    expect(heard).toContain(`"Value":"<${lambdaOf("front-door").id}>"`);
  });
});

it("shows on the dashboard every metric of operations that functions log", () => {
  const [board] = ofType("AWS::CloudWatch::Dashboard");
  const body = JSON.stringify(plain(board?.Properties ?? {}));
  for (const name of [METRICS.operationsEnded, METRICS.oldestWaiting, METRICS.oldestOperation, METRICS.slackRefusals])
    expect(body).toContain(name);
  for (const kind of ["throttled", "denied", "unavailable"]) expect(body).toContain(kind);
  expect(body).toContain("{Casement,Cluster,Outcome,Stage}");
});
