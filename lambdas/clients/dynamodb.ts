import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { type AwsCall, jsonRequest } from "./aws-call.ts";

type Item = Record<string, unknown>;
type Attributes = Parameters<typeof unmarshall>[0];

/** A request to DynamoDB: fields as in its API, values as plain JavaScript. */
export interface DynamoDbRequest {
  readonly TableName: string;
  readonly Key?: object;
  readonly Item?: object;
  readonly ExpressionAttributeValues?: Item;
  readonly ExclusiveStartKey?: Item;
  readonly [field: string]: unknown;
}

/** An answer of DynamoDB, with the fields that Casement reads. */
export interface DynamoDbAnswer {
  readonly Item?: Item;
  readonly Items?: readonly Item[];
  readonly Attributes?: Item;
  readonly LastEvaluatedKey?: Item;
}

/** Calls DynamoDB on the ledger's table, by the names of DynamoDB's actions. */
export type DynamoDb = (
  action: "GetItem" | "PutItem" | "UpdateItem" | "Query",
  request: DynamoDbRequest,
) => Promise<DynamoDbAnswer>;

/** Fields that hold values of the table, which must be marshalled. */
const VALUES = ["Key", "Item", "ExpressionAttributeValues", "ExclusiveStartKey", "Attributes", "LastEvaluatedKey"];

const mapped = <T>(fields: Readonly<Record<string, unknown>>, change: (value: T) => unknown): Item =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, VALUES.includes(name) ? change(value as T) : value]),
  );

/** Builds the client for DynamoDB's JSON protocol 1.0. Undefined values are omitted. */
export const dynamodb =
  (call: AwsCall): DynamoDb =>
  async (action, request) => {
    const answer = await call(
      jsonRequest(
        "dynamodb",
        `DynamoDB_20120810.${action}`,
        mapped<Item>(request, (value) => marshall(value, { removeUndefinedValues: true })),
        "1.0",
      ),
    );
    const plain = mapped<Attributes>(answer, (value) => unmarshall(value));
    const items = (answer.Items as readonly Attributes[] | undefined)?.map((item) => unmarshall(item));
    return { ...plain, ...(items ? { Items: items } : {}) };
  };
