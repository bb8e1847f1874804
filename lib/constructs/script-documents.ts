import { RemovalPolicy } from "aws-cdk-lib";
import { CfnDocument } from "aws-cdk-lib/aws-ssm";
import { Construct } from "constructs";
import type { ScriptDocument } from "./script-document.ts";

/**
 * One SSM document per script, named with its content's hash: a changed script is another document, and the old one
 * stays for executions that began with it.
 */
export class ScriptDocuments extends Construct {
  constructor(scope: Construct, id: string, documents: readonly ScriptDocument[]) {
    super(scope, id);
    for (const { name, content } of documents) {
      const document = new CfnDocument(this, name, {
        name,
        documentType: "Command",
        documentFormat: "JSON",
        targetType: "/AWS::EC2::Instance",
        content: JSON.parse(content),
      });
      document.applyRemovalPolicy(RemovalPolicy.RETAIN);
    }
  }
}
