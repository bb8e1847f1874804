import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { ClusterObject } from "../connect/administrator.ts";
import { StartError } from "../start-error.ts";
import type { Progress } from "./download.ts";
import { type Network, PartError, textAt } from "./http.ts";
import type { Registry } from "./registry.ts";

/** The cluster's release, as ClusterVersion names it. */
export interface ClusterRelease {
  readonly version: string;
  /** "quay.io/okd/scos-release@sha256:…" */
  readonly image: string;
}

/**
 * Reads the newest patch of a Kubernetes minor from its publisher. The cluster's own `/version` cannot say it: OKD's API
 * server names a patch of its fork.
 * @throws PartError for a minor that the publisher does not know
 */
export async function newestPatch(network: Network, minor: string): Promise<string> {
  const url = `https://dl.k8s.io/release/stable-${minor}.txt`;
  const text = (await textAt(network, { url, domains: ["dl.k8s.io"] })).trim();
  const [, patch] = /^v(\d+\.\d+\.\d+)$/.exec(text) ?? [];
  if (patch?.startsWith(`${minor}.`)) return patch;
  throw new PartError(`${url} names no version of ${minor}: ${text.slice(0, 40)}`);
}

/** The object by which OpenShift names the cluster's release. */
export const clusterVersion = {
  group: "config.openshift.io",
  version: "v1",
  plural: "clusterversions",
  name: "version",
} as const satisfies ClusterObject;

const clusterVersionSchema = z.object({
  status: z.object({ desired: z.object({ version: z.string(), image: z.string().min(1) }) }),
});

/** Reads a ClusterVersion. @throws StartError if it names no release */
export function releaseOf(value: unknown): ClusterRelease {
  const read = clusterVersionSchema.safeParse(value);
  if (read.success) return read.data.status.desired;
  throw new StartError("the cluster's ClusterVersion names no release image (status.desired)");
}

const REFERENCES = "release-manifests/image-references";
const TAG = "ovn-kubernetes";

const imageStream = z.object({
  spec: z.object({ tags: z.array(z.object({ name: z.string(), from: z.object({ name: z.string() }) })) }),
});

/**
 * Finds the image `ovn-kubernetes` of a release: its image holds a list of all its images.
 * @param cache folder for downloads
 * @throws PartError if the release does not name one
 */
export async function overlayImage(
  registry: Registry,
  release: string,
  cache: string,
  progress: Progress,
): Promise<string> {
  const file = join(cache, "files", "image-references.json");
  mkdirSync(join(cache, "files"), { recursive: true });
  await registry.files(release, new Map([[REFERENCES, file]]), progress);
  const read = imageStream.safeParse(JSON.parse(readFileSync(file, "utf8")));
  const image = read.data?.spec.tags.find(({ name }) => name === TAG)?.from.name;
  if (image) return image;
  throw new PartError(`the release ${release} names no image ${TAG}`);
}
