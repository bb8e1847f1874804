import { type KubeObject, timestamp } from "../model/object.ts";

/** Builds an object without the fields that the API server sets: uid, version and time. */
export const draft = (
  apiVersion: string,
  kind: string,
  metadata: { name: string; namespace?: string; annotations?: Record<string, string> },
  rest: object = {},
): KubeObject => ({ apiVersion, kind, metadata, ...rest }) as KubeObject;

/** Choices of the person who installed a cluster, and the id that the installer gave it. */
export interface Installation {
  readonly name: string;
  readonly id: string;
  readonly baseDomain: string;
  readonly region: string;
  readonly networks: { readonly cluster: string; readonly service: string; readonly machine: string };
}

/** Facts that are fixed when a cluster is installed. */
export interface InstallationFacts {
  readonly hybridNetwork: string;
  /** Undefined where no test asks for it. */
  readonly installation?: Installation | undefined;
  /** PEM of the API server's authority. */
  readonly clusterAuthority: string;
  /** PEM of the authorities that kubelets trust for their clients. */
  readonly kubeletClients: string;
  /** Expiry of the newest of these, in ms since the epoch. */
  readonly signerUntil: number;
}

/** The network as the cluster's administrator set it up: Windows nodes need one field of it (OKD documentation). */
export const network = ({ hybridNetwork, installation }: InstallationFacts): KubeObject =>
  draft(
    "operator.openshift.io/v1",
    "Network",
    { name: "cluster" },
    {
      spec: {
        ...(installation && {
          clusterNetwork: [{ cidr: installation.networks.cluster, hostPrefix: 23 }],
          serviceNetwork: [installation.networks.service],
        }),
        defaultNetwork: {
          type: "OVNKubernetes",
          ovnKubernetesConfig: {
            hybridOverlayConfig: { hybridClusterNetwork: [{ cidr: hybridNetwork, hostPrefix: 23 }] },
          },
        },
      },
    },
  );

/** The cluster's DNS Service (openshift/cluster-dns-operator, assets/dns/service.yaml). */
export const dnsService = (): KubeObject =>
  draft(
    "v1",
    "Service",
    { name: "dns-default", namespace: "openshift-dns" },
    {
      spec: {
        type: "ClusterIP",
        clusterIP: "172.30.0.10",
        clusterIPs: ["172.30.0.10"],
        selector: { "dns.operator.openshift.io/daemonset-dns": "default" },
        ports: [
          { name: "dns", protocol: "UDP", port: 53, targetPort: "dns" },
          { name: "dns-tcp", protocol: "TCP", port: 53, targetPort: "dns-tcp" },
        ],
      },
    },
  );

/** The platform on which the cluster was installed (openshift/api, config/v1, Infrastructure). */
export const infrastructure = (installation?: Installation): KubeObject =>
  draft(
    "config.openshift.io/v1",
    "Infrastructure",
    { name: "cluster" },
    {
      spec: { platformSpec: { type: "AWS" } },
      status: {
        platform: "AWS",
        platformStatus: { type: "AWS", ...(installation && { aws: { region: installation.region } }) },
        ...(installation && {
          infrastructureName: installation.id,
          apiServerURL: `https://api.${installation.name}.${installation.baseDomain}:6443`,
          apiServerInternalURI: `https://api-int.${installation.name}.${installation.baseDomain}:6443`,
        }),
      },
    },
  );

/**
 * The answers to the installer, which it keeps as YAML without the pull secret (openshift/installer,
 * pkg/asset/manifests/clusterconfig). JSON is YAML too.
 */
export const clusterConfig = ({ name, baseDomain, region, networks }: Installation): KubeObject =>
  draft(
    "v1",
    "ConfigMap",
    { name: "cluster-config-v1", namespace: "kube-system" },
    {
      data: {
        "install-config": JSON.stringify({
          apiVersion: "v1",
          baseDomain,
          metadata: { name },
          networking: {
            networkType: "OVNKubernetes",
            clusterNetwork: [{ cidr: networks.cluster, hostPrefix: 23 }],
            serviceNetwork: [networks.service],
            machineNetwork: [{ cidr: networks.machine }],
          },
          platform: { aws: { region } },
          publish: "External",
        }),
      },
    },
  );

/** Settings of the cluster for registries (openshift/api, config/v1, Image); a new cluster has no list in them. */
export const imageConfiguration = (): KubeObject =>
  draft("config.openshift.io/v1", "Image", { name: "cluster" }, { spec: {} });

/** The proxy of the cluster (openshift/api, config/v1, Proxy): a new cluster has none. */
export const proxyConfiguration = (): KubeObject =>
  draft("config.openshift.io/v1", "Proxy", { name: "cluster" }, { spec: { trustedCA: { name: "" } }, status: {} });

/**
 * The router that every cluster on AWS has after its installation: a Service of type LoadBalancer, which without
 * another annotation means a Classic Load Balancer (openshift/cluster-ingress-operator, load_balancer_service.go).
 */
export const router = (): KubeObject =>
  draft(
    "v1",
    "Service",
    { name: "router-default", namespace: "openshift-ingress" },
    {
      spec: {
        type: "LoadBalancer",
        externalTrafficPolicy: "Local",
        healthCheckNodePort: 30_401,
        selector: { "ingresscontroller.operator.openshift.io/deployment-ingresscontroller": "default" },
        ports: [
          { name: "http", protocol: "TCP", port: 80, targetPort: "http", nodePort: 30_080 },
          { name: "https", protocol: "TCP", port: 443, targetPort: "https", nodePort: 30_443 },
        ],
      },
    },
  );

/**
 * Objects in which the cluster's operators keep its authorities (machine-config-operator;
 * cluster-kube-apiserver-operator).
 */
export const authorities = ({ clusterAuthority, kubeletClients, signerUntil }: InstallationFacts): KubeObject[] => [
  draft(
    "machineconfiguration.openshift.io/v1",
    "ControllerConfig",
    { name: "machine-config-controller" },
    { spec: { rootCAData: base64(clusterAuthority), kubeAPIServerServingCAData: base64(kubeletClients) } },
  ),
  draft(
    "v1",
    "Secret",
    {
      name: "kube-apiserver-to-kubelet-signer",
      namespace: "openshift-kube-apiserver-operator",
      annotations: { "auth.openshift.io/certificate-not-after": timestamp(signerUntil) },
    },
    { type: "SecretTypeTLS" },
  ),
];

const base64 = (text: string): string => Buffer.from(text).toString("base64");
