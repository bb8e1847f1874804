import { type AuditEntry, type Chain, chainName } from "../../../../lambdas/audit/entry.ts";
import { keys } from "../../../../lambdas/records/ledger-table.ts";
import { demo } from "../../../../lib/sandbox/demo.ts";
import type { Journey } from "../../journey.ts";

/** Any caller of the account, whom no policy of the stack binds. */
const owner = { principal: "owner", require: () => undefined, context: {} };

const asOwner = (here: Journey, action: "DeleteItem" | "UpdateItem", more: object) =>
  here.drive(
    here.simulator.dynamodb.service.answer(
      action,
      {
        method: "POST",
        url: "/",
        headers: { "x-amz-target": `DynamoDB_20120810.${action}`, "content-type": "application/x-amz-json-1.0" },
        body: Buffer.from(JSON.stringify({ TableName: demo.ledgerTable, ...more })),
      },
      owner as never,
    ),
  );

const keyOf = (chain: Chain, sequence: number) => {
  const { pk, sk } = keys.audit(chainName(chain), sequence);
  return { pk: { S: pk }, sk: { S: sk } };
};

/** Writes another person into an entry, in the ledger's table. */
export const forge = (here: Journey, chain: Chain, sequence: number, person: string) =>
  asOwner(here, "UpdateItem", {
    Key: keyOf(chain, sequence),
    UpdateExpression: "SET #by = :by",
    ExpressionAttributeNames: { "#by": "by" },
    ExpressionAttributeValues: { ":by": { M: { person: { S: person } } } },
  });

/** Deletes an entry from the ledger's table. */
export const erase = (here: Journey, chain: Chain, sequence: number) =>
  asOwner(here, "DeleteItem", { Key: keyOf(chain, sequence) });

/** Copies of the audit in the bucket, oldest first, by their keys. */
export const copiesOf = ({ simulator: { simulation } }: Journey): { key: string; entry: AuditEntry }[] =>
  simulation.store
    .collection<{ key: string; content: string; order: number }>("s3-versions")
    .values()
    .filter(({ key }) => key.startsWith("audit/"))
    .sort((one, other) => one.order - other.order)
    .map(({ key, content }) => ({ key, entry: JSON.parse(Buffer.from(content, "base64").toString()) }));
