import { CustomResource, Duration, Stack } from "aws-cdk-lib";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { IBucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import type { Release as Content } from "../../lambdas/release/publish.ts";
import type { FunctionName } from "../functions.ts";
import type { Statement } from "../statement.ts";
import { HandlerFunction, type HandlerFunctionProps } from "./handler-function.ts";

/** Content of a release, the code that publishes it, and the bucket that stores it. */
export interface ReleaseProps {
  readonly cluster: string;
  readonly content: Content;
  readonly bucket: IBucket;
  /** The functions that understand this release: all of them go live before the release document does. */
  readonly handlers: Readonly<Record<FunctionName, HandlerFunction>>;
  readonly bundle: string;
  readonly logRetention: RetentionDays;
  readonly key: HandlerFunctionProps["key"];
}

/** The release document and the machines' scripts, written at each deployment that changes them. */
export class Release extends Construct {
  readonly publisher: HandlerFunction;
  /** Version of the release document, or the reason why there is none. */
  readonly runtimeVersion: string;
  readonly #document: CustomResource;

  constructor(scope: Construct, id: string, props: ReleaseProps) {
    super(scope, id);
    this.publisher = new HandlerFunction(this, "Publisher", {
      principal: "release",
      cluster: props.cluster,
      description: "Publishes configuration and scripts at a deployment",
      shape: { timeoutSeconds: 60, memoryMiB: 512 },
      bundle: props.bundle,
      environment: {},
      logRetention: props.logRetention,
      key: props.key,
      asynchronous: false,
    });
    this.#document = new CustomResource(this, "Document", {
      resourceType: "Custom::CasementRelease",
      serviceToken: this.publisher.lambda.functionArn,
      serviceTimeout: Duration.minutes(3),
      properties: {
        Bucket: props.bucket.bucketName,
        Cluster: props.cluster,
        // Reads the members of Slack's user groups as soon as a configuration names the groups.
        Directory: props.handlers["cloud-events"].lambda.functionName,
        Release: Stack.of(this).toJsonString(props.content),
      },
    });
    this.#document.node.addDependency(...Object.values(props.handlers).flatMap(({ called }) => called));
    this.runtimeVersion = this.#document.getAttString("RuntimeVersion");
  }

  /** Gives the publisher exactly these permissions. The release is published only after its policy is in place. */
  permit(statements: readonly Statement[]): void {
    this.#document.node.addDependency(this.publisher.permit(statements));
  }
}
