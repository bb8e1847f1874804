import type { Content, RegistryAnswer, RegistryRequest } from "../../../lib/sandbox/registries/exchange.ts";
import type { Registry, RegistryFaults } from "../../containerd/vectors.ts";

const digestOf = (letter: string): string =>
  `sha256:${letter.toLowerCase().charCodeAt(0).toString(16).padStart(64, "0")}`;

const part = (letter: string, kind: Content["kind"], rest: Partial<Content> = {}): Content => ({
  digest: digestOf(letter),
  kind,
  ...rest,
});

const config = part("C", "config");
const layer = part("L", "layer");
const urls = ["https://urls-1.example/layer", "https://urls-2.example/layer"];
const manifest = part("M", "manifest", { parts: [config, layer] });

/** Content of the vectors' images, by letter. */
const contents: Readonly<Record<string, Content>> = {
  C: config,
  L: layer,
  M: manifest,
  N: part("N", "manifest", { parts: [config] }),
  I: part("I", "index", { parts: [manifest] }),
  F: part("F", "manifest", { parts: [config, { ...layer, urls }] }),
};

const tags: Readonly<Record<string, string>> = { v1: "M", latest: "M", index: "I", foreign: "F" };

/** Replaces the letters of a vector's text by digests, or digests by letters. */
export const withDigests = (text: string): string => text.replaceAll(/\{([A-Z])\}/g, (_, letter) => digestOf(letter));
export const withLetters = (text: string): string =>
  Object.keys(contents).reduce((all, letter) => all.replaceAll(digestOf(letter), `{${letter}}`), text);

/** Parts of a request's path. */
interface Wanted {
  readonly repository: string;
  readonly isBlob: boolean;
  readonly name: string;
}

function wantedBy(path: string): Wanted {
  const [, repository = "", kind, name = ""] = /^(.*)\/(manifests|blobs)\/([^/]+)$/.exec(path) ?? [];
  return { repository, isBlob: kind === "blobs", name };
}

function isAllowed({ basic }: RegistryFaults, { header }: RegistryRequest): boolean {
  const sent = Object.entries(header).find(([key]) => key.toLowerCase() === "authorization");
  return basic === undefined || sent?.[1][0] === `Basic ${btoa(basic)}`;
}

/** Status with which a registry answers every request of a kind. */
function fixedStatus(state: RegistryFaults, method: string, isBlob: boolean): number | undefined {
  if (method === "HEAD") return state.head;
  return isBlob ? state.blob : state.manifest;
}

/** Finds the content that a request asks for, if the registry holds it there. */
function contentFor(state: RegistryFaults, { repository, isBlob, name }: Wanted): Content | undefined {
  if (state.serves && !state.serves.includes(repository)) return undefined;
  const byTag = (name === "v1" && state.tagTo) || tags[name];
  const letter = byTag || Object.keys(contents).find((one) => digestOf(one) === name) || "";
  const content = contents[letter];
  if (!content || isBlob !== ["config", "layer"].includes(content.kind)) return undefined;
  return state.has === undefined || byTag || state.has.includes(letter) ? content : undefined;
}

/** Answers one request, by the details of a registry. */
function serve(state: RegistryFaults, request: RegistryRequest, wanted: Wanted): RegistryAnswer {
  if (!isAllowed(state, request)) return { status: 401, demandsPassword: true };
  if (wanted.isBlob && state.hangBlob) return { fault: "hang" };
  const status = fixedStatus(state, request.method, wanted.isBlob);
  const content = status === undefined ? contentFor(state, wanted) : undefined;
  return content ? { status: 200, content, lacksDigest: state.noDigest === true } : { status: status ?? 404 };
}

const faults = ["refused", "dial-timeout", "hang"] as const;

function answerOf(state: Registry | undefined, request: RegistryRequest, url: URL): RegistryAnswer {
  const fault = faults.find((one) => one === state);
  if (fault) return { fault };
  if (state === undefined) return { fault: "dns" };
  if (typeof state === "number") return { status: state };
  if (state === "plain-http" && url.protocol === "https:") return { fault: "plain-http" };
  const details = typeof state === "string" ? {} : state;
  if (details.cdn) return { status: 200, content: layer };
  return serve(details, request, wantedBy(url.pathname));
}

/** Plays the registries of a vector. */
export function vectorRegistries(
  states: Readonly<Record<string, Registry>>,
): (request: RegistryRequest) => RegistryAnswer {
  const asked = new Map<string, number>();
  return (request) => {
    const url = new URL(request.url);
    const host = /^[a-z]+:\/\/([^/]*)/.exec(request.url)?.[1] ?? "";
    const state = states[host];
    const count = asked.get(host) ?? 0;
    asked.set(host, count + 1);
    const early = typeof state === "object" ? state.seq?.[count] : undefined;
    return early ? { status: early } : answerOf(state, request, url);
  };
}
