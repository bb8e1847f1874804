import { typeThis } from "../command/forms.ts";
import { ofObstacles } from "../provision/obstacles.ts";
import { code, counted, plain, some } from "../slack/text.ts";
import { ofAuthorities } from "./authority-words.ts";
import { ofCredentials } from "./credential-words.ts";
import type { Area, Finding } from "./finding.ts";
import { broken, note, type Words, warning } from "./finding-words.ts";
import { ofSubscribers } from "./subscriber-findings.ts";

const list = (names: readonly string[]): string => some(names.map(code), 8);

const nameTheKey = "name it in the configuration as `aws.volumeKey` and deploy (docs/runbook.md, stage launch)";
const makeItAnew = "find out in CloudTrail who made it anew, delete it, and deploy the stack again";
const applyManifest = "apply what `npm run connect -- manifest` prints: `kubectl apply -f -`";
const addSubnet = "remove what is not needed there, or give the pool another subnet in the configuration";

/** First place to look when a whole side is silent. */
const whenDown: Readonly<Record<Area, string>> = {
  Slack: "look at https://slack-status.com and at the secret that holds the bot token",
  AWS: "look at the AWS Health Dashboard and at the credentials in use",
  Cluster: "see whether the API server answers `kubectl get --raw /readyz`, and whether the functions may reach it",
  Nodes: "look at the nodes with `kubectl get nodes`",
};

type Sayings = { readonly [K in Finding["kind"]]: (of: Extract<Finding, { kind: K }>, commandWord: string) => Words };

const ofSlack: Pick<
  Sayings,
  "slack-credential" | "other-app" | "scopes-missing" | "not-a-member" | "channel-shared" | "channel-unknown"
> = {
  "slack-credential": ({ why }) =>
    broken(
      "Slack",
      `the app's token in Secrets Manager cannot be used: ${plain(why)}`,
      "store signing secret and bot token as docs/deploy.md says under “Join Slack and the stack”",
    ),
  "other-app": ({ found, configured }) =>
    broken(
      "Slack",
      `the bot token belongs to ${code(found)}, the configuration names ${code(configured)}`,
      "put the right app's token into the secret, or its ids into the configuration",
    ),
  "scopes-missing": ({ scopes }) =>
    broken(
      "Slack",
      `the app lacks ${scopes.length === 1 ? "the scope" : "the scopes"} ${list(scopes)}`,
      "add them under OAuth and Permissions as docs/slack-app-manifest.yaml has them, and install the app again",
    ),
  "not-a-member": ({ channel }) =>
    broken("Slack", `I am no member of <#${plain(channel, 40)}>`, "type `/invite @casement` there"),
  "channel-shared": ({ channel }) =>
    broken(
      "Slack",
      `<#${plain(channel, 40)}> is shared with another organisation, so every command in it is refused`,
      "name another channel in the configuration",
    ),
  "channel-unknown": ({ channel }) =>
    broken(
      "Slack",
      `the channel ${code(channel)} cannot be found`,
      "name an existing channel's id in the configuration, and invite me if it is private",
    ),
};

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
  | "document-missing"
  | "volume-key"
  | "document-changed"
  | "no-release"
> = {
  denied: ({ by, action }) =>
    broken(
      "AWS",
      `${code(by)} may not ${code(action)}`,
      "deploy the stack, which grants it; if it is deployed, look for a service control policy that forbids it (docs/security.md)",
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
      "name existing subnets in the configuration",
    ),
  "security-group": ({ group, faults }) =>
    broken(
      "AWS",
      `the security group ${code(group)} is not as it must be: ${faults.map((fault) => plain(fault, 120)).join("; ")}`,
      "deploy the stack again, or take the rule back in the EC2 console; nothing is launched behind it until then",
    ),
  "balancer-ports": ({ group, ports }) =>
    note(
      "AWS",
      `the cluster's cloud controller opened ${list(ports)} of ${code(group)} to everybody, for a Network Load Balancer`,
      "name its clients in the Service's `loadBalancerSourceRanges`, or keep these nodes out of it with the label `node.kubernetes.io/exclude-from-external-load-balancers`; a rule that is only taken away comes back",
    ),
  "image-missing": ({ pool, why }) =>
    broken(
      "AWS",
      `no Windows image can be found for pool ${code(pool)}: ${plain(why)}`,
      "name a Windows release that AWS publishes in this region",
    ),
  "launch-refused": ({ pool, why }) =>
    broken(
      "AWS",
      `EC2 would refuse to launch a node of ${code(pool)}: ${plain(why)}`,
      "correct the pool in the configuration",
    ),
  "payload-missing": ({ files }) =>
    broken(
      "AWS",
      `${counted(files.length, "file")} of the payload ${files.length === 1 ? "is" : "are"} not in the bucket as the manifest pins them: ${list(files)}`,
      "upload the payload again and deploy its manifest (docs/deploy.md)",
    ),
  "payload-version": ({ payload, configured }) =>
    broken(
      "AWS",
      `the payload is for Kubernetes ${code(payload)}, the configuration says ${code(configured)}`,
      "upload the payload of that version, or correct `cluster.version`",
    ),
  "no-release": ({ why }) =>
    broken(
      "AWS",
      `the release that functions go by cannot be read: ${plain(why)}`,
      "deploy the stack with a payload manifest (docs/deploy.md)",
    ),
  "volume-key": ({ key }) =>
    broken("AWS", `volumes are encrypted with ${code(key)}, which I may not use: new nodes end at once`, nameTheKey),
  "document-missing": ({ script, name }) =>
    broken("AWS", `the SSM document ${code(name)} for ${code(script)} does not exist`, "deploy the stack again"),
  "document-changed": ({ name }) =>
    broken("AWS", `the SSM document ${code(name)} does not hold what was deployed, so it is not sent`, makeItAnew),
};

