import { Annotations, Duration, RemovalPolicy } from "aws-cdk-lib";
import { Effect, type Policy, PolicyDocument, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Alias, Architecture, type CfnFunction, Code, Function as Lambda, Runtime } from "aws-cdk-lib/aws-lambda";
import { LogGroup, type RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Queue } from "aws-cdk-lib/aws-sqs";
import { Construct } from "constructs";
import type { FunctionShape } from "../functions.ts";
import type { Statement } from "../statement.ts";
import { acknowledge } from "./acknowledge.ts";
import { deadLetterQueue } from "./dead-letters.ts";
import { permissionsPolicy } from "./permissions-policy.ts";

/** The alias by which durable functions are called. */
export const LIVE = "live";

/** What a function is made from. */
export interface HandlerFunctionProps {
  readonly description: string;
  readonly shape: Omit<FunctionShape, "entry">;
  /** Folder of the bundle. */
  readonly bundle: string;
  readonly environment: Record<string, string>;
  readonly logRetention: RetentionDays;
  /** Left out: outside any VPC, with the internet before it. */
  readonly network?: { readonly subnetIds: string[]; readonly securityGroupIds: string[] };
  readonly reservedConcurrency?: number;
  /** Nobody waits for its answer: what fails goes to a dead-letter queue. */
  readonly asynchronous: boolean;
}

/**
 * A start that Lambda could not deliver for so long is given up: the one who watches a node's execution counts it as
 * never begun after fifteen minutes, and the sweep an operation after twenty.
 */
const MAXIMUM_EVENT_AGE = Duration.minutes(10);
const RETRIES = 2;

/**
 * Executions are asked about for as long as their operation may be in people's minds; two weeks are Lambda's default
 * and the time in which a repeated start finds the first one.
 */
const EXECUTION_HISTORY = Duration.days(14);

/** What Lambda's own service does by the function's role; what the handler does is in lib/permissions.ts. */
function serviceStatements(logs: LogGroup, deadLetters: Queue | undefined, inVpc: boolean): PolicyStatement[] {
  const writeLog = new PolicyStatement({
    sid: "WriteOwnLog",
    actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
    // The attribute ends in ":*": every stream of this one group.
    resources: [logs.logGroupArn],
  });
  const keepFailed = deadLetters && [
    new PolicyStatement({ sid: "KeepFailedEvents", actions: ["sqs:SendMessage"], resources: [deadLetters.queueArn] }),
  ];
  return [writeLog, ...(keepFailed ?? []), ...(inVpc ? [PLUG_INTO_VPC] : [])];
}

/** EC2 gives these actions no resources; the handler itself is denied them by `notFromCode`. */
const PLUG_INTO_VPC = new PolicyStatement({
  sid: "PlugIntoVpc",
  actions: [
    "ec2:CreateNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:DeleteNetworkInterface",
    "ec2:AssignPrivateIpAddresses",
    "ec2:UnassignPrivateIpAddresses",
  ],
  resources: ["*"],
});

/** Lambda developer guide, "Giving Lambda functions access to resources in a VPC": the service's rights, not the code's. */
const notFromCode = (functionArn: string): PolicyStatement =>
  new PolicyStatement({
    sid: "LeaveNetworkToLambda",
    effect: Effect.DENY,
    actions: PLUG_INTO_VPC.actions,
    resources: ["*"],
    conditions: { ArnEquals: { "lambda:SourceFunctionArn": functionArn } },
  });

/** A handler with a role of its own, its log, and, where it is started by events, its dead letters. */
export class HandlerFunction extends Construct {
  readonly lambda: Lambda;
  readonly role: Role;
  readonly deadLetters: Queue | undefined;
  /** Durable functions alone: what others call. A running execution stays on the version that it began on. */
  readonly live: Alias | undefined;
  readonly #inVpc: boolean;

  constructor(scope: Construct, id: string, props: HandlerFunctionProps) {
    super(scope, id);
    const { shape, network } = props;
    this.#inVpc = network !== undefined;
    this.deadLetters = props.asynchronous ? deadLetterQueue(this, "DeadLetters") : undefined;
    const logGroup = new LogGroup(this, "Log", {
      retention: props.logRetention,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    this.role = new Role(this, "Role", {
      assumedBy: new ServicePrincipal("lambda.amazonaws.com"),
      inlinePolicies: {
        service: new PolicyDocument({ statements: serviceStatements(logGroup, this.deadLetters, this.#inVpc) }),
      },
    });
    if (this.#inVpc)
      acknowledge(this.role, { "AwsSolutions-IAM5[Resource::*]": "PlugIntoVpc: EC2 gives these no resources." });
    this.lambda = new Lambda(this, "Function", {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: "index.handler",
      code: Code.fromAsset(props.bundle),
      // Grants of constructs that use the function change nothing: the reviewed list alone does.
      role: this.role.withoutPolicyUpdates(),
      logGroup,
      environment: props.environment,
      timeout: Duration.seconds(shape.timeoutSeconds),
      memorySize: shape.memoryMiB,
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN },
      ...(props.reservedConcurrency ? { reservedConcurrentExecutions: props.reservedConcurrency } : {}),
      ...(this.deadLetters ? { deadLetterQueue: this.deadLetters } : {}),
      ...this.#runs(shape, props.asynchronous),
    });
    if (network) (this.lambda.node.defaultChild as CfnFunction).vpcConfig = network;
    this.live = shape.executionSeconds ? this.#alias() : undefined;
    const why = "Durable from its first version on; docs/decisions/0001 says what a change of that takes.";
    if (this.live) Annotations.of(this.lambda).acknowledgeInfo("aws-lambda:Function.DurableConfig", why);
  }

  #runs({ executionSeconds }: Omit<FunctionShape, "entry">, asynchronous: boolean) {
    if (executionSeconds)
      return {
        durableConfig: { executionTimeout: Duration.seconds(executionSeconds), retentionPeriod: EXECUTION_HISTORY },
      };
    return asynchronous ? { maxEventAge: MAXIMUM_EVENT_AGE, retryAttempts: RETRIES } : {};
  }

  #alias(): Alias {
    const live = new Alias(this, "Live", { aliasName: LIVE, version: this.lambda.currentVersion });
    live.configureAsyncInvoke({ maxEventAge: MAXIMUM_EVENT_AGE, retryAttempts: RETRIES });
    return live;
  }

  /** Lets the handler do this and nothing else; new code goes live only once it may do what it does. */
  permit(statements: readonly Statement[]): Policy {
    const fence = this.#inVpc ? [notFromCode(this.lambda.functionArn)] : [];
    const policy = permissionsPolicy(this, this.role, statements, fence);
    this.live?.node.addDependency(policy);
    return policy;
  }
}
