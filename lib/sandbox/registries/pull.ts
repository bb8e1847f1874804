import {
  askAddress,
  askHost,
  type Content,
  type Exchange,
  failureOf,
  pathAt,
  type RegistryAnswer,
  type RegistryRequest,
  type Session,
} from "./exchange.ts";
import { type ConfigFiles, type HostsSource, hostsFor, type RegistryHost } from "./hosts.ts";
import { type ImageReference, readReference } from "./image-reference.ts";
import { FinalFailure, PullFailure, ranks } from "./pull-failure.ts";
import { behaviourOf, type ContainerdBehaviour } from "./versions.ts";

/** A pull: the image that containerd is asked for, its files, and the registries around it. */
export interface PullInput extends HostsSource {
  readonly image: string;
  /** Version of containerd: "1.7.27". */
  readonly version: string;
  /** Answers of the registries. */
  readonly ask: (request: RegistryRequest) => RegistryAnswer;
  /** Digests of the images that are there: their content is not fetched again (default: none). */
  readonly present?: readonly string[];
  /** Files when the content is fetched: containerd reads them twice (default: the same). */
  readonly filesAtFetch?: ConfigFiles;
}

/** End of a pull. */
export type PullOutcome =
  | {
      readonly pulled: true;
      readonly digest: string;
      /** The host that said what a tag means. */
      readonly resolvedBy: string;
      /** Hosts that served the parts, by their digests. */
      readonly from: Readonly<Record<string, string>>;
    }
  | {
      readonly pulled: false;
      /** In the words of the CRI plugin. */
      readonly error: string;
      /** A host was silent: the pull took until its limit. */
      readonly hung: boolean;
    };

/** A pull that is over: every request in order, and its end. */
export interface PullResult {
  readonly exchanges: readonly Exchange[];
  readonly outcome: PullOutcome;
}

interface Hosts {
  readonly reference: ImageReference;
  readonly hosts: readonly RegistryHost[];
}

interface Served {
  readonly content: Content;
  readonly by: string;
}

/** Collects the failures of hosts; of several, one is reported. */
function failures({ ranksErrors }: ContainerdBehaviour) {
  let kept: PullFailure | undefined;
  return {
    add: (failure: PullFailure): void => {
      if (failure instanceof FinalFailure) throw failure;
      if (!kept || (ranksErrors && failure.rank > kept.rank)) kept = failure;
    },
    kept: () => kept,
  };
}

/** Tries one host, and keeps its failure; a final one ends the pull. */
function attempt<T>(collected: ReturnType<typeof failures>, tryHost: () => T): T | undefined {
  try {
    return tryHost();
  } catch (error) {
    if (!(error instanceof PullFailure)) throw error;
    collected.add(error);
    return undefined;
  }
}

/** A reference as one host is asked for it. */
interface Asked {
  readonly path: string;
  readonly isTag: boolean;
  readonly isLast: boolean;
}

/** Asks one host what a reference means; undefined for a host that does not know it. */
function resolveAt(session: Session, host: RegistryHost, { path, isTag, isLast }: Asked): Content | undefined {
  const answer = askHost(session, host, { method: "HEAD", path, isLast });
  if (answer.status === 404) return undefined;
  if (answer.status > 299) throw failureOf(session, answer);
  // The digest of a reference by digest is known; that of a tag is taken from the content.
  if (!answer.lacksDigest || !isTag) return answer.content;
  return askHost(session, host, { method: "GET", path, isLast: false }).content;
}

/**
 * Resolves a reference: asks the hosts whose capabilities allow it, for manifests, and then for blobs where it is a
 * digest (core/remotes/docker/resolver.go, Resolve).
 */
function resolve(session: Session, { reference, hosts }: Hosts): Served {
  const { repository, registry, tag, digest, text } = reference;
  const needed = tag === undefined ? ["pull"] : ["pull", "resolve"];
  const able = hosts.filter(({ capabilities }) => needed.every((one) => capabilities.includes(one)));
  if (able.length === 0) throw new PullFailure("no resolve hosts: not found");
  const collected = failures(session.containerd);
  const absent = new PullFailure(`${text}: not found`, ranks.absent);
  for (const kind of tag === undefined ? ["manifests", "blobs"] : ["manifests"]) {
    for (const host of able) {
      const path = pathAt(host, repository, kind, tag ?? digest ?? "", registry);
      const content = attempt(collected, () => {
        const isTag = tag !== undefined;
        const found = resolveAt(session, host, { path, isTag, isLast: host === able.at(-1) });
        if (!found && session.containerd.ranksErrors) throw absent;
        return found;
      });
      if (content) return { content, by: host.host };
    }
  }
  throw collected.kept() ?? absent;
}

