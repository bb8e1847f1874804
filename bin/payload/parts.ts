/** Published checksum of an asset: a file that holds it alone, or a list with the asset's name. */
export interface Checksum {
  readonly url: string;
  readonly algorithm: "sha256" | "sha512";
}

/** A file that a publisher serves at a fixed address. */
export interface Asset {
  readonly url: string;
  /** Domains that may serve it: the publisher's own, and those that it redirects to. */
  readonly domains: readonly string[];
  /** sha256 that a reviewed source names, hex; null where none does. */
  readonly pin: string | null;
  /** Null if the publisher publishes none. */
  readonly checksum: Checksum | null;
}

/** Source of a file: an asset, perhaps inside an archive, or an image in a registry. */
export type Source =
  | { readonly from: "asset"; readonly asset: Asset; readonly within: string | null }
  | { readonly from: "image"; readonly image: string; readonly path: string };

/** A file of the payload, its version and its source. */
export interface PartFile {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly publisher: string;
  readonly source: Source;
}

/** Parts that a payload can do without, by the words of `--without`. */
export const optionalParts = ["csi-proxy", "ecr-credential-provider"] as const;

/** Name of an optional part. */
export type OptionalPart = (typeof optionalParts)[number];

/** Versions and images that the parts are made from. */
export interface PartVersions {
  /** Newest patch of the cluster's Kubernetes minor: "1.34.10". */
  readonly kubernetes: string;
  readonly containerd: string;
  /** The cluster's own image `ovn-kubernetes`, by digest, and the release that it belongs to. */
  readonly overlay: { readonly image: string; readonly release: string };
  readonly without: ReadonlySet<OptionalPart>;
}

type Rows = (versions: PartVersions) => readonly PartFile[];

const APACHE = "Apache-2.0";

/** github.com redirects downloads of a release to its storage. */
const GITHUB = ["github.com", "githubusercontent.com"];

const fixed = {
  cni: "1.9.1",
  exporter: "0.31.8",
  // The newest that arrived at artifacts.k8s.io: later promotions failed (kubernetes/k8s.io, issue 8291).
  ecr: "1.31.7",
  csiProxy: "1.2.1-gke.2",
} as const;

// Single files: dl.k8s.io redirects to cdn.dl.k8s.io. kubernetes/release writes .sha256 and .sha512 beside each.
const kubernetes: Rows = ({ kubernetes: version }) =>
  ["kubelet.exe", "kube-proxy.exe", "kube-log-runner.exe"].map((name) => {
    const url = `https://dl.k8s.io/release/v${version}/bin/windows/amd64/${name}`;
    const checksum = { url: `${url}.sha512`, algorithm: "sha512" } as const;
    const asset = { url, domains: ["dl.k8s.io"], pin: null, checksum };
    return { name, version, licence: APACHE, publisher: "Kubernetes", source: { from: "asset", asset, within: null } };
  });

const containerd: Rows = ({ containerd: version }) => {
  const archive = `containerd-${version}-windows-amd64.tar.gz`;
  const url = `https://github.com/containerd/containerd/releases/download/v${version}/${archive}`;
  const asset = {
    url,
    domains: GITHUB,
    pin: null,
    checksum: { url: `${url}.sha256sum`, algorithm: "sha256" },
  } as const;
  // The shim is hcsshim's, under MIT; containerd's archive brings it (its Makefile.windows).
  const licences = { "containerd.exe": APACHE, "containerd-shim-runhcs-v1.exe": "MIT" };
  return Object.entries(licences).map(([name, licence]) => {
    return { name, version, licence, publisher: "containerd", source: { from: "asset", asset, within: `bin/${name}` } };
  });
};

