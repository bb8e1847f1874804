import { supportText } from "../../machine/payload-support.ts";
import { typeThis } from "../command/syntax.ts";
import { machineState } from "../node/unregistered.ts";
import { ofObstacles } from "../provision/obstacles.ts";
import { between } from "../slack/age.ts";
import { code, counted, plain } from "../slack/text.ts";
import { ofAccess } from "./access-findings.ts";
import { ofAgents } from "./agent-findings.ts";
import { ofAudit } from "./audit-findings.ts";
import { ofAuthorities } from "./authority-findings.ts";
import { ofCluster } from "./cluster-findings.ts";
import { ofCredentials } from "./credential-findings.ts";
import { ofExecutions } from "./execution-findings.ts";
import type { Area, Finding } from "./finding.ts";
import { broken, type FindingText, list, note, warning } from "./finding-text.ts";
import { ofClusterInputs } from "./input-findings.ts";
import { ofKeys } from "./key-findings.ts";
import { ofOtherOwners } from "./other-owner-findings.ts";
import { ofRules } from "./rules-findings.ts";
import { ofObservations } from "./seen-findings.ts";
import { ofSlack } from "./slack-findings.ts";
import { ofSubscribers } from "./subscriber-findings.ts";

const recreateDocument = "find in CloudTrail who recreated it, delete it, and deploy the stack again";
const switchDnsOn = (vpc: string): string =>
  `run ${code(`aws ec2 modify-vpc-attribute --vpc-id ${vpc} --enable-dns-hostnames`)}, and the same with ${code("--enable-dns-support")}`;

const addSubnet = "free addresses there, or give the pool another subnet in the configuration";

/** First place to check when a service does not respond. */
const whenDown: Readonly<Record<Area, string>> = {
  Slack: "check <https://slack-status.com> and the secret that holds the bot token",
  AWS: "check the AWS Health Dashboard and the credentials in use",
  Cluster: "check that `kubectl get --raw /readyz` succeeds and that the functions can reach the API server",
  Nodes: "check `kubectl get nodes`",
};

type Sayings = { readonly [K in Finding["kind"]]: (of: Extract<Finding, { kind: K }>) => FindingText };

/** Problem and remedy of pools without an image. */
export const imageMissing = (pools: string, why: string): [string, string] => [
  `no Windows image was found for pool ${pools}: ${plain(why)}`,
  "set a Windows release that AWS publishes in this region",
];

/** Problem and remedy of pools whose launch EC2 refuses. */
export const launchRefused = (pools: string, why: string): [string, string] => [
  `EC2 would refuse to launch a node of ${pools}: ${plain(why)}`,
  "correct the pool in the configuration",
];

const ofAws: Pick<
  Sayings,
  | "denied"
  | "subnet-full"
  | "subnet-missing"
  | "security-group"
  | "balancer-ports"
  | "image-missing"
  | "launch-refused"
  | "payload-missing"
  | "payload-version"
  | "payload-unusable"
  | "payload-ended"
  | "document-missing"
  | "vpc-dns"
  | "document-changed"
  | "no-release"
