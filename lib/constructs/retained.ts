import { RemovalPolicy } from "aws-cdk-lib";

/**
 * Policy of what outlives its deployment: kept when it leaves the template and when the stack is deleted, but deleted when
 * the very deployment that made it rolls back. Plain Retain keeps it then too, and the next deployment fails on it: a
 * document's name "already exists", and Lambda publishes no second version of the same code (CloudFormation Template
 * Reference, "DeletionPolicy attribute", RetainExceptOnCreate).
 */
export const RETAINED_ONCE_DEPLOYED = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
