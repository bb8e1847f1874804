import { configurationOf } from "../../lambdas/configuration.ts";

const pool = (maximum: number) => ({
  windows: "2022",
  instanceTypes: ["m6i.xlarge"],
  subnets: ["subnet-0a10000000000000a"],
  securityGroup: "sg-0d10000000000a100",
  maximum,
  taint: { key: "os", value: "Windows", effect: "NoSchedule" },
});

/** The configuration that the door is tested with: operators may do everything, readers may look. */
export const configuration = configurationOf({
  cluster: {
    name: "prod-west",
    id: "prod-west-x7k2p",
    profile: "okd",
    version: "1.34.2",
    region: "us-west-2",
    apiServer: "https://api-int.prod-west.example:6443",
    certificateAuthority: "PEM",
    kubeletClientAuthority: "PEM",
    serviceNetwork: "172.30.0.0/16",
    clusterNetwork: "10.128.0.0/14",
    machineNetwork: "10.0.0.0/16",
  },
  slack: {
    teamId: "T0CASEMENT",
    appId: "A0CASEMENT",
    botUserId: "U0CASEMENT",
    botId: "B0CASEMENT",
    channel: "C0WINDOWS",
  },
  people: { operator: ["S0OPERATORS"], reader: ["U0READER"] },
  policy: {
    nodes: ["operator", "reader"],
    node: ["operator", "reader"],
    why: ["operator", "reader"],
    operations: ["operator", "reader"],
    add: ["operator"],
    cordon: ["operator"],
    uncordon: ["operator"],
    guard: ["operator"],
    drain: ["operator"],
    reboot: ["operator"],
    remove: ["operator"],
    approve: ["operator"],
    deny: ["operator"],
    pause: ["operator"],
    resume: ["operator"],
    cancel: ["operator"],
    doctor: ["operator"],
    audit: ["operator"],
  },
  pools: { web: pool(8), batch: pool(4) },
  bucket: "casement",
  ledgerTable: "casement",
  instanceProfileArn: "arn:aws:iam::111122223333:instance-profile/casement",
});
