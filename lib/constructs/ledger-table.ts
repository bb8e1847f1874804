import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from "aws-cdk-lib/aws-dynamodb";
import type { IKey } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { EXPIRES, ledgerIndexes, PRIMARY_KEY } from "../../lambdas/records/ledger-table.ts";

const text = (name: string) => ({ name, type: AttributeType.STRING });

/**
 * Creates the ledger: operations with requester and result, leases, reserved places. It outlives the stack.
 * @param key the customer's, if one is configured
 */
export function ledgerTable(scope: Construct, id: string, key: IKey | undefined): Table {
  const table = new Table(scope, id, {
    partitionKey: text(PRIMARY_KEY.hash),
    sortKey: text(PRIMARY_KEY.range),
    billingMode: BillingMode.PAY_PER_REQUEST,
    ...(key
      ? { encryption: TableEncryption.CUSTOMER_MANAGED, encryptionKey: key }
      : { encryption: TableEncryption.AWS_MANAGED }),
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    timeToLiveAttribute: EXPIRES,
    deletionProtection: true,
    // Not RETAINED_ONCE_DEPLOYED: a table under deletion protection cannot be deleted, so the rollback itself would fail.
    removalPolicy: RemovalPolicy.RETAIN,
  });
  for (const { name, hash, range } of ledgerIndexes)
    table.addGlobalSecondaryIndex({
      indexName: name,
      partitionKey: text(hash),
      sortKey: text(range),
      projectionType: ProjectionType.ALL,
    });
  return table;
}