> = {
  denied: ({ by, action }) =>
    broken(
      "AWS",
      `${code(by)} is not allowed ${code(action)}`,
      "deploy the stack, which grants it; if it is deployed, check for a service control policy that denies it (docs/security.md)",
    ),
  "subnet-full": ({ subnet, pools, free }) => ({
    area: "AWS",
    level: free === 0 ? "broken" : "warning",
    says: `the subnet ${code(subnet)} (${list(pools)}) has ${free === 0 ? "no free address" : `${free} addresses left`}`,
    remedy: addSubnet,
  }),
  "subnet-missing": ({ subnet, pools }) =>
    broken(
      "AWS",
      `the subnet ${code(subnet)} (${list(pools)}) does not exist`,
      "set existing subnets in the configuration",
    ),
  "security-group": ({ group, faults }) =>
    broken(
      "AWS",
      `the security group ${code(group)} has wrong rules: ${faults.map((fault) => plain(fault, 120)).join("; ")}`,
      "deploy the stack again, or correct the rules in the EC2 console; until then Casement launches nothing in this group",
    ),
  "balancer-ports": ({ group, ports }) =>
    note(
      "AWS",
      `the cluster's cloud controller opened ${list(ports)} of ${code(group)} to every address, for a Network Load Balancer`,
      "restrict the Service with `loadBalancerSourceRanges`, or exclude these nodes with the label `node.kubernetes.io/exclude-from-external-load-balancers`; a rule that is only deleted comes back",
    ),
  "image-missing": ({ pool, why }) => broken("AWS", ...imageMissing(code(pool), why)),
  "launch-refused": ({ pool, why }) => broken("AWS", ...launchRefused(code(pool), why)),
  "payload-missing": ({ files }) =>
    broken(
      "AWS",
      `${counted(files.length, "file")} of the payload ${files.length === 1 ? "differs" : "differ"} from the manifest or ${files.length === 1 ? "is" : "are"} missing from the bucket: ${list(files)}`,
      "upload the payload again and deploy its manifest (docs/deploy.md)",
    ),
  "payload-version": ({ payload, configured }) =>
    broken(
      "AWS",
      `the payload is for Kubernetes ${code(payload)}, but the configuration says ${code(configured)}`,
      "upload the payload of that version, or correct `cluster.version`",
    ),
  "payload-unusable": ({ faults }) =>
    broken(
      "AWS",
      faults.map((fault) => `the program ${supportText(fault)}`).join("; "),
      "upload a payload with another version and deploy its manifest (docs/payload.md)",
    ),
  "payload-ended": ({ faults }) =>
    note(
      "AWS",
      faults.map((fault) => `the program ${supportText(fault)}`).join("; "),
      "make the payload again: containerd by `--containerd VERSION`, the kubelet once the cluster has a newer minor (docs/payload.md)",
    ),
  "no-release": ({ why }) =>
    broken(
      "AWS",
      `the release document cannot be read: ${plain(why)}`,
      "deploy the stack with a payload manifest (docs/deploy.md)",
    ),
  "vpc-dns": ({ vpc, attribute }) =>
    broken(
      "AWS",
      `${code(attribute)} of the VPC ${code(vpc)} is off: new instances get no private DNS name, by which their Nodes are named`,
      switchDnsOn(vpc),
    ),
  "document-missing": ({ script, name }) =>
    broken("AWS", `the SSM document ${code(name)} for ${code(script)} does not exist`, "deploy the stack again"),
  "document-changed": ({ name }) =>
    broken("AWS", `the SSM document ${code(name)} differs from the deployed one, so it is not used`, recreateDocument),
};

const ofNodes: Pick<
  Sayings,
  "unregistered-machine" | "kubelet-version" | "clock" | "down" | "no-answer" | "no-credentials"
> = {
  "unregistered-machine": ({ machine, at }) =>
    warning(
      "Nodes",
      `${code(machine.instanceId)} of pool ${code(machine.pool ?? "none")} is not a node, but is billed and counts in the pool: ${machineState(machine)}, ${between(machine.since, at)} ago`,
      `${typeThis("remove", machine.instanceId)} terminates it`,
    ),
  "kubelet-version": ({ node, kubelet, server }) =>
    broken(
      "Nodes",
      `${code(node)} runs kubelet ${code(kubelet)}, which the API server ${code(server)} does not support`,
      "replace the node: a kubelet may be up to three minor versions older than the API server, never newer",
    ),
  clock: ({ against, seconds }) =>
    warning(
      against === "AWS" ? "AWS" : "Cluster",
      `the clocks of Casement and ${plain(against)} differ by ${seconds} s`,
      "synchronise the wrong clock by NTP: with a larger difference signatures, tokens and certificates fail",
    ),
  down: ({ area, why }) =>
    broken(area, `${area === "Cluster" ? "the cluster" : area} does not respond: ${plain(why)}`, whenDown[area]),
  "no-credentials": ({ why }) =>
    broken("AWS", `no AWS credentials: ${plain(why)}`, "sign in: `aws sso login`, or set `AWS_PROFILE`"),
  "no-answer": ({ area, what, why }) => ({
    area,
    level: "unclear",
    says: `could not check ${plain(what)}: ${plain(why)}`,
    remedy: `try again in a minute: ${typeThis("doctor")}`,
  }),
};

const sayings: Sayings = {
  ...ofSlack,
  ...ofSubscribers,
  ...ofOtherOwners,
  ...ofAws,
  ...ofKeys,
  ...ofCluster,
  ...ofAccess,
  ...ofAgents,
  ...ofAudit,
  ...ofExecutions,
  ...ofAuthorities,
  ...ofCredentials,
  ...ofClusterInputs,
  ...ofObstacles,
  ...ofRules,
  ...ofObservations,
  ...ofNodes,
};

/** Text of a finding, safe inside mrkdwn. */
export const wordsOfFinding = (finding: Finding): FindingText =>
  (sayings[finding.kind] as (of: Finding) => FindingText)(finding);
