import { createHash } from "node:crypto";
import type { FaultKind } from "../core/faults.ts";
import type { Simulation } from "../core/simulation.ts";
import type { Content, RegistryAnswer, RegistryRequest } from "./exchange.ts";
import { type Proxies, proxies } from "./proxies.ts";

/** Answers while a fault is in force, by its kind. */
const faultAnswers: Readonly<Record<string, RegistryAnswer>> = {
  "registry-down": { fault: "refused" },
  "registry-hangs": { fault: "hang" },
  "registry-denies": { status: 403 },
};

const fields = { host: "the registry's host, with its port if it has one" } as const;

/** Faults of registries that can be injected. */
const kinds: readonly FaultKind[] = [
  { kind: "registry-down", sentence: "A registry refuses every connection.", fields },
  { kind: "registry-hangs", sentence: "A registry accepts a request and never answers it.", fields },
  { kind: "registry-denies", sentence: "A registry answers every request with 403 Forbidden.", fields },
];

/** Content of a registry. */
export interface RegistryContent {
  /** Paths of its repositories, as a request names them: "hub/library/nginx" (default: every one). */
  readonly repositories?: readonly string[];
  /** Is it reached through a proxy alone? Then the network drops packets of everybody else. */
  readonly isBehindProxy?: boolean;
  /** The only user and password that it serves, as "user:password" (default: everyone is served). */
  readonly credential?: string;
}

/** Refuses a request of an instance, as a registry with rights of its own does; undefined for one that it serves. */
export type RegistryRefusal = (request: RegistryRequest, instanceId: string) => RegistryAnswer | undefined;

/** The registries that containerd can reach. */
export interface Registries {
  /** Makes a registry known, such as a mirror, or limits the content of one that images name. */
  declare(host: string, content?: RegistryContent): void;
  /** The proxies before them. */
  readonly proxies: Proxies;
  /**
   * Answers a request of an instance, and records it among the calls.
   * @param proxy address of the proxy to which the instance sends it (default: it is sent directly)
   */
  answer(request: RegistryRequest, instanceId: string, proxy?: string): RegistryAnswer;
}

/** Parts of a request's address. */
interface Asked {
  readonly host: string;
  readonly repository: string;
  /** A tag or a digest. */
  readonly name: string;
  readonly isBlob: boolean;
  readonly isMirror: boolean;
}

function askedBy({ url }: RegistryRequest): Asked {
  const { host, pathname, searchParams } = new URL(url);
  const [, repository = "", kind, name = ""] =
    /^\/(?:v2\/)?(.*)\/(manifests|blobs)\/([^/]+)$/.exec(decodeURIComponent(pathname)) ?? [];
  return { host, repository, name, isBlob: kind === "blobs", isMirror: searchParams.has("ns") };
}

const digestOf = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

/** Parts of an image by its digest: every image has one layer (assumed). */
function imageOf(digest: string): Content {
  const parts: readonly Content[] = [
    { digest: digestOf(`config of ${digest}`), kind: "config" },
    { digest: digestOf(`layer of ${digest}`), kind: "layer" },
  ];
  return { digest, kind: "manifest", parts };
}

/** Digest of an image by the last part of its repository and its tag: a copy in a mirror has the same one. */
export const imageDigest = (repository: string, tag: string): string =>
  digestOf(`${repository.split("/").at(-1)}:${tag}`);

/** Finds what a request asks for in a registry that has its repository. */
function contentOf({ repository, name, isBlob }: Asked): Content {
  if (isBlob) return { digest: name, kind: "layer" };
  return imageOf(name.startsWith("sha256:") ? name : imageDigest(repository, name));
}

/** Status and error of an answer among the calls; a network without an answer has status 0. */
const recorded = (answer: RegistryAnswer): { status: number; error: string | null } =>
  "fault" in answer ? { status: 0, error: answer.fault } : { status: answer.status, error: null };

/** Refuses a request without the credential that the registry demands (RFC 7617); undefined for one that it serves. */
function challenge({ header }: RegistryRequest, known: RegistryContent | undefined): RegistryAnswer | undefined {
  if (known?.credential === undefined) return undefined;
  const demanded = `Basic ${Buffer.from(known.credential).toString("base64")}`;
  const isShown = Object.entries(header).some(
    ([name, [value]]) => name.toLowerCase() === "authorization" && value === demanded,
  );
  return isShown ? undefined : { status: 401, demandsPassword: true };
}

/**
 * Builds the registries around the simulated nodes. A registry exists where an image names it; a mirror exists once it is
 * declared, and before that its name does not resolve.
 */
export function registries(simulation: Simulation, refusal: RegistryRefusal = () => undefined): Registries {
  const { store, faults, calls } = simulation;
  faults.declare(...kinds);
  const declared = store.collection<RegistryContent>("registries");

  const before = proxies(simulation);

  /** Fault of the network before a registry; undefined for one that is reached. */
  const unreached = ({ host, isMirror }: Asked, proxy: string | undefined): RegistryAnswer | undefined => {
    const known = declared.get(host);
    if (!known && isMirror) return { fault: "dns" };
    return known?.isBehindProxy && proxy === undefined ? { fault: "dial-timeout" } : undefined;
  };

  const serve = (request: RegistryRequest, instanceId: string, proxy: string | undefined): RegistryAnswer => {
    const asked = askedBy(request);
    const fault = kinds.find(({ kind }) => faults.applies(kind, { host: asked.host }))?.kind ?? "";
    const refused =
      unreached(asked, proxy) ??
      faultAnswers[fault] ??
      refusal(request, instanceId) ??
      challenge(request, declared.get(asked.host));
    if (refused) return refused;
    const isHeld = declared.get(asked.host)?.repositories?.includes(asked.repository) ?? true;
    return isHeld ? { status: 200, content: contentOf(asked) } : { status: 404 };
  };

  return {
    declare: (host, content = {}) => declared.set(host, content),
    proxies: before,
    answer: (request, instanceId, proxy) => {
      const notCarried = proxy === undefined ? undefined : before.carry(proxy, request.url, instanceId);
      if (notCarried) return notCarried;
      const answer = serve(request, instanceId, proxy);
      const action = `${request.method} ${request.url}`;
      calls.record({ service: "registry", action, principal: `instance/${instanceId}`, ...recorded(answer) });
      return answer;
    },
  };
}
