import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { pack } from "tar-stream";

/** Content by path, as a tar archive holds it. */
export type TarFiles = Readonly<Record<string, string | Uint8Array>>;

/** An image in the stand-in registry. */
export interface StandInImage {
  /** "okd/scos-release" */
  readonly repository: string;
  /** Digest that names the image: of its index, or of its one manifest. */
  readonly digest: string;
  /** Manifests and layers by digest. */
  readonly objects: ReadonlyMap<string, StandInObject>;
}

/** A manifest or a layer. */
export interface StandInObject {
  readonly bytes: Uint8Array;
  /** Media type of a manifest; null for a layer, which is served by the blobs' address. */
  readonly mediaType: string | null;
}

/** Compression of a layer. */
export type Compression = "gzip" | "zstd";

const digestOf = (bytes: Uint8Array): string => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

/** Packs files into a tar archive; its bytes depend on the files alone. */
export async function tarOf(files: TarFiles): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files))
    archive.entry({ name, mtime: new Date(0) }, Buffer.from(content));
  archive.finalize();
  return buffer(archive);
}

/** Packs and compresses files as publishers of Windows programs do. */
export const tarGzOf = async (files: TarFiles): Promise<Buffer> => gzipSync(await tarOf(files));

const OCI = "application/vnd.oci.image";

interface Layer {
  readonly files: TarFiles;
  readonly compression: Compression;
}

/**
 * Builds an image.
 * @param layers the lowest first
 * @param isIndex puts an index over the manifest, with another one for arm64, as builds for several platforms do
 */
export async function imageOf(repository: string, layers: readonly Layer[], isIndex = false): Promise<StandInImage> {
  const objects = new Map<string, StandInObject>();
  const add = (bytes: Uint8Array, mediaType: string | null): string => {
    objects.set(digestOf(bytes), { bytes, mediaType });
    return digestOf(bytes);
  };
  const addJson = (value: object, mediaType: string): string => add(Buffer.from(JSON.stringify(value)), mediaType);
  const blob = (bytes: Uint8Array, mediaType: string) => ({ mediaType, digest: add(bytes, null), size: bytes.length });
  const described: object[] = [];
  for (const { files, compression } of layers) {
    const tar = await tarOf(files);
    const bytes = compression === "gzip" ? gzipSync(tar) : zstdCompressSync(tar);
    described.push(blob(bytes, `${OCI}.layer.v1.tar+${compression}`));
  }
  const mediaType = `${OCI}.manifest.v1+json`;
  const manifestOf = (architecture: string, layersOf: readonly object[]): string => {
    const config = blob(Buffer.from(JSON.stringify({ os: "linux", architecture })), `${OCI}.config.v1+json`);
    return addJson({ schemaVersion: 2, mediaType, config, layers: layersOf }, mediaType);
  };
  if (!isIndex) return { repository, digest: manifestOf("amd64", described), objects };
  const manifests = ["arm64", "amd64"].map((architecture) => {
    const digest = manifestOf(architecture, architecture === "amd64" ? described : []);
    const size = objects.get(digest)?.bytes.length ?? 0;
    return { mediaType, digest, size, platform: { os: "linux", architecture } };
  });
  const index = `${OCI}.index.v1+json`;
  return { repository, digest: addJson({ schemaVersion: 2, mediaType: index, manifests }, index), objects };
}
