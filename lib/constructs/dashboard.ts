import { Duration } from "aws-cdk-lib";
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  type Metric,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { Alarms, AlarmsProps } from "./alarms.ts";
import { doorLatency, lambdaCount, oldestOperation, oldestWaiting, operationsEnded, slackRefusals } from "./metrics.ts";

const HALF = 12;

const THIRD = 8;

const PERIOD = Duration.minutes(15);

/** Graphs of the metrics that the functions log: ends of operations, the longest wait, and refusals by Slack. */
function logged(cluster: string): IWidget[] {
  const graph = (title: string, left: IMetric[]): IWidget => new GraphWidget({ title, left, width: THIRD });
  const kinds = ["throttled", "denied", "unavailable"] as const;
  return [
    graph("Operations ended, by outcome and failed stage", [operationsEnded(cluster, PERIOD)]),
    graph("Oldest operation (minutes): waiting for a person, not ended", [
      oldestWaiting(cluster, PERIOD),
      oldestOperation(cluster, PERIOD),
    ]),
    graph(
      "Calls that Slack refused",
      kinds.map((kind) => slackRefusals(cluster, kind, PERIOD)),
    ),
  ];
}

/** Creates the dashboard: alarms, answers of the front door, ends of the workflows, the metrics of operations. */
export function dashboard(scope: Construct, id: string, props: AlarmsProps, { all }: Alarms): Dashboard {
  const frontDoor = props.frontDoor.lambda.functionName;
  const graph = (title: string, left: IMetric[]): IWidget => new GraphWidget({ title, left, width: HALF });
  const perWorkflow = (metric: string): Metric[] =>
    Object.entries(props.workflows).map(([name, { lambda }]) => lambdaCount(metric, lambda.functionName, name));
  return new Dashboard(scope, id, {
    widgets: [
      [new AlarmStatusWidget({ title: "What needs a human", alarms: [...all], width: 2 * HALF })],
      [
        graph(
          "Requests from Slack",
          ["UrlRequestCount", "Url4xxCount", "Url5xxCount"].map((name) => lambdaCount(name, frontDoor, name)),
        ),
        graph("Time to answer Slack (ms; it waits 3,000)", [doorLatency(frontDoor)]),
      ],
      [
        graph("Executions started", perWorkflow("DurableExecutionStarted")),
        graph("Executions failed", perWorkflow("DurableExecutionFailed")),
      ],
      logged(props.cluster),
    ],
  });
}
