import { CfnDocument } from "aws-cdk-lib/aws-ssm";
import { Construct } from "constructs";
import { RETAINED_ONCE_DEPLOYED } from "./retained.ts";
import type { ScriptDocument } from "./script-document.ts";

/**
 * One SSM document per script, named with its content's hash: a changed script becomes a new document, and the old one
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
        content: {},
      });
      // A text, which CDK's types do not allow: CloudFormation would serialise an object again, so the document would
      // not match the hash of each command (aws-cloudformation-resource-providers-ssm, DocumentModelTranslator).
      document.addPropertyOverride("Content", content);
      document.applyRemovalPolicy(RETAINED_ONCE_DEPLOYED);
    }
  }
}
