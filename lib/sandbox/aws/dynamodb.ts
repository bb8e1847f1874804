import { z } from "zod";
import { AwsError, type AwsService, type Context } from "../core/aws-service.ts";
import type { Collection, Store } from "../core/store.ts";
import { json, textOf, type WireRequest, type WireResponse } from "../core/wire.ts";
import { type Dynalite, type DynaliteError, openDynalite } from "./dynalite.ts";
import { jsonRefusal, targetAction } from "./json-protocol.ts";

/** The simulated DynamoDB. */
export interface DynamoDb {
  readonly service: AwsService;
  /** Creates a table without a permission check, in the shape of CreateTable; does nothing when it exists. */
  createTable(definition: { readonly TableName: string } & Readonly<Record<string, unknown>>): Promise<void>;
  /** Are the files as new as the simulator's store? They are not if they were replaced, or have lost their end. */
  isWhole(): Promise<boolean>;
  /** Closes the files. */
  close(): Promise<void>;
}

/** Account and region of the service, and the place of its items: in memory when no directory is given. */
export interface DynamoDbOptions {
  readonly accountId: string;
  readonly region: string;
  /** Directory of the LevelDB files. */
  readonly path?: string;
  /** Holds the number of writes that the files have; none for files that nobody resumes. */
  readonly written?: Collection<number>;
}

/** Options of a ledger in a directory, whose files are compared with the store that lies beside it; none in memory. */
export const ledgerFiles = (store: Store, path: string | undefined): Pick<DynamoDbOptions, "path" | "written"> =>
  path ? { path, written: store.collection<number>("ledger") } : {};

/** Key of the number of writes. */
const WRITES = "writes";

/**
 * Counts the writes, in the files first and then in the store: a process that is killed in between leaves files that are
 * newer. One count follows the other, because LevelDB promises no order of writes that overlap.
 */
function countingWrites(database: Dynalite, written: Collection<number> | undefined) {
  let counted = Promise.resolve();
  const count = async (store: Collection<number>): Promise<void> => {
    const writes = (store.get(WRITES) ?? 0) + 1;
    await database.mark.write(writes);
    store.set(WRITES, writes);
  };
  return {
    count: (): Promise<void> => {
      if (written) counted = counted.then(() => count(written));
      return counted;
    },
    isWhole: async (): Promise<boolean> => (await database.mark.read()) >= (written?.get(WRITES) ?? 0),
  };
}

/** Actions that change items. */
const writing = new Set(["BatchWriteItem", "DeleteItem", "PutItem", "UpdateItem"]);

/** Actions on one table that dynalite supports; it has no transactions, streams or expiry of items. */
const tableActions = new Set([
  "DeleteItem",
  "DeleteTable",
  "DescribeTable",
  "DescribeTimeToLive",
  "GetItem",
  "PutItem",
  "Query",
  "Scan",
  "UpdateItem",
  "UpdateTable",
  "CreateTable",
]);
const manyTableActions = new Set(["BatchGetItem", "BatchWriteItem"]);
const known = (action: string): boolean =>
  tableActions.has(action) || manyTableActions.has(action) || action === "ListTables";

const CONTENT_TYPE = "application/x-amz-json-1.0";
const PREFIX = "DynamoDB_20120810";

const attributes = z.record(z.string(), z.looseObject({ S: z.string().optional() }));

/** Only the fields that permissions depend on; dynalite checks the rest, with DynamoDB's error messages. */
const input = z.looseObject({
  TableName: z.string().optional(),
  IndexName: z.string().optional(),
  RequestItems: z.record(z.string(), z.unknown()).optional(),
  Key: attributes.optional(),
  Item: attributes.optional(),
  ExpressionAttributeValues: attributes.optional(),
  ExpressionAttributeNames: z.record(z.string(), z.string()).optional(),
  UpdateExpression: z.string().optional(),
  ConditionExpression: z.string().optional(),
});

type Input = z.output<typeof input>;

function parsed(request: WireRequest): Input {
  try {
    return input.parse(JSON.parse(textOf(request)));
  } catch {
    throw new AwsError("SerializationException", "The request body could not be parsed.");
  }
}

