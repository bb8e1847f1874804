import { type Content, contentsOf, type Images, type Letter } from "./images.ts";
import type { Registry, RegistryFaults } from "./vectors.ts";

/** A request, as far as a registry decides by it. */
export interface Question {
  readonly method: string;
  readonly path: string;
  /** Values of the Authorization headers. */
  readonly authorizations: readonly string[];
  /** First byte that a Range header asks for. */
  readonly from?: number;
}

/** An answer; `ends` is the offset in the content behind which the connection breaks. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content?: Buffer;
  readonly from?: number;
  readonly ends?: number;
}

/** Answer of a registry, or `hang` for a request that it leaves unanswered. */
export type Reaction = Answer | "hang";

/** Memory of a registry from one request to the next: how many it has had. */
export interface Memory {
  requests: number;
}

interface Named {
  readonly repository: string;
  readonly kind: "manifests" | "blobs";
  readonly reference: string;
}

/** A page as a proxy's login or a wrong address answers it. */
const page = Buffer.from("<html><body>Sign in</body></html>\n");

/** The body of an error, as the distribution API words it. */
const notFound = Buffer.from('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}\n');

const tags: Readonly<Record<string, Letter>> = { v1: "M", latest: "M", index: "I", foreign: "F" };

const missing: Answer = { status: 404 };

/** Adds the body that the distribution API puts into errors, where the registry does so. */
const explained = (faults: RegistryFaults, answer: Answer): Answer =>
  faults.errBody ? { ...answer, headers: { "content-type": "application/json" }, content: notFound } : answer;

function named(path: string): Named | undefined {
  const [, repository, kind, reference] = /^(.*)\/(manifests|blobs)\/([^/]+)$/.exec(path) ?? [];
  if (repository === undefined || reference === undefined) return undefined;
  return { repository, kind: kind as Named["kind"], reference };
}

/** Refuses who does not show the credentials or the token that the registry demands. */
function challenge({ basic, bearer }: RegistryFaults, { authorizations }: Question): Answer | undefined {
  const demanded = basic ? `Basic ${Buffer.from(basic).toString("base64")}` : "Bearer tok";
  if ((!basic && !bearer) || authorizations.includes(demanded)) return undefined;
  const scheme = basic
    ? 'Basic realm="registry"'
    : `Bearer realm="${bearer}",service="reg",scope="repository:team/app:pull"`;
  return { status: 401, headers: { "www-authenticate": scheme } };
}

/** The status that a registry answers to this kind of request, whatever it holds. */
function refusal(faults: RegistryFaults, method: string, { kind }: Named): Answer | undefined {
  const status = method === "HEAD" ? faults.head : kind === "manifests" ? faults.manifest : faults.blob;
  return status ? explained(faults, { status }) : undefined;
}

function found(faults: RegistryFaults, images: Images, reference: string): readonly [Letter, Content] | undefined {
  const tag = tags[reference] && (faults.tagTo ?? tags[reference]);
  const entry = contentsOf(images).find(([letter, { digest }]) => letter === tag || digest === reference);
  return entry && (!faults.has || faults.has.includes(entry[0])) ? entry : undefined;
}

/** Gives a content from the byte that was asked for, broken off where the registry does. */
function give(faults: RegistryFaults, { bytes, mediaType, digest }: Content, from?: number): Answer {
  const ends = faults.stuckAt ?? (faults.cut === undefined ? bytes.length : (from ?? 0) + faults.cut);
  const headers: Record<string, string> = { "content-type": mediaType };
  if (!faults.noDigest) headers["docker-content-digest"] = digest;
  if (from !== undefined) headers["content-range"] = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
  const content = faults.wrongBlob && mediaType.includes("config") ? Buffer.alloc(bytes.length, " ") : bytes;
  return { status: from === undefined ? 200 : 206, headers, content, from: from ?? 0, ends };
}

/** Looks for what is asked for, which stands under `blobs` or under `manifests` but not under both. */
function lookUp(faults: RegistryFaults, images: Images, { kind, reference }: Named, from?: number): Answer {
  const [letter, held] = found(faults, images, reference) ?? [];
  const isBlob = letter === "C" || letter === "L";
  if (!held || isBlob !== (kind === "blobs")) return explained(faults, missing);
  return isBlob && faults.redirect
    ? { status: 307, headers: { location: `${faults.redirect}/${letter}` } }
    : give(faults, held, from);
}

/** Answers by the distribution API. */
function distribution(faults: RegistryFaults, images: Images, question: Question): Reaction {
  const name = named(question.path);
  if (!name || (faults.serves && !faults.serves.includes(name.repository))) return missing;
  if (faults.hangBlob && name.kind === "blobs") return "hang";
  const refused = challenge(faults, question) ?? refusal(faults, question.method, name);
  if (refused) return refused;
  if (faults.html) return { status: 200, headers: { "content-type": "text/html" }, content: page };
  return lookUp(faults, images, name, question.from);
}

/** Answers a storage service: contents by their letters, and the layer that manifest F names by address. */
function storage(images: Images, { path }: Question): Answer {
  const content = path === "/layer" ? images.L : images[path.slice(1) as Letter];
  return content ? { status: 200, content: content.bytes } : missing;
}

const token: Answer = {
  status: 200,
  headers: { "content-type": "application/json" },
  content: Buffer.from('{"token":"tok","access_token":"tok","expires_in":300}'),
};

/** Decides what a registry does with one request. */
export function reaction(registry: Registry, images: Images, question: Question, memory: Memory): Reaction {
  if (registry === "hang") return "hang";
  if (typeof registry === "number") return { status: registry };
  const faults = typeof registry === "object" ? registry : {};
  const first = faults.seq?.[memory.requests++];
  if (first) return { status: first };
  if (faults.token) return token;
  return faults.cdn ? storage(images, question) : distribution(faults, images, question);
}
