import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { AwsCall } from "./aws-call.ts";

type Item = Record<string, unknown>;
type Attributes = Parameters<typeof unmarshall>[0];

/** Request of an action; fields as in DynamoDB's API, values as they are in JavaScript. */
export interface DynamoDbRequest {
  readonly TableName: string;
  readonly Key?: object;
  readonly Item?: object;
  readonly ExpressionAttributeValues?: Item;
  readonly ExclusiveStartKey?: Item;
  readonly [field: string]: unknown;
}

/** Answer of an action, with the fields that are read here. */
export interface DynamoDbAnswer {
  readonly Item?: Item;
  readonly Items?: readonly Item[];
  readonly Attributes?: Item;
  readonly LastEvaluatedKey?: Item;
}

/** The ledger's table, by DynamoDB's own actions. */
export type DynamoDb = (
  action: "GetItem" | "PutItem" | "UpdateItem" | "Query",
  request: DynamoDbRequest,
) => Promise<DynamoDbAnswer>;

/** Fields that hold values of a table. */
const VALUES = ["Key", "Item", "ExpressionAttributeValues", "ExclusiveStartKey", "Attributes", "LastEvaluatedKey"];

const mapped = <T>(fields: Readonly<Record<string, unknown>>, change: (value: T) => unknown): Item =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, VALUES.includes(name) ? change(value as T) : value]),
  );

/** DynamoDB's JSON protocol 1.0. A value that is undefined is left out. */
export const dynamodb =
  (call: AwsCall): DynamoDb =>
  async (action, request) => {
    const answer = await call({
      service: "dynamodb",
      method: "POST",
      path: "/",
      headers: { "content-type": "application/x-amz-json-1.0", "x-amz-target": `DynamoDB_20120810.${action}` },
      body: JSON.stringify(mapped<Item>(request, (value) => marshall(value, { removeUndefinedValues: true }))),
    });
    const plain = mapped<Attributes>(answer, (value) => unmarshall(value));
    const items = (answer.Items as readonly Attributes[] | undefined)?.map((item) => unmarshall(item));
    return { ...plain, ...(items ? { Items: items } : {}) };
  };
