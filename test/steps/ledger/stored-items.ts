import { AwsError } from "../../../lambdas/clients/aws-call.ts";
import type { DynamoDb, DynamoDbRequest } from "../../../lambdas/clients/dynamodb.ts";
import type { Key } from "../../../lambdas/records/ledger-table.ts";

type Item = Readonly<Record<string, unknown>>;

const placeOf = ({ pk, sk }: Item): string => `${String(pk)} ${String(sk)}`;

/** Does a write's condition hold? One without `:seen` is that the item is missing. */
function holds(before: Item | undefined, { ExpressionAttributeValues: values = {} }: DynamoDbRequest): boolean {
  return ":seen" in values ? before?.version === values[":seen"] : before === undefined;
}

/** Reads the partition of a query whose sort keys begin as it asks, in their order. */
function found(items: Iterable<Item>, { ExpressionAttributeValues: values = {} }: DynamoDbRequest): Item[] {
  const begins = String(values[":begins"] ?? "");
  return [...items]
    .filter(({ pk, sk }) => pk === values[":pk"] && String(sk).startsWith(begins))
    .sort((a, b) => String(a.sk).localeCompare(String(b.sk)));
}

/**
 * A ledger's table that holds these items, and every request that was sent to it.
 * @param given keys with what is stored there
 */
export function storedItems(given: readonly (readonly [Key, object])[]) {
  const items = new Map<string, Item>();
  const asked: string[] = [];
  for (const [key, item] of given) items.set(placeOf({ ...key }), { ...item, ...key });
  const dynamodb: DynamoDb = async (action, request) => {
    asked.push(
      `${action} ${placeOf((request.Key ?? request.Item ?? { pk: request.ExpressionAttributeValues?.[":pk"], sk: "" }) as Item)}`.trim(),
    );
    if (action === "Query") return { Items: found(items.values(), request) };
    if (action === "PutItem") {
      const item = request.Item as Item;
      if (!holds(items.get(placeOf(item)), request)) throw new AwsError("ConditionalCheckFailedException", "", 400);
      items.set(placeOf(item), item);
      return {};
    }
    const item = items.get(placeOf(request.Key as Item));
    return item ? { Item: item } : {};
  };
  return { dynamodb, items, asked };
}
