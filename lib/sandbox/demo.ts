/** The demo account, cluster and workspace that the sandbox starts with: names, addresses and people. Data only. */
export const demo = {
  accountId: "111122223333",
  region: "us-west-2",
  vpc: { id: "vpc-0c5e3e7a19b2d4f60", cidr: "10.0.0.0/16" },
  subnets: [
    { id: "subnet-0a10000000000000a", zone: "us-west-2a", cidr: "10.0.0.0/24" },
    { id: "subnet-0b10000000000000b", zone: "us-west-2b", cidr: "10.0.1.0/24" },
    { id: "subnet-0c10000000000000c", zone: "us-west-2c", cidr: "10.0.3.0/24" },
  ],
  securityGroups: {
    windowsNodes: "sg-0d10000000000a100",
    controlPlane: "sg-0d10000000000a200",
    linuxNodes: "sg-0d10000000000a300",
  },
  cluster: {
    name: "prod-west",
    id: "prod-west-x7k2p",
    baseDomain: "example.com",
    version: "1.34.2",
    release: "4.21.0-okd-scos.3",
    profile: "okd",
    distribution: "openshift",
  },
  networks: { service: "172.30.0.0/16", cluster: "10.128.0.0/14", machine: "10.0.0.0/16", hybrid: "10.132.0.0/14" },
  bucket: "casement-prod-west-111122223333",
  ledgerTable: "casement-prod-west-ledger",
  topic: "casement-prod-west-needs-a-human",
  /** Those that the pools try, the preferred one first. */
  instanceTypes: ["m6i.xlarge", "m5.xlarge"],
  /** Tags that the account requires on every machine. */
  machineTags: { "cost-centre": "4711" },
  nodeRoleName: "casement-prod-west-node",
  instanceProfileArn: "arn:aws:iam::111122223333:instance-profile/casement-prod-west-node",
  /** A registry inside the network that has every image. */
  mirror: "mirror.example.com",
  slackSecret: "casement/prod-west/slack",
  slack: {
    teamId: "T0CASEMENT",
    appId: "A0CASEMENT",
    botUserId: "U0CASEMENT",
    botId: "B0CASEMENT",
    channelId: "C0WINDOWS",
    channelName: "windows-nodes",
  },
  people: [
    { id: "U0OPERATOR", name: "olivia", realName: "Olivia Ortiz", roles: ["operator"] },
    { id: "U0APPROVER", name: "arjun", realName: "Arjun Anand", roles: ["approver", "operator"] },
    { id: "U0VISITOR0", name: "vera", realName: "Vera Voss", roles: [] },
    { id: "U0APPROVER2", name: "noor", realName: "Noor Nasser", roles: ["approver"] },
  ],
} as const;
