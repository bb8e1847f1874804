import type { Settings } from "./daemon.ts";
import type { Asked, Vector } from "./vectors.ts";

/** A pull to be made: a vector's, without what is expected. */
export interface PullOrder extends Pick<Vector, "ref" | "registries" | "filesAfterResolve" | "credentials"> {
  /** Files below `config_path`; those that are there stay when it is left out. */
  readonly files?: Vector["files"];
  /** Makes the contents of this pull its own. */
  readonly salt: string;
  readonly settings?: Settings;
  /** The password of `casement` that the proxy accepts from now on; the last one when it is left out. */
  readonly password?: string;
}

/** Record of what a pull was seen to do. */
export interface PullRecord {
  readonly ok: boolean;
  /** CRI's error; empty when the pull succeeded. */
  readonly message: string;
  /** Requests, object by object, with letters for digests. */
  readonly requests: readonly Asked[];
}

/** Options with which a namespace is raised. */
export interface NamespaceOptions {
  readonly program: string;
  readonly version: string;
  readonly folder: string;
  /** Names that resolve there; any other is unknown. */
  readonly hosts: readonly string[];
  /** Root of an unpacked Squid, which then listens at `127.0.0.1:3128`. */
  readonly squid?: string;
}
