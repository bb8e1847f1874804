import { AlarmStatusWidget, Dashboard, GraphWidget, type IWidget, type Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { Alarms, AlarmsProps } from "./alarms.ts";
import { doorLatency, lambdaCount } from "./metrics.ts";

const HALF = 12;

/** One page: alarms, answers of the front door, ends of the workflows. */
export function dashboard(scope: Construct, id: string, props: AlarmsProps, { all }: Alarms): Dashboard {
  const frontDoor = props.frontDoor.lambda.functionName;
  const graph = (title: string, left: Metric[]): IWidget => new GraphWidget({ title, left, width: HALF });
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
    ],
  });
}
