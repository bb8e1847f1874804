import { Annotations, CfnOutput, Stack, type StackProps } from "aws-cdk-lib";
import type { Role } from "aws-cdk-lib/aws-iam";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import { FunctionUrlAuthType, type IFunction } from "aws-cdk-lib/aws-lambda";
import type { RetentionDays } from "aws-cdk-lib/aws-logs";
import type { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { profileOf } from "../lambdas/profiles/list.ts";
import { TAG } from "../lambdas/tags.ts";
import { auditWarnings, logRetention } from "./audit-retention.ts";
import { Alarms, type AlarmsProps } from "./constructs/alarms.ts";
import { clusterSecrets } from "./constructs/cluster-secrets.ts";
import { dashboard } from "./constructs/dashboard.ts";
import { EventRules } from "./constructs/event-rules.ts";
import { functionsNetwork } from "./constructs/functions-network.ts";
import { grant } from "./constructs/grants.ts";
import type { HandlerFunction } from "./constructs/handler-function.ts";
import { handlerFunctions } from "./constructs/handler-functions.ts";
import { humanTopic, topicKey } from "./constructs/human-topic.ts";
import { ledgerTable } from "./constructs/ledger-table.ts";
import { machineBucket } from "./constructs/machine-bucket.ts";
import { NodeIdentity } from "./constructs/node-identity.ts";
import { NodeNetwork } from "./constructs/node-network.ts";
import { Release } from "./constructs/release.ts";
import { documentHashes, scriptDocuments } from "./constructs/script-document.ts";
import { ScriptDocuments } from "./constructs/script-documents.ts";
import type { Deployment } from "./deployment.ts";
import { type FunctionName, workflowNames } from "./functions.ts";
import { type Payload, releaseContent } from "./release-content.ts";
import { ruleWarnings } from "./rule-faults.ts";

/** Properties of one cluster's stack. */
export interface CasementStackProps extends StackProps {
  readonly deployment: Deployment;
  /** The uploaded payload; null until one is uploaded. */
  readonly payload: Payload | null;
  /** Folders of the bundles. */
  readonly bundles: Readonly<Record<FunctionName | "release", string>>;
}

const NO_PAYLOAD =
  "There is no payload yet: the deployed bot will refuse every command. Run npm run payload, name its manifest in the configuration as aws.payloadManifest, and deploy again.";

/** Everything that runs one cluster in an AWS account. */
export class CasementStack extends Stack {
  readonly #deployment: Deployment;
  /** The customer's key, if one is configured. */
  readonly #key: IKey | undefined;

  constructor(scope: Construct, id: string, { deployment, payload, bundles, ...props }: CasementStackProps) {
    super(scope, id, { ...props, ...aboutStack(id, deployment) });
    this.#deployment = deployment;
    const { cluster } = deployment;
    this.#key = deployment.aws.key ? Key.fromKeyArn(this, "Key", deployment.aws.key) : undefined;

    // State: ledger, bucket and secrets.
    const ledger = ledgerTable(this, "Ledger", this.#key);
    const bucket = machineBucket(this, "Bucket", deployment.aws.audit, this.#key);
    const { slackSecret, secrets } = clusterSecrets(this, cluster.name, this.#key);

    // For machines: scripts, an identity, a security group.
    const documents = scriptDocuments(cluster.name);
    new ScriptDocuments(this, "Documents", documents);
    const nodes = new NodeIdentity(this, "NodeIdentity");
    const network = this.#nodeNetwork();

    // The functions: the front door, the event handler, and the workflows that both start or wake.
    const handlers = this.#handlers(bundles, {
      CASEMENT_CLUSTER: cluster.name,
      CASEMENT_BUCKET: bucket.bucketName,
      CASEMENT_LEDGER_TABLE: ledger.tableName,
      CASEMENT_SLACK_SECRET: slackSecret,
      CASEMENT_RETENTION_DAYS: String(deployment.retention.operations),
      CASEMENT_DOCUMENTS: JSON.stringify(documentHashes(documents)),
    });
    const url = handlers["front-door"].lambda.addFunctionUrl({ authType: FunctionUrlAuthType.NONE });
    handlers["cloud-events"].lambda.addEnvironment("CASEMENT_FRONT_DOOR_URL", url.url);
    const { topic, topicKey: keyOfTopic, events } = this.#wake(handlers["cloud-events"].lambda);

    // The release that functions and machines read.
    const release = new Release(this, "Release", {
      content: releaseContent(deployment, payload, {
        bucket: bucket.bucketName,
        ledgerTable: ledger.tableName,
        instanceProfileArn: nodes.profile.instanceProfileArn,
        securityGroup: network.groupId,
      }),
      bucket,
      handlers,
      bundle: bundles.release,
      cluster: cluster.name,
      logRetention: this.#logRetention,
      key: this.#key,
    });

    // Permissions of each function.
    grant(this, deployment, { handlers, release, events, nodes, network, bucket, topic, topicKey: keyOfTopic, ledger });
    // A running function must hold its rights to the key before a deployment encrypts what it reads with this key.
    if (this.#key) for (const one of [ledger, ...secrets]) one.node.addDependency(...rolesOf(handlers));
    for (const { id: warning, message } of [...auditWarnings(deployment), ...ruleWarnings(deployment)])
      Annotations.of(this).addWarningV2(warning, message);
    if (payload === null) Annotations.of(this).addWarningV2("casement:payload", NO_PAYLOAD);

    // Alarms, and the topic that notifies people.
    this.#watch(handlers, events, topic);

    this.#output({
      FrontDoorUrl: url.url,
      BucketName: bucket.bucketName,
      Workflows: workflowNames.map((name) => handlers[name].lambda.functionName).join(" "),
      RuntimeVersion: release.runtimeVersion,
      HumanTopic: topic.topicArn,
      ...(payload === null ? { Missing: NO_PAYLOAD } : {}),
    });
  }

  get #logRetention(): RetentionDays {
    return logRetention(this.#deployment) as RetentionDays;
  }

  #nodeNetwork(): NodeNetwork {
    const { cluster, aws } = this.#deployment;
    return new NodeNetwork(this, "NodeNetwork", {
      cluster: cluster.name,
      vpc: aws.vpc,
      ports: profileOf({ cluster }).ports(cluster),
      ...aws.securityGroups,
      egress: aws.egress.nodes,
    });
  }

  #handlers(
    bundles: Readonly<Record<FunctionName, string>>,
    environment: Record<string, string>,
  ): Record<FunctionName, HandlerFunction> {
    return handlerFunctions(this, {
      cluster: this.#deployment.cluster.name,
      bundles,
      environment,
      logRetention: this.#logRetention,
      key: this.#key,
      network: functionsNetwork(this, this.#deployment),
      frontDoorConcurrency: this.#deployment.aws.frontDoorConcurrency,
    });
  }

  #wake(cloudEvents: IFunction): { topic: Topic; topicKey: IKey; events: EventRules } {
    const { cluster, aws } = this.#deployment;
    const keyOfTopic = this.#key ?? topicKey(this, "TopicKey");
    const topic = humanTopic(this, "NeedsAHuman", aws.notify === "none" ? [] : aws.notify, keyOfTopic);
    const props = { cluster: cluster.name, cloudEvents, topic, key: this.#key };
    return { topic, topicKey: keyOfTopic, events: new EventRules(this, "Events", props) };
  }

  #watch(handlers: Record<FunctionName, HandlerFunction>, events: EventRules, topic: Topic): void {
    handlers.look.lambda.addEnvironment("CASEMENT_HUMAN_TOPIC", topic.topicArn);
    const watched: AlarmsProps = {
      cluster: this.#deployment.cluster.name,
      topic,
      frontDoor: handlers["front-door"],
      cloudEvents: handlers["cloud-events"],
      appendAudit: handlers["append-audit"],
      workflows: Object.fromEntries(workflowNames.map((name) => [name, handlers[name]])),
      rules: events,
    };
    dashboard(this, "Dashboard", watched, new Alarms(this, "Alarms", watched));
  }

  #output(outputs: Readonly<Partial<Record<keyof typeof meanings, string>>>): void {
    for (const [name, value] of Object.entries(outputs))
      new CfnOutput(this, name, { value, description: meanings[name as keyof typeof meanings] });
  }
}

const rolesOf = (handlers: Readonly<Record<FunctionName, HandlerFunction>>): Role[] =>
  Object.values(handlers).map(({ role }) => role);

/** Description of each output, as the console shows it. */
const meanings = {
  FrontDoorUrl: "Both addresses in the Slack app's manifest",
  BucketName: "Bucket to upload the Windows payload to",
  Workflows: "The durable functions: check their executions before an upgrade",
  RuntimeVersion: "Version of the configuration that the functions use",
  HumanTopic: "Topic for alarms and notifications: subscribe your pager to it",
  Missing: "Steps that are left before the bot accepts commands",
} as const;

/** Account and region of the stack, and the texts that people see in the console. */
const aboutStack = (id: string, { cluster, aws }: Deployment): StackProps => ({
  env: { account: aws.account, region: cluster.region },
  terminationProtection: aws.terminationProtection,
  description: `Casement: a Slack bot that runs the Windows nodes of the cluster ${cluster.name}`,
  tags: { ...aws.tags, [TAG.stack]: id },
});
