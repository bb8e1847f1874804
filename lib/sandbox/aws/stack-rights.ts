import { conventionalName, type Place } from "../../place.ts";
import { AwsError, type Caller } from "../core/aws-service.ts";
import type { Access } from "./access.ts";
import { through } from "./kms.ts";

/**
 * Permissions that AWS's services need before they serve the stack. A denial throws AwsError, except where a boolean is
 * returned.
 */
export interface StackRights {
  /**
   * Requires that any client may reach the front door by its URL (Lambda developer guide, "Control access to function
   * URLs").
   */
  urlMayInvoke(): void;
  /** Requires that EventBridge may invoke the function of cloud events for a rule. */
  ruleMayInvoke(rule: string): void;
  /** Requires that EventBridge may publish to the topic, by the role that the rule's target names. */
  ruleMayPublish(): void;
  /** May Lambda write a line into a function's log? */
  mayLog(principal: string): boolean;
  /** May Lambda keep an event that a function failed on? */
  mayKeep(functionName: string): boolean;
}

function isAllowed(ask: () => void): boolean {
  try {
    ask();
    return true;
  } catch (error) {
    if (error instanceof AwsError) return false;
    throw error;
  }
}

/** Builds the checks for one account and region. */
export function stackRights(rights: Access, place: Place): StackRights {
  const { account, region, cluster } = place;
  const lambda = (principal: string): string =>
    `arn:aws:lambda:${region}:${account}:function:${conventionalName(cluster, principal)}`;
  // SNS and SQS Developer Guides, "Key management": publishers and producers need these rights to an encrypted one's key.
  const requireKey = (caller: Caller, service: string, key: string): void => {
    for (const use of ["GenerateDataKey", "Decrypt"]) caller.require(`kms:${use}`, [key], through(service, region));
  };
  const eventBridge: Caller = rights.serviceItself("events.amazonaws.com");
  const anonymous: Caller = rights.serviceItself("lambda.amazonaws.com");
  return {
    urlMayInvoke: () => {
      const frontDoor = [lambda("front-door")];
      anonymous.require("lambda:InvokeFunctionUrl", frontDoor, { "lambda:FunctionUrlAuthType": "NONE" });
      anonymous.require("lambda:InvokeFunction", frontDoor, { "lambda:InvokedViaFunctionUrl": "true" });
    },
    ruleMayInvoke: (rule) =>
      eventBridge.require("lambda:InvokeFunction", [lambda("cloud-events")], {
        "aws:SourceArn": `arn:aws:events:${region}:${account}:rule/${rule}`,
      }),
    ruleMayPublish: () => {
      const publisher = rights.serviceFor("publisher");
      publisher.require("sns:Publish", [`arn:aws:sns:${region}:${account}:${place.topic}`]);
      requireKey(publisher, "sns", place.topicKey);
    },
    mayLog: (principal) => {
      const group = `arn:aws:logs:${region}:${account}:log-group:/aws/lambda/${conventionalName(cluster, principal)}`;
      return isAllowed(() => rights.serviceFor(principal).require("logs:PutLogEvents", [`${group}:log-stream:today`]));
    },
    mayKeep: (functionName) => {
      const principal = functionName.slice(conventionalName(cluster, "").length);
      const queue = `arn:aws:sqs:${region}:${account}:${functionName}-dead-letters`;
      return isAllowed(() => {
        const sender = rights.serviceFor(principal);
        sender.require("sqs:SendMessage", [queue]);
        if (place.key) requireKey(sender, "sqs", place.key);
      });
    },
  };
}
