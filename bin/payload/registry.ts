import { createHash } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { LAYER_LIMITS, unpack } from "./archive.ts";
import { download, hashOf, type Progress } from "./download.ts";
import { get, type Network, PartError, refusalOf, textAt } from "./http.ts";

/** Reads files of images in registries (OCI distribution specification, and Docker's manifests). */
export interface Registry {
  /**
   * Writes files of an image.
   * @param image "quay.io/okd/scos-release@sha256:…"
   * @param wanted path in the image → file to write
   * @throws PartError if the registry refuses, a digest is wrong, or the image does not have one of the files
   */
  files(image: string, wanted: ReadonlyMap<string, string>, progress: Progress): Promise<void>;
  /** Lists the paths of all files that an image's layers hold, deleted ones too. */
  paths(image: string, progress: Progress): Promise<string[]>;
}

/** Credentials by registry: "user:password", base64, as a pull secret holds them. */
export type PullSecret = ReadonlyMap<string, string>;

interface Reference {
  readonly host: string;
  readonly repository: string;
  /** Tag or digest. */
  readonly name: string;
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Parses an image reference; the registry must be named. @throws PartError for another text */
export function referenceOf(image: string): Reference {
  const [, host, repository, tag, digest] =
    /^([\w.-]+(?::\d+)?)\/([a-z0-9._/-]+?)(?::([\w.-]+))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(image) ?? [];
  const name = digest ?? tag;
  const isHost = host !== undefined && (/[.:]/.test(host) || host === "localhost");
  if (isHost && repository && name) return { host, repository, name };
  throw new PartError(`${image} is no image reference with a registry and a digest or tag`);
}

const descriptor = z.object({ digest: z.string().regex(DIGEST) });

const indexSchema = z.object({
  manifests: z.array(
    descriptor.extend({ platform: z.object({ os: z.string(), architecture: z.string() }).optional() }),
  ),
});

const manifestSchema = z.object({ layers: z.array(descriptor) });

const ACCEPT = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");

/** A manifest larger than this is refused (4 MiB, the distribution specification's limit). */
const LARGEST_MANIFEST = 4 * 1024 * 1024;

interface Context {
  readonly network: Network;
  readonly pullSecret: PullSecret;
  /** Folder that keeps layers, named by digest. */
  readonly cache: string;
  /** Tokens by repository. */
  readonly tokens: Map<string, string>;
}

/** Finds the credential for a repository: a pull secret may name a registry, or a part of its repositories. */
function credentialFor(pullSecret: PullSecret, { host, repository }: Reference): string | undefined {
  const names = repository.split("/").map((_, at, words) => [host, ...words.slice(0, words.length - at)].join("/"));
  return [...names, host].map((name) => pullSecret.get(name)).find((one) => one !== undefined);
}

const parameterOf = (challenge: string, name: string): string =>
  new RegExp(`${name}="([^"]*)"`, "i").exec(challenge)?.[1] ?? "";

/** Gets a token as a registry's challenge demands it (distribution specification, "token authentication"). */
async function tokenFor(context: Context, reference: Reference, challenge: string): Promise<string> {
  const credential = credentialFor(context.pullSecret, reference);
  const basic: Record<string, string> = credential === undefined ? {} : { authorization: `Basic ${credential}` };
  if (/^basic/i.test(challenge) && basic.authorization) return basic.authorization;
  const realm = parameterOf(challenge, "realm");
  if (!/^bearer/i.test(challenge) || !URL.canParse(realm) || new URL(realm).protocol !== "https:")
    throw new PartError(`${reference.host} refuses ${reference.repository}: it demands "${challenge || "nothing"}"`);
  const url = new URL(realm);
  const service = parameterOf(challenge, "service");
  if (service) url.searchParams.set("service", service);
  url.searchParams.set("scope", `repository:${reference.repository}:pull`);
  const text = await textAt(context.network, { url: url.href, domains: null, headers: basic });
  const { token, access_token: other } = z
    .object({ token: z.string().optional(), access_token: z.string().optional() })
    .parse(JSON.parse(text));
  return `Bearer ${token ?? other ?? ""}`;
}

const keyOf = ({ host, repository }: Reference): string => `${host}/${repository}`;

const authorization = ({ tokens }: Context, reference: Reference): Record<string, string> => {
  const token = tokens.get(keyOf(reference));
  return token ? { authorization: token } : {};
};

/** Requests an object of a repository; after a 401, once more with a token. */
async function asked(context: Context, reference: Reference, path: string): Promise<Response> {
  const url = `https://${reference.host}/v2/${reference.repository}/${path}`;
  const send = (): Promise<Response> =>
    get(context.network, { url, domains: null, headers: { accept: ACCEPT, ...authorization(context, reference) } });
  const first = await send();
  if (first.status !== 401) return first;
  await first.body?.cancel();
  const token = await tokenFor(context, reference, first.headers.get("www-authenticate") ?? "");
  context.tokens.set(keyOf(reference), token);
  return send();
}

const refusalWords = ({ host, repository, name }: Reference, status: number): string => {
  if (status === 404) return `${host} has no image ${repository} ${name}`;
  if (status === 401 || status === 403) return `${host} refuses ${repository}: give a pull secret with --pull-secret`;
  return `${host} answered ${status} for ${repository} ${name}`;
};

/** Reads a manifest and verifies it by its digest. */
async function manifestText(context: Context, reference: Reference): Promise<string> {
  const answer = await asked(context, reference, `manifests/${reference.name}`);
  if (!answer.ok) throw new PartError(refusalWords(reference, (await refusalOf("", answer)).status ?? 0));
  const bytes = Buffer.from(await answer.arrayBuffer());
  if (bytes.length > LARGEST_MANIFEST) throw new PartError(`the manifest of ${reference.repository} is too large`);
  const digest = `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
  const wanted = DIGEST.test(reference.name) ? reference.name : answer.headers.get("docker-content-digest");
  if (wanted !== null && wanted !== digest)
    throw new PartError(`the manifest of ${reference.repository} has digest ${digest}, wanted is ${wanted}`);
  return bytes.toString("utf8");
}

/** Finds the digests of the layers of a linux/amd64 image, the lowest first. */
async function layersOf(context: Context, reference: Reference): Promise<string[]> {
  const value: unknown = JSON.parse(await manifestText(context, reference));
  const index = indexSchema.safeParse(value);
  if (!index.success) return manifestSchema.parse(value).layers.map(({ digest }) => digest);
  const one = index.data.manifests.find(
    ({ platform }) => platform?.os === "linux" && platform.architecture === "amd64",
  );
  if (!one) throw new PartError(`${reference.repository} has no image for linux/amd64`);
  return layersOf(context, { ...reference, name: one.digest });
}

/** Downloads a layer. A token lives for minutes, so a large image may outlive its first one. */
async function downloaded(
  context: Context,
  reference: Reference,
  digest: string,
  to: { file: string; progress: Progress },
) {
  const url = `https://${reference.host}/v2/${reference.repository}/blobs/${digest}`;
  const once = (): Promise<void> =>
    download(context.network, { url, domains: null, headers: authorization(context, reference) }, to.file, to.progress);
  await once().catch(async (error: unknown) => {
    if (!(error instanceof PartError && error.status === 401)) throw error;
    context.tokens.delete(keyOf(reference));
    await manifestText(context, reference);
    await once();
  });
}

/** Downloads a layer and verifies it by its digest. @returns its file in the cache */
async function layerFile(context: Context, reference: Reference, digest: string, progress: Progress): Promise<string> {
  const file = join(context.cache, digest.replace(":", "-"));
  if (!existsSync(file)) await downloaded(context, reference, digest, { file, progress });
  const hash = `sha256:${await hashOf(file, "sha256")}`;
  if (hash === digest) return file;
  rmSync(file);
  throw new PartError(`a layer of ${reference.repository} has digest ${hash}, wanted is ${digest}`);
}

const parentsOf = (path: string): string[] => {
  const words = path.split("/");
  return words.map((_, at) => words.slice(0, at).join("/"));
};

/** Does a layer delete a file of lower layers (OCI image specification, "Whiteouts")? */
const isDeleted = (path: string, seen: ReadonlySet<string>): boolean =>
  [...parentsOf(path), path].some((one) => {
    const [folder, name] = [one.split("/").slice(0, -1), one.split("/").at(-1)];
    return (
      seen.has([...folder, `.wh.${name}`].join("/")) ||
      (one !== path && seen.has(`${one ? `${one}/` : ""}.wh..wh..opq`))
    );
  });

/** Writes files of an image from its layers, the highest first. */
async function filesFromImage(
  context: Context,
  image: string,
  wanted: ReadonlyMap<string, string>,
  progress: Progress,
) {
  const reference = referenceOf(image);
  const open = new Map(wanted);
  for (const digest of (await layersOf(context, reference)).toReversed()) {
    if (open.size === 0) return;
    const seen = new Set<string>();
    const layer = await layerFile(context, reference, digest, progress);
    for (const path of await unpack(layer, open, LAYER_LIMITS, (one) => seen.add(one))) open.delete(path);
    const deleted = [...open.keys()].find((path) => isDeleted(path, seen));
    if (deleted) throw new PartError(`${reference.repository} has deleted ${deleted}`);
  }
  if (open.size > 0) throw new PartError(`${reference.repository} does not hold ${[...open.keys()].join(", ")}`);
}

async function pathsInImage(context: Context, image: string, progress: Progress): Promise<string[]> {
  const reference = referenceOf(image);
  const paths = new Set<string>();
  for (const digest of await layersOf(context, reference))
    await unpack(await layerFile(context, reference, digest, progress), new Map(), LAYER_LIMITS, (one) =>
      paths.add(one),
    );
  return [...paths];
}

/**
 * Builds a client of registries: anonymous, or with a pull secret where it has one for the registry.
 * @param cache folder that keeps layers
 */
export function registryClient(network: Network, pullSecret: PullSecret, cache: string): Registry {
  const context: Context = { network, pullSecret, cache, tokens: new Map() };
  return {
    files: (image, wanted, progress) => filesFromImage(context, image, wanted, progress),
    paths: (image, progress) => pathsInImage(context, image, progress),
  };
}

/** Parses a pull secret, Docker's `config.json`. @throws PartError for another text */
export function pullSecretOf(text: string): PullSecret {
  try {
    const { auths } = z.object({ auths: z.record(z.string(), z.object({ auth: z.string() })) }).parse(JSON.parse(text));
    return new Map(
      Object.entries(auths).map(([name, { auth }]) => [
        name.replace(/^https?:\/\//, "").replace(/\/.*v1\/?$/, ""),
        auth,
      ]),
    );
  } catch (error) {
    throw new PartError("the pull secret is not a JSON file with auths, as Docker and OpenShift write it", {
      cause: error,
    });
  }
}
