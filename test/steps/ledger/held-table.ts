import type { DynamoDb } from "../../../lambdas/clients/dynamodb.ts";
import { storedItems } from "./stored-items.ts";

/** A ledger's table as DynamoDB keeps it, each call of which comes in its turn. */
export function heldTable(turn: () => Promise<void>): DynamoDb {
  const { dynamodb } = storedItems([]);
  return async (...call) => {
    await turn();
    return dynamodb(...call);
  };
}