const ofCluster: Pick<
  Sayings,
  | "right-missing"
  | "policy-missing"
  | "server-version"
  | "no-hybrid-network"
  | "network-differs"
  | "no-join-account"
  | "no-machine-approver"
  | "no-linux-node"
> = {
  "right-missing": ({ account, does, right }) =>
    broken("Cluster", `the account ${code(account)} cannot ${plain(does)} (${code(right)})`, applyManifest),
  "policy-missing": ({ account, policy, what }) =>
    broken(
      "Cluster",
      `the admission policy ${code(policy)} does not hold the account ${code(account)}: ${plain(what)} would have been let through`,
      applyManifest,
    ),
  "server-version": ({ server, payload }) =>
    broken(
      "Cluster",
      `the cluster runs ${code(server)}, and the payload for ${code(payload)} fits that version and the next one only`,
      "upload the payload that belongs to the cluster's version and deploy its manifest",
    ),
  "no-hybrid-network": ({ network }) =>
    broken(
      "Cluster",
      `the cluster's network (${plain(network)}) has no hybrid overlay for Windows nodes`,
      "give OVN-Kubernetes a hybrid cluster network (OKD documentation, “Configuring hybrid networking”)",
    ),
  "network-differs": ({ what, cluster, configured }) =>
    broken(
      "Cluster",
      `${plain(what)} is ${code(cluster)} in the cluster and ${code(configured)} in the configuration`,
      "write the cluster's value into the configuration and deploy it",
    ),
  "no-join-account": () =>
    broken(
      "Cluster",
      "the account that nodes join with, `openshift-machine-config-operator/node-bootstrapper`, is missing",
      "look after the machine config operator: it makes this account",
    ),
  "no-machine-approver": () =>
    warning(
      "Cluster",
      "there is no `openshift-cluster-machine-approver`: nobody approves the certificates of the cluster's own Machines",
      "look after that cluster operator; nodes that I launch do not need it",
    ),
  "no-linux-node": () =>
    broken("Cluster", "there is no Ready Linux node, which the cluster's own services need", "bring one up first"),
};

const ofNodes: Pick<Sayings, "agents-old" | "agents-silent" | "kubelet-version" | "clock" | "down" | "no-answer"> = {
  "agents-old": ({ machines, wanted }) =>
    broken(
      "Nodes",
      `the SSM agent is older than ${code(wanted)} on ${list(machines)}`,
      "replace these nodes, or update their agent with AWS-UpdateSSMAgent",
    ),
  "agents-silent": ({ machines }) =>
    warning(
      "Nodes",
      `the SSM agent is not online on ${list(machines)}`,
      "see whether they run and reach the metadata service; a node that stays silent can only be removed",
    ),
  "kubelet-version": ({ node, kubelet, server }) =>
    broken(
      "Nodes",
      `${code(node)} runs kubelet ${code(kubelet)}, which the API server ${code(server)} does not support`,
      "replace the node: at most three minor versions older, never newer",
    ),
  clock: ({ against, seconds }) =>
    warning(
      against === "AWS" ? "AWS" : "Cluster",
      `our clock and ${plain(against)}'s differ by ${seconds} s`,
      "set the clock that is wrong by NTP: signatures, tokens and certificates fail when it grows",
    ),
  down: ({ area, why }) =>
    broken(area, `${area === "Cluster" ? "the cluster" : area} does not answer: ${plain(why)}`, whenDown[area]),
  "no-answer": ({ area, what, why }, word) => ({
    area,
    level: "unclear",
    says: `nobody could look at ${plain(what)}: ${plain(why)}`,
    remedy: `ask again in a minute: ${typeThis(word, "doctor")}`,
  }),
};

const sayings: Sayings = {
  ...ofSlack,
  ...ofSubscribers,
  ...ofAws,
  ...ofCluster,
  ...ofAuthorities,
  ...ofCredentials,
  ...ofObstacles,
  ...ofNodes,
};

/** A finding in words, safe inside mrkdwn. */
export const wordsOfFinding = (finding: Finding, commandWord: string): Words =>
  (sayings[finding.kind] as (of: Finding, word: string) => Words)(finding, commandWord);
