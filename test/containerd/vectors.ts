import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A registry's behaviour; each field is explained where `answers.ts` obeys it. */
export interface RegistryFaults {
  readonly head?: number;
  readonly manifest?: number;
  readonly blob?: number;
  readonly seq?: readonly number[];
  readonly serves?: readonly string[];
  readonly has?: string;
  readonly basic?: string;
  readonly bearer?: string;
  readonly token?: boolean;
  readonly redirect?: string;
  readonly cdn?: boolean;
  readonly noDigest?: boolean;
  readonly html?: boolean;
  readonly wrongBlob?: boolean;
  readonly cut?: number;
  readonly stuckAt?: number;
  readonly hangBlob?: boolean;
  readonly tagTo?: "N";
  readonly errBody?: boolean;
}

/** A registry: healthy, a status that it answers to everything, a fault of its network, or faults one by one. */
export type Registry = "up" | "refused" | "dial-timeout" | "hang" | "plain-http" | number | RegistryFaults;

/** Everything that a request carried besides its line: each Authorization header, other headers that are not Go's own, a body. */
export interface Carried {
  readonly auth?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The proxy made the connection. */
  readonly via?: "proxy";
}

/** A request with its answer: a status, or what became of it. */
export type Asked = readonly [method: string, url: string, answer: number | string, carried?: Carried];

/** A pull secret, as the kubelet hands it to containerd. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
  readonly serverAddress?: string;
}

/** One case of `vectors-2.json`: files, registries and a reference, and the requests that containerd makes of them. */
export interface Vector {
  readonly id: string;
  readonly shows: string;
  readonly files: Readonly<Record<string, string>>;
  readonly filesAfterResolve?: Readonly<Record<string, string>>;
  readonly ref: string;
  /** The reference with its registry and tag, where it lacks one. */
  readonly normalizedRef?: string;
  readonly registries: Readonly<Record<string, Registry>>;
  readonly credentials?: Credentials;
  readonly criHeaders?: Readonly<Record<string, string>>;
  readonly configPathIsList?: boolean;
  readonly requests: readonly (readonly [string, string, number | string, (Carried & { times?: number })?])[];
  readonly result: Outcome;
  /** The answers of 1.6.20, if they differ. */
  readonly v1_6_20?: { readonly requests: Vector["requests"]; readonly result?: Outcome };
}

/** End of a pull. */
export interface Outcome {
  readonly ok: boolean;
  readonly stage?: string;
  readonly error?: string;
}

/** A case that 1.7.24 was seen to answer otherwise than 2.2.0: methods with addresses, and the outcome. */
export interface OlderRow {
  readonly id: string;
  readonly requests: readonly string[];
  readonly ok: boolean;
}

const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, name), "utf8"));

/** The answers of containerd 2.2.0. */
export const vectors: readonly Vector[] = read("vectors-2.json");

/** The answers of 1.7.24 that differ. */
export const olderRows: readonly OlderRow[] = read("vectors-1.7.json").rows;

/** The names of hosts in vectors' registries, each once. */
export const hostsOf = (some: readonly Pick<Vector, "registries">[]): readonly string[] => [
  ...new Set(
    some.flatMap(({ registries }) => Object.keys(registries).map((host) => host.replace(/:\d+$/, "").toLowerCase())),
  ),
];
