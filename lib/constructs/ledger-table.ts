import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from "aws-cdk-lib/aws-dynamodb";
import type { Construct } from "constructs";

const text = (name: string) => ({ name, type: AttributeType.STRING });

/** The ledger: who asked for what and what became of it, leases, places. It outlives the stack. */
export function ledgerTable(scope: Construct, id: string): Table {
  const table = new Table(scope, id, {
    partitionKey: text("pk"),
    sortKey: text("sk"),
    billingMode: BillingMode.PAY_PER_REQUEST,
    encryption: TableEncryption.AWS_MANAGED,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
    deletionProtection: true,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  table.addGlobalSecondaryIndex({
    indexName: "by-time",
    partitionKey: text("listed"),
    sortKey: text("requestedAt"),
    projectionType: ProjectionType.ALL,
  });
  return table;
}
