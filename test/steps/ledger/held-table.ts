import { AwsError } from "../../../lambdas/clients/aws-call.ts";
import type { DynamoDb } from "../../../lambdas/clients/dynamodb.ts";

/** A table of one partition as DynamoDB keeps it, each call of which comes in its turn. */
export function heldTable(turn: () => Promise<void>): DynamoDb {
  const items = new Map<string, Record<string, unknown>>();
  const put = (item: Record<string, unknown>, seen: unknown) => {
    if (items.get(String(item.sk))?.version !== seen) throw new AwsError("ConditionalCheckFailedException", "", 400);
    items.set(String(item.sk), item);
    return {};
  };
  return async (action, { Key, Item, ExpressionAttributeValues }) => {
    await turn();
    if (action === "Query") return { Items: [...items.values()] };
    // An item that must be missing has no version to compare.
    if (action === "PutItem") return put(Item as Record<string, unknown>, ExpressionAttributeValues?.[":seen"]);
    const before = items.get((Key as { sk: string }).sk);
    return before ? { Item: before } : {};
  };
}
