import { type Configuration, configurationOf } from "../../lambdas/configuration/configuration.ts";
import { demo } from "./demo.ts";

const { subnets, securityGroups, networks, slack } = demo;
const taint = { key: "os", value: "Windows", effect: "NoSchedule" };

const pool = (windows: string, maximum: number, role: string) => ({
  windows,
  maximum,
  taint,
  instanceTypes: [...demo.instanceTypes],
  subnets: subnets.map(({ id }) => id),
  securityGroup: securityGroups.windowsNodes,
  labels: { "example.com/role": role },
});

/** Policy of the demo: an operator changes nodes, an approver decides, and the one on call goes on without. */
const policy = {
  nodes: ["operator", "approver"],
  node: ["operator", "approver"],
  why: ["operator", "approver"],
  mirrors: ["operator", "approver"],
  authorities: ["operator", "approver"],
  proxy: ["operator", "approver"],
  operations: ["operator", "approver"],
  doctor: ["operator", "approver"],
  audit: ["approver"],
  add: ["operator"],
  cordon: ["operator"],
  uncordon: ["operator"],
  assist: ["operator"],
  guard: ["operator"],
  reconcile: ["operator"],
  drain: ["operator"],
  reboot: ["operator"],
  restart: ["operator"],
  prove: ["operator"],
  freeze: ["operator"],
  thaw: ["operator"],
  hold: ["operator"],
  unhold: ["operator"],
  remove: ["operator"],
  approve: ["approver"],
  deny: ["approver"],
  "break-glass": ["on-call"],
  pause: ["operator"],
  resume: ["operator"],
  cancel: ["operator", "approver"],
};

/** Pools of the demo. @param nodes number of Windows nodes that it begins with: those above four are of the pool web */
export const demoPools = (nodes = 4) => ({
  web: pool("2022", nodes + 4, "web"),
  batch: { ...pool("2019", 24, "batch"), maxUnavailable: "20%" },
  edge: pool("2025", 2, "edge"),
});

/**
 * Images that `npm start` has for its probes: those of pods that try the data plane, and one that its registry serves,
 * which proves a change of mirrors.
 */
export const demoProbe = {
  images: {
    "2019": "mcr.microsoft.com/windows/servercore:ltsc2019",
    "2022": "mcr.microsoft.com/windows/servercore:ltsc2022",
    "2025": "mcr.microsoft.com/windows/servercore:ltsc2025",
    linux: "docker.io/library/busybox:1.37",
  },
  registries: { "registry.example.com": "registry.example.com/shop/storefront:1.4" },
};

/**
 * The configuration that the sandbox's cluster runs by.
 * @param cluster how machines reach the API server, and the PEM of the cluster's authority
 * @param more pools and other changes for a test
 */
export const demoConfiguration = (
  cluster: { readonly apiServer: string; readonly authority: string },
  more: object = {},
): Configuration =>
  configurationOf({
    cluster: {
      name: demo.cluster.name,
      id: demo.cluster.id,
      version: demo.cluster.version,
      profile: demo.cluster.profile,
      region: demo.region,
      apiServer: cluster.apiServer,
      certificateAuthority: cluster.authority,
      serviceNetwork: networks.service,
      clusterNetwork: networks.cluster,
      machineNetwork: networks.machine,
      inputs: "openshift",
    },
    slack: {
      teamId: slack.teamId,
      appId: slack.appId,
      botUserId: slack.botUserId,
      botId: slack.botId,
      channel: slack.channelId,
    },
    people: {
      operator: ["U0OPERATOR", "S0OPERATORS"],
      "on-call": ["U0OPERATOR"],
      approver: ["U0APPROVER", "U0APPROVER2"],
    },
    policy,
    // In the demo one person alone may try a removal of few pods.
    approvals: { remove: { needs: 1, unless: { podsAtMost: 5 } } },
    pools: demoPools(),
    bucket: demo.bucket,
    ledgerTable: demo.ledgerTable,
    instanceProfileArn: demo.instanceProfileArn,
    machineTags: demo.machineTags,
    ...more,
  });
