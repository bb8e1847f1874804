import { createHash } from "node:crypto";
import type { WireRequest, WireResponse } from "../core/wire.ts";
import { payloadContent } from "../machine/payload.ts";
import { imageOf, type StandInImage, tarGzOf } from "./images.ts";
import { hostAndPath, REGISTRY, REGISTRY_STORAGE, standInRegistry } from "./registry.ts";

/** Publishers of Windows programs and the cluster's registry, with small contents. */
export interface Publishers {
  /** Content by address without its scheme: "dl.k8s.io/release/stable-1.34.txt". */
  readonly files: Map<string, Uint8Array>;
  readonly images: StandInImage[];
  /** Answers in place of the stand-in, for a fault; null to leave an answer to it. */
  fault: (host: string, path: string, request: WireRequest) => WireResponse | null;
  /** Requests so far: "GET dl.k8s.io/release/stable-1.34.txt". */
  readonly requests: string[];
  answer(request: WireRequest): Promise<WireResponse>;
}

/** Patch of Kubernetes that the stand-in names as the newest of every minor. */
const NEWEST_PATCH = "10";

const hex = (algorithm: string, content: Uint8Array | string): string =>
  createHash(algorithm).update(content).digest("hex");

/** Hosts that send downloads to another one, as they did when this was written. */
const REDIRECTS: Readonly<Record<string, string>> = {
  "dl.k8s.io": "cdn.dl.k8s.io",
  "github.com": "release-assets.githubusercontent.com",
};

const program = (name: string, version: string): Buffer => Buffer.from(payloadContent(name, version));

/** Adds content with its checksums beside it. */
function add(files: Map<string, Uint8Array>, address: string, content: Uint8Array, sums: readonly string[] = []): void {
  files.set(address, content);
  for (const extension of sums) {
    const algorithm = extension.startsWith("sha512") ? "sha512" : "sha256";
    const name = address.split("/").at(-1);
    // Kubernetes publishes the hash alone; others write it as sha256sum does.
    const line = address.startsWith("dl.k8s.io") ? hex(algorithm, content) : `${hex(algorithm, content)}  ${name}\n`;
    files.set(`${address}.${extension}`, Buffer.from(line));
  }
}

async function filesOf(minor: string): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const version = `${minor}.${NEWEST_PATCH}`;
  files.set(`dl.k8s.io/release/stable-${minor}.txt`, Buffer.from(`v${version}\n`));
  for (const name of ["kubelet", "kube-proxy", "kube-log-runner"])
    add(files, `dl.k8s.io/release/v${version}/bin/windows/amd64/${name}.exe`, program(name, version), [
      "sha256",
      "sha512",
    ]);
  for (const containerd of ["1.7.34", "2.3.4"]) {
    const archive = await tarGzOf({
      "bin/containerd.exe": program("containerd", containerd),
      "bin/containerd-shim-runhcs-v1.exe": program("containerd-shim-runhcs-v1", containerd),
      "bin/ctr.exe": program("ctr", containerd),
    });
    const release = `github.com/containerd/containerd/releases/download/v${containerd}`;
    add(files, `${release}/containerd-${containerd}-windows-amd64.tar.gz`, archive, ["sha256sum"]);
  }
  const cni = ["host-local", "win-bridge", "win-overlay"].map((name) => [`./${name}.exe`, program(name, "1.9.1")]);
  const plugins = "github.com/containernetworking/plugins/releases/download/v1.9.1";
  const archive = await tarGzOf(Object.fromEntries(cni));
  add(files, `${plugins}/cni-plugins-windows-amd64-v1.9.1.tgz`, archive, ["sha256", "sha512"]);
  const exporter = "github.com/prometheus-community/windows_exporter/releases/download/v0.31.8";
  const windowsExporter = program("windows_exporter", "0.31.8");
  files.set(`${exporter}/windows_exporter-0.31.8-amd64.exe`, windowsExporter);
  const sums = [
    `${hex("sha256", "another")}  windows_exporter-0.31.8-386.exe`,
    `${hex("sha256", windowsExporter)}  windows_exporter-0.31.8-amd64.exe`,
  ];
  files.set(`${exporter}/sha256sums.txt`, Buffer.from(`${sums.join("\n")}\n`));
  const ecr = "artifacts.k8s.io/binaries/cloud-provider-aws/v1.31.7/windows/amd64";
  add(files, `${ecr}/ecr-credential-provider-windows-amd64`, program("ecr-credential-provider", "1.31.7"), ["sha256"]);
  const csiProxy = "storage.googleapis.com/gke-release/csi-proxy/v1.2.1-gke.2/csi-proxy.exe";
  files.set(csiProxy, program("csi-proxy", "1.2.1"));
  return files;
}

