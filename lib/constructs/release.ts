import { CustomResource, Duration, Stack } from "aws-cdk-lib";
import type { IFunction } from "aws-cdk-lib/aws-lambda";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import type { Release as Content } from "../../lambdas/release/publish.ts";
import type { Statement } from "../statement.ts";
import { HandlerFunction } from "./handler-function.ts";

/** What is published, by whom, and where to. */
export interface ReleaseProps {
  readonly content: Content;
  readonly bucket: IBucket;
  /** Reads who is in which group of Slack's; asked as soon as there is a configuration that says whose groups count. */
  readonly directory: IFunction;
  readonly bundle: string;
  readonly permissions: readonly Statement[];
  readonly logRetention: RetentionDays;
}

/** The runtime document and the machines' scripts, written at each deployment that changes them. */
export class Release extends Construct {
  readonly publisher: HandlerFunction;
  /** Version of the runtime document, or why there is none. */
  readonly runtimeVersion: string;

  constructor(scope: Construct, id: string, props: ReleaseProps) {
    super(scope, id);
    this.publisher = new HandlerFunction(this, "Publisher", {
      description: "Publishes configuration and scripts at a deployment",
      shape: { timeoutSeconds: 60, memoryMiB: 512 },
      bundle: props.bundle,
      environment: {},
      logRetention: props.logRetention,
      asynchronous: false,
    });
    const permissions = this.publisher.permit(props.permissions);
    const document = new CustomResource(this, "Document", {
      resourceType: "Custom::CasementRelease",
      serviceToken: this.publisher.lambda.functionArn,
      serviceTimeout: Duration.minutes(3),
      properties: {
        Bucket: props.bucket.bucketName,
        Directory: props.directory.functionName,
        Release: Stack.of(this).toJsonString(props.content),
      },
    });
    document.node.addDependency(permissions);
    this.runtimeVersion = document.getAttString("RuntimeVersion");
  }
}
