import { AwsError } from "../../core/aws-service.ts";
import type { Simulation } from "../../core/simulation.ts";
import type { Collection } from "../../core/store.ts";
import { type ObjectLock, type Retention, retentionFrom } from "./lock.ts";

/** One version of an object, or the marker of its deletion. */
export interface Version {
  readonly bucket: string;
  readonly key: string;
  readonly id: string;
  /** Increases with every version of the simulator: the larger is the newer. */
  readonly order: number;
  readonly deleted: boolean;
  /** Base64; empty for a marker. */
  readonly content: string;
  readonly size: number;
  readonly etag: string;
  readonly contentType: string;
  /** x-amz-meta-… and checksum headers, returned as they were sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds of sandbox time. */
  readonly modifiedAt: number;
  /** Set in a bucket with Object Lock; a marker of deletion has none (User Guide, "Object Lock considerations"). */
  readonly retention?: Retention;
}

/** Versioned buckets. */
export interface Objects {
  createBucket(name: string, lock?: ObjectLock): void;
  /** Default retention of a bucket; undefined without Object Lock. */
  lockOf(name: string): ObjectLock | undefined;
  /** @throws AwsError NoSuchBucket */
  bucket(name: string): void;
  has(name: string): boolean;
  put(version: Omit<Version, "id" | "order" | "modifiedAt" | "retention">): Version;
  /** Lists every version of a bucket, by key and, within a key, newest first. */
  versions(bucket: string): Version[];
  /** The newest version, which may be a deletion marker. */
  newest(bucket: string, key: string): Version | undefined;
  /** A version by its id. */
  version(bucket: string, key: string, id: string): Version | undefined;
  remove(version: Version): void;
}

const nameOf = (version: Pick<Version, "bucket" | "key" | "id">): string =>
  JSON.stringify([version.bucket, version.key, version.id]);

const byKeyThenAge = (one: Version, other: Version): number =>
  one.key === other.key ? other.order - one.order : one.key < other.key ? -1 : 1;

/** Opens the buckets in the simulator's store. */
export function objects(simulation: Simulation): Objects {
  const { clock, random, store } = simulation;
  const buckets: Collection<{ createdAt: number; lock?: ObjectLock }> = store.collection("s3-buckets");
  const kept: Collection<Version> = store.collection("s3-versions");
  let order = Math.max(0, ...kept.values().map((version) => version.order));
  const versions = (bucket: string): Version[] =>
    kept
      .values()
      .filter((version) => version.bucket === bucket)
      .sort(byKeyThenAge);
  return {
    versions,
    has: (name) => buckets.has(name),
    createBucket: (name, lock) => {
      if (!buckets.has(name)) buckets.set(name, { createdAt: clock.now(), ...(lock ? { lock } : {}) });
    },
    lockOf: (name) => buckets.get(name)?.lock,
    bucket: (name) => {
      if (!buckets.has(name)) throw new AwsError("NoSuchBucket", "The specified bucket does not exist", 404);
    },
    put: (version) => {
      order += 1;
      const lock = version.deleted ? undefined : buckets.get(version.bucket)?.lock;
      const retention = lock ? { retention: retentionFrom(lock, clock.now()) } : {};
      const stored = { ...version, id: random.hex(32), order, modifiedAt: clock.now(), ...retention };
      kept.set(nameOf(stored), stored);
      return stored;
    },
    newest: (bucket, key) => versions(bucket).find((version) => version.key === key),
    version: (bucket, key, id) => kept.get(nameOf({ bucket, key, id })),
    remove: (version) => kept.delete(nameOf(version)),
  };
}
