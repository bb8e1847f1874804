import { CfnSecurityGroup } from "aws-cdk-lib/aws-ec2";
import type { Construct } from "constructs";
import type { Deployment } from "../deployment.ts";
import { egressRules } from "../egress.ts";

/** VPC settings of functions that call Kubernetes; undefined if the API server is reachable from outside. */
export function functionsNetwork(scope: Construct, { aws, cluster }: Deployment) {
  if (!aws.functionsNetwork) return undefined;
  const group = new CfnSecurityGroup(scope, "FunctionsNetwork", {
    groupDescription: `Functions of Casement that call the API server of ${cluster.name}`,
    vpcId: aws.vpc,
    securityGroupEgress: egressRules(
      aws.egress.functions,
      `API server, AWS and Slack by ${aws.functionsNetwork.wayOut}`,
    ),
  });
  return { subnetIds: aws.functionsNetwork.subnets, securityGroupIds: [group.attrGroupId] };
}