/** Builds the cluster's release image with the list of its images, and its image ovn-kubernetes. */
async function releaseImages(
  minor: string,
): Promise<{ readonly release: StandInImage; readonly content: StandInImage }> {
  const path = "root/windows/hybrid-overlay-node.exe";
  const content = await imageOf("okd/scos-content", [
    { files: { "usr/bin/ovnkube": "for Linux", [path]: "of a lower layer" }, compression: "gzip" },
    { files: { [path]: program("hybrid-overlay-node", minor) }, compression: "zstd" },
    { files: { "etc/passwd": "root" }, compression: "gzip" },
  ]);
  const tags = [
    {
      name: "oauth-proxy",
      from: { kind: "DockerImage", name: `${REGISTRY}/okd/scos-content@sha256:${"1".repeat(64)}` },
    },
    { name: "ovn-kubernetes", from: { kind: "DockerImage", name: `${REGISTRY}/okd/scos-content@${content.digest}` } },
  ];
  const references = JSON.stringify({ kind: "ImageStream", apiVersion: "image.openshift.io/v1", spec: { tags } });
  const layers = [
    { files: { "usr/bin/cluster-version-operator": "for Linux" }, compression: "gzip" },
    { files: { "release-manifests/image-references": references }, compression: "gzip" },
  ] as const;
  return { release: await imageOf("okd/scos-release", layers, true), content };
}

/** Returns the reference of the release image of a Kubernetes minor: what the demo cluster's ClusterVersion names. */
export async function releaseImageOf(minor: string): Promise<string> {
  const { release } = await releaseImages(minor);
  return `${REGISTRY}/${release.repository}@${release.digest}`;
}

/** Serves a part of a file where the request's tag still fits (RFC 9110, Range and If-Range). */
function fileAnswer(request: WireRequest, content: Uint8Array): WireResponse {
  const etag = `"${hex("sha256", content).slice(0, 16)}"`;
  const headers = { etag, "accept-ranges": "bytes" };
  const [, from] = /^bytes=(\d+)-$/.exec(request.headers.range ?? "") ?? [];
  if (from === undefined || request.headers["if-range"] !== etag) return { status: 200, headers, body: content };
  const range = { "content-range": `bytes ${from}-${content.length - 1}/${content.length}` };
  return { status: 206, headers: { ...headers, ...range }, body: content.subarray(Number(from)) };
}

/** Builds the stand-ins for the publishers of one Kubernetes minor's programs. */
export async function publishers(minor: string): Promise<Publishers> {
  const { release, content } = await releaseImages(minor);
  const images = [release, content];
  const registry = standInRegistry(() => images);
  const files = await filesOf(minor);
  const download = (request: WireRequest, host: string, path: string): WireResponse => {
    const origin = Object.entries(REDIRECTS).find(([, to]) => to === host)?.[0] ?? host;
    const file = files.get(`${origin}${path}`);
    if (!file) return { status: 404, headers: {}, body: "Not Found" };
    const to = REDIRECTS[host];
    return to ? { status: 302, headers: { location: `https://${to}${path}` }, body: "" } : fileAnswer(request, file);
  };
  const here: Publishers = {
    files,
    images,
    fault: () => null,
    requests: [],
    answer: async (request) => {
      const [host, path] = hostAndPath(request);
      here.requests.push(`${request.method} ${host}${path}`);
      const fault = here.fault(host, path, request);
      if (fault) return fault;
      if (host === REGISTRY) return registry.answer(request, path);
      return host === REGISTRY_STORAGE ? registry.storage(request, path) : download(request, host, path);
    },
  };
  return here;
}