/** A table may be named by its ARN (Developer Guide, "Resource-based policies"). */
const nameOf = (table: string): string => table.slice(table.lastIndexOf("/") + 1);

/**
 * Lists the resource of an action, the table or its index: IAM checks the one that is read (Service Authorization
 * Reference, DynamoDB).
 */
function resourcesOf(action: string, input: Input, tableArn: (name: string) => string): string[] {
  if (action === "ListTables") return ["*"];
  if (manyTableActions.has(action)) return Object.keys(input.RequestItems ?? {}).map((name) => tableArn(nameOf(name)));
  const arn = tableArn(nameOf(input.TableName ?? ""));
  return [input.IndexName ? `${arn}/index/${input.IndexName}` : arn];
}

/**
 * Finds the partition of a request (Developer Guide, "Using conditions", dynamodb:LeadingKeys); Casement's keys are
 * strings named pk.
 */
function leadingKeys({ Key, Item, ExpressionAttributeValues: values }: Input): Context {
  const pk = (Key ?? Item)?.pk ?? values?.[":pk"];
  return typeof pk?.S === "string" ? { "dynamodb:LeadingKeys": [pk.S] } : {};
}

/** Words of an expression that name no attribute: functions and keywords (Developer Guide, "Condition expressions"). */
const NO_ATTRIBUTE =
  /^(SET|REMOVE|ADD|DELETE|AND|OR|NOT|IN|BETWEEN|attribute_\w+|begins_with|contains|size|if_not_exists|list_append)$/i;

/**
 * Lists the top-level attributes that an update names in its key and its expressions (Developer Guide, "Using
 * conditions", dynamodb:Attributes). Other actions are asked about without it: no statement restricts them by it.
 */
function attributesOf(action: string, { Key, ...input }: Input): Context {
  if (action !== "UpdateItem") return {};
  const expressions = `${input.UpdateExpression ?? ""} ${input.ConditionExpression ?? ""}`;
  const words = expressions.match(/(?<![.:#\w])#?[A-Za-z_]\w*/g) ?? [];
  const named = words
    .filter((word) => !NO_ATTRIBUTE.test(word))
    .map((word) => input.ExpressionAttributeNames?.[word] ?? word);
  return { "dynamodb:Attributes": [...new Set([...Object.keys(Key ?? {}), ...named])] };
}

/** Writes an error as dynalite does: AWS's `__type` with its namespace. */
const answered = (error: DynaliteError): WireResponse => {
  const type = String(error.body.__type).split("#").at(-1) ?? "";
  return json(error.body, error.statusCode, CONTENT_TYPE, { "x-amzn-errortype": type });
};

/**
 * Builds DynamoDB: dynalite behind the endpoint's signature checks and permissions. Expired items stay, as they may for days on
 * AWS (Developer Guide, "Time to Live"), so readers must skip them.
 */
export function dynamodb({ accountId, region, path, written }: DynamoDbOptions): DynamoDb {
  const database = openDynalite(path);
  const writes = countingWrites(database, written);
  const tableArn = (name: string): string => `arn:aws:dynamodb:${region}:${accountId}:table/${name}`;
  const service: AwsService = {
    name: "dynamodb",
    action: (request) => targetAction(request, PREFIX, known),
    answer: async (action, request, caller) => {
      const asked = parsed(request);
      caller.require(`dynamodb:${action}`, resourcesOf(action, asked, tableArn), {
        ...leadingKeys(asked),
        ...attributesOf(action, asked),
      });
      const result = await database.run(action, asked);
      if (writing.has(action) && "output" in result) await writes.count();
      return "output" in result ? json(result.output, 200, CONTENT_TYPE) : answered(result);
    },
    refuse: (error) => jsonRefusal(error, CONTENT_TYPE),
  };
  return {
    service,
    createTable: async (definition) => {
      const result = await database.run("CreateTable", definition);
      if (!("output" in result) && !String(result.body.__type).endsWith("ResourceInUseException"))
        throw new Error(`The table ${definition.TableName} cannot be made: ${JSON.stringify(result.body)}`);
    },
    isWhole: writes.isWhole,
    close: database.close,
  };
}
