import { RemovalPolicy } from "aws-cdk-lib";

/**
 * Removal policy of a resource that outlives its deployment. CloudFormation keeps the resource when it leaves the
 * template and when the stack is deleted, but deletes it when the deployment that created it rolls back. Plain Retain
 * would keep it then too, and the next deployment would fail: the document's name "already exists", and Lambda does not
 * publish a second version of the same code (CloudFormation Template Reference, "DeletionPolicy attribute",
 * RetainExceptOnCreate).
 */
export const RETAINED_ONCE_DEPLOYED = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
