import { LambdaClient, StopDurableExecutionCommand } from "@aws-sdk/client-lambda";
import { activity } from "../../lib/sandbox/core/activity.ts";
import { demo } from "../../lib/sandbox/demo.ts";
import { inProcess } from "../../lib/sandbox/in-process.ts";
import { OWNER } from "../../lib/sandbox/principals.ts";
import type { Journey } from "./journey.ts";

/** A person with an administrator's rights stops an execution from outside: nothing of it runs any more. */
export async function stop(here: Journey, arn: string): Promise<void> {
  const lambda = new LambdaClient({
    region: demo.region,
    credentials: here.simulator.keys.of(OWNER),
    endpoint: "http://aws.sandbox.invalid",
    requestHandler: inProcess(here.simulator, activity()).aws,
  });
  await here.drive(lambda.send(new StopDurableExecutionCommand({ DurableExecutionArn: arn })));
}

/** Stops everything that runs. */
export async function stopAll(here: Journey): Promise<void> {
  for (const { arn } of here.simulator.lambda.executions().filter(({ status }) => status === "RUNNING"))
    await stop(here, arn);
}