const cni: Rows = () => {
  const version = fixed.cni;
  const archive = `cni-plugins-windows-amd64-v${version}.tgz`;
  const url = `https://github.com/containernetworking/plugins/releases/download/v${version}/${archive}`;
  const asset = { url, domains: GITHUB, pin: null, checksum: { url: `${url}.sha512`, algorithm: "sha512" } } as const;
  return ["host-local.exe", "win-bridge.exe", "win-overlay.exe"].map((name) => {
    return { name, version, licence: APACHE, publisher: "CNI", source: { from: "asset", asset, within: name } };
  });
};

const exporter: Rows = () => {
  const version = fixed.exporter;
  const release = `https://github.com/prometheus-community/windows_exporter/releases/download/v${version}`;
  const checksum = { url: `${release}/sha256sums.txt`, algorithm: "sha256" } as const;
  const asset = { url: `${release}/windows_exporter-${version}-amd64.exe`, domains: GITHUB, pin: null, checksum };
  const source = { from: "asset", asset, within: null } as const;
  return [{ name: "windows_exporter.exe", version, licence: "MIT", publisher: "Prometheus community", source }];
};

// OKD's image ovn-kubernetes holds the program at this path since 4.7 (openshift/ovn-kubernetes, Dockerfile). Nobody else
// publishes it, and its certificates and annotations change between minors: only the cluster's own image fits.
const overlay: Rows = ({ overlay: { image, release } }) => {
  const name = "hybrid-overlay-node.exe";
  const source = { from: "image", image, path: `root/windows/${name}` } as const;
  return [{ name, version: release, licence: APACHE, publisher: "the cluster's release", source }];
};

// The pin is of kubernetes/k8s.io, artifacts/manifests/k8s-staging-provider-aws: reviewed, so better than the file beside
// it. The version need not follow the kubelet's, because the plugin's API is v1.
const ecr: Rows = ({ without }) => {
  if (without.has("ecr-credential-provider")) return [];
  const name = "ecr-credential-provider";
  const url = `https://artifacts.k8s.io/binaries/cloud-provider-aws/v${fixed.ecr}/windows/amd64/${name}-windows-amd64`;
  const asset = {
    url,
    domains: ["k8s.io", "amazonaws.com", "googleapis.com"],
    pin: "a6d062a0d2948f0457ecec7ce888c2b14bdca1374aeb45cfeb5823435974e9e8",
    checksum: null,
  };
  const source = { from: "asset", asset, within: null } as const;
  return [{ name: `${name}.exe`, version: fixed.ecr, licence: APACHE, publisher: "Kubernetes", source }];
};

// The project publishes no binary (README of v1.3.0). This is Google's build, which Kubernetes' own tests use.
const csiProxy: Rows = ({ without }) => {
  if (without.has("csi-proxy")) return [];
  const name = "csi-proxy.exe";
  const url = `https://storage.googleapis.com/gke-release/csi-proxy/v${fixed.csiProxy}/${name}`;
  const asset = { url, domains: ["storage.googleapis.com"], pin: null, checksum: null };
  const source = { from: "asset", asset, within: null } as const;
  return [{ name, version: fixed.csiProxy, licence: APACHE, publisher: "Google", source }];
};

/** Lists the files of a payload with their sources, in the order of the printed table. */
export const partFiles = (versions: PartVersions): PartFile[] =>
  [kubernetes, containerd, cni, exporter, overlay, ecr, csiProxy].flatMap((rows) => rows(versions));

/** Is there anything besides https by which the content of a source is verified? */
export const isVerified = (source: Source): boolean =>
  source.from === "image" || source.asset.pin !== null || source.asset.checksum !== null;

/** Describes how the content of a source is verified. */
export function verificationOf(source: Source): string {
  if (source.from === "image") return "image digest";
  if (!isVerified(source)) return "NOT CHECKED: nothing is published";
  const { pin, checksum } = source.asset;
  const ways = [
    ...(pin ? ["sha256 of a reviewed source"] : []),
    ...(checksum ? [`published ${checksum.algorithm}`] : []),
  ];
  return ways.join(", ");
}