/** Media types of parts, for the words of an error. */
const mediaTypes: Readonly<Record<Content["kind"], string>> = {
  index: "application/vnd.oci.image.index.v1+json",
  manifest: "application/vnd.oci.image.manifest.v1+json",
  config: "application/vnd.oci.image.config.v1+json",
  layer: "application/vnd.oci.image.layer.v1.tar+gzip",
};

/** Fetches a layer from the addresses that it names itself: only a 404 leads to the next one, and then to the hosts. */
function fetchByAddress(session: Session, { urls = [] }: Content): Served | undefined {
  for (const url of urls) {
    const answer = askAddress(session, url);
    if (answer.status > 299 && answer.status !== 404) throw failureOf(session, answer);
    if (answer.status < 300 && answer.content) return { content: answer.content, by: new URL(url).host };
  }
  return undefined;
}

/**
 * Fetches a part of an image by its digest, from every host in order, whatever its capabilities
 * (core/remotes/docker/fetcher.go, Fetch).
 */
function fetchPart(session: Session, { reference, hosts }: Hosts, part: Content): Served {
  const byAddress = fetchByAddress(session, part);
  if (byAddress) return byAddress;
  const isManifest = part.kind === "index" || part.kind === "manifest";
  const collected = failures({ ...session.containerd, ranksErrors: false });
  for (const host of hosts) {
    const kind = isManifest ? "manifests" : "blobs";
    const path = pathAt(host, reference.repository, kind, part.digest, reference.registry);
    const content = attempt(collected, () => {
      const answer = askHost(session, host, { method: "GET", path, isLast: host === hosts.at(-1) });
      if (answer.status > 299) throw failureOf(session, answer);
      return answer.content;
    });
    if (content) return { content, by: host.host };
  }
  const first = collected.kept();
  if (first && (isManifest || first.rank !== ranks.absent)) throw first;
  const named = `${part.digest} (${mediaTypes[part.kind]})`;
  throw new PullFailure(`could not fetch content descriptor ${named} from remote: not found`, ranks.absent);
}

/** Fetches an image from its first part on, each part as soon as it is known. */
function fetchAll(session: Session, hosts: Hosts, root: Content): Record<string, string> {
  const { content, by } = fetchPart(session, hosts, root);
  const parts = (content.parts ?? []).map((part) => fetchAll(session, hosts, part));
  return Object.assign({ [root.digest]: by }, ...parts);
}

const FETCH = "failed to copy: httpReadSeeker: failed open";

/** Runs a pull to its end. */
function run(input: PullInput, session: Session, reference: ImageReference): PullOutcome {
  let stage = session.containerd.failedToResolve(reference.text);
  const hostsIn = (files: ConfigFiles): Hosts => ({
    reference,
    hosts: hostsFor({ ...input, files }, reference.registry, session.containerd),
  });
  try {
    const { content, by } = resolve(session, hostsIn(input.files));
    if (input.present?.includes(content.digest))
      return { pulled: true, digest: content.digest, resolvedBy: by, from: {} };
    stage = FETCH;
    session.plain.clear();
    const from = fetchAll(session, hostsIn(input.filesAtFetch ?? input.files), content);
    return { pulled: true, digest: content.digest, resolvedBy: by, from };
  } catch (error) {
    if (!(error instanceof PullFailure)) throw error;
    const last = session.exchanges.at(-1)?.answer;
    const hung = last !== undefined && "fault" in last && last.fault === "hang";
    return {
      pulled: false,
      error: `failed to pull and unpack image "${reference.text}": ${stage}: ${error.message}`,
      hung,
    };
  }
}

/** Pulls an image as containerd's CRI plugin does: which host is asked for what, in order, and how it ends. */
export function pull(input: PullInput): PullResult {
  const session: Session = {
    ask: input.ask,
    exchanges: [],
    containerd: behaviourOf(input.version),
    plain: new Set(),
    isWindows: input.isWindows,
  };
  const outcome = run(input, session, readReference(input.image));
  return { exchanges: session.exchanges, outcome };
}
