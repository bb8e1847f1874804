import { configurationOf } from "../../../lambdas/configuration/configuration.ts";
import { type PayloadManifest, payloadManifestOf } from "../../../lambdas/machine/payload.ts";
import type { MachineSpec } from "../../../lambdas/profiles/machine-facts.ts";
import { okd } from "../../../lambdas/profiles/okd/okd.ts";
import { memoize } from "../../../lib/sandbox/core/memoize.ts";

const read = memoize((json) => configurationOf(JSON.parse(json)));

/** A configuration as an administrator would write it; `cluster` and `pool` change single values. */
export const configurationWith = (cluster: object = {}, pool: object = {}) =>
  read(
    JSON.stringify({
      cluster: {
        name: "prod-west",
        id: "prod-west-x7k2p",
        profile: "okd",
        version: "1.34.2",
        region: "us-west-2",
        apiServer: "https://api-int.prod-west.example.com:6443",
        certificateAuthority: "-----BEGIN CERTIFICATE-----\nAPI\n-----END CERTIFICATE-----\n",
        serviceNetwork: "172.30.0.0/16",
        clusterNetwork: "10.128.0.0/14",
        machineNetwork: "10.0.0.0/16",
        ...cluster,
      },
      slack: { teamId: "T0", appId: "A0", botUserId: "U0", botId: "B0", channel: "C0" },
      pools: {
        web: {
          windows: "2022",
          instanceTypes: ["m6i.large"],
          subnets: ["subnet-0a10000000000000a"],
          securityGroup: "sg-0d10000000000a100",
          maximum: 8,
          labels: { tier: "web" },
          taint: { key: "os", value: "Windows", effect: "NoSchedule" },
          ...pool,
        },
      },
      bucket: "casement-prod-west",
      ledgerTable: "casement-prod-west-ledger",
      instanceProfileArn: "arn:aws:iam::111122223333:instance-profile/node",
    }),
  );

const whole = payloadManifestOf(okd, {
  format: 1,
  profile: "okd",
  kubernetes: "1.34.2",
  files: [...okd.payloadPaths].map(([name, path], index) => ({
    name,
    version: "1.34.2",
    path,
    key: `payload/okd/1.34.2/${name}`,
    versionId: `v${index}`,
    sha256: index.toString(16).padStart(64, "0"),
    size: 1_000 + index,
  })),
});

/** A manifest with every file that the profile needs. */
export const manifest = (): PayloadManifest => whole;

/** A manifest without one of its files. */
export const manifestWithout = (program: string): PayloadManifest => ({
  ...manifest(),
  files: manifest().files.filter(({ name }) => name !== program),
});

/** A machine to be. */
export function factsWith(cluster: object = {}, pool: object = {}, change: Partial<MachineSpec> = {}): MachineSpec {
  const configuration = configurationWith(cluster, pool);
  const web = configuration.pools.web;
  if (!web) throw new Error("the configuration has no pool web");
  return {
    configuration,
    poolName: "web",
    pool: web,
    nodeName: "ip-10-0-0-20.us-west-2.compute.internal",
    nodeIp: "10.0.0.20",
    build: "10.0.20348",
    payload: manifest(),
    kubeletClients: "-----BEGIN CERTIFICATE-----\nKUBELET\n-----END CERTIFICATE-----\n",
    joinSecretId: "casement/prod-west/join/i-0abc",
    ...change,
  };
}
