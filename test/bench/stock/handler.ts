import { readFileSync } from "node:fs";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { App, AwsLambdaReceiver } from "@slack/bolt";
import { commandOf } from "../../../lambdas/commands/list.ts";
import { groupsOf, type Roster } from "../../../lambdas/commands/membership.ts";
import { operationId } from "../../../lambdas/commands/operation-id.ts";
import { parse } from "../../../lambdas/commands/parse.ts";
import { mayUse, rolesOf } from "../../../lambdas/commands/policy.ts";
import { CONFIGURATION_FILE, type FrontDoorConfiguration } from "../../../lambdas/front-door/configuration.ts";
import { startedAnswer } from "../../../lambdas/messages/command/acknowledgements.ts";
import { filled } from "../../../lambdas/messages/slack/command-word.ts";
import type { Requester } from "../../../lambdas/records/origin.ts";
import type { OperationRecord } from "../../../lambdas/records/records.ts";

/*
 * Measure for our front door: Bolt's own documentation on Lambda, with the clients of the AWS SDK as their
 * documentation makes them. It reads the same secret and directory, parses by the same code, writes the same record and
 * starts the same function.
 */
const configuration: FrontDoorConfiguration = JSON.parse(
  readFileSync(new URL(CONFIGURATION_FILE, import.meta.url), "utf8"),
);
const secrets = new SecretsManagerClient({});
const lambda = new LambdaClient({});
const ledger = DynamoDBDocumentClient.from(new DynamoDBClient({}));
const {
  CASEMENT_SLACK_SECRET: secretId = "",
  CASEMENT_LEDGER_TABLE: TableName = "",
  CASEMENT_FUNCTIONS: functions = "{}",
} = process.env;

async function rolesNow(userId: string): Promise<string[]> {
  const { Item } = await ledger.send(
    new GetCommand({ TableName, Key: { pk: "directory", sk: "slack" }, ConsistentRead: true }),
  );
  return rolesOf(configuration, userId, groupsOf(Item as Roster, userId));
}

async function start(record: OperationRecord, triggerId: string): Promise<void> {
  const item = { ...record, pk: `operation#${record.id}`, sk: "operation", listed: record.cluster };
  await ledger.send(new PutCommand({ TableName, Item: item, ConditionExpression: "attribute_not_exists(pk)" }));
  const { id, request, asker, requestedAt } = record;
  const notAfter = Math.floor(Date.parse(requestedAt) / 1000) + 900;
  await lambda.send(
    new InvokeCommand({
      FunctionName: JSON.parse(functions)[commandOf(request.command).workflow ?? ""],
      InvocationType: "Event",
      DurableExecutionName: triggerId.replaceAll(".", "-"),
      Payload: Buffer.from(JSON.stringify({ operation: id, request, asker, notAfter })),
    }),
  );
}

function recordOf(request: OperationRecord["request"], asker: Requester, triggerId: string) {
  const cluster = configuration.cluster.name;
  return {
    ...{ id: operationId(cluster, request.command, triggerId), cluster, request, asker, channel: asker.channel },
    ...{ status: "requested" as const, requestedAt: new Date().toISOString(), summary: "", callbacks: {} },
    ...{ endedAt: null, executionArn: null, messageTs: null, cancelledBy: null },
  };
}

function listen(app: App): void {
  app.command(configuration.command, async ({ command, ack }) => {
    const pools = Object.keys(configuration.pools);
    const parsed = parse(command.text, { pools, commandWord: configuration.command });
    if ("problem" in parsed) return ack("That makes no sense.");
    const { request } = parsed;
    if (!mayUse(configuration, await rolesNow(command.user_id), request.command)) return ack("You may not.");
    const asker = { userId: command.user_id, userName: command.user_name, channel: command.channel_id };
    const record = recordOf(request, asker, command.trigger_id);
    await start(record, command.trigger_id);
    const { text, blocks } = filled(startedAnswer(record), configuration.command);
    await ack({ response_type: "ephemeral", text, blocks: [...blocks] as never[] });
  });
}

type Receiver = ReturnType<AwsLambdaReceiver["toHandler"]>;

async function boltHandler(): Promise<Receiver> {
  const { SecretString = "{}" } = await secrets.send(new GetSecretValueCommand({ SecretId: secretId }));
  const { signingSecret } = JSON.parse(SecretString) as { signingSecret: string };
  const receiver = new AwsLambdaReceiver({ signingSecret });
  const { botId, botUserId, teamId } = configuration.slack;
  listen(new App({ receiver, authorize: async () => ({ botId, botUserId, teamId }) }));
  return receiver.toHandler();
}

let bolt: Promise<Receiver> | undefined;

/** The Lambda entry. */
export const handler: Receiver = async (event, context) => {
  bolt ??= boltHandler();
  return (await bolt)(event, context);
};
