import { createHash } from "node:crypto";

/** A manifest, config or layer, as registries hold it. */
export interface Content {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly digest: string;
}

/**
 * The letters of the vectors: manifest M, config C, layer L, list I, a second manifest N without layers, a manifest F
 * whose layer has `urls`.
 */
export type Letter = "M" | "C" | "L" | "I" | "N" | "F";

/** The contents of one pull. The config of N is one more: a C too, but it names no layers either. */
export interface Images extends Readonly<Record<Letter, Content>> {
  readonly emptyConfig: Content;
}

/** Every content with its letter. */
export const contentsOf = ({ emptyConfig, ...lettered }: Images): readonly (readonly [Letter, Content])[] => [
  ...(Object.entries(lettered) as [Letter, Content][]),
  ["C", emptyConfig],
];

/** Size of the layer: vectors cut it at 500 and 1,000 bytes. */
const LAYER_BYTES = 1200;
const TAR_HEADER = 512;

const OCI = "application/vnd.oci.image";

const content = (mediaType: string, bytes: Buffer): Content => ({
  mediaType,
  bytes,
  digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}`,
});

const json = (mediaType: string, value: object): Content => content(mediaType, Buffer.from(JSON.stringify(value)));

const descriptor = ({ mediaType, bytes, digest }: Content, more: object = {}): object => ({
  mediaType,
  digest,
  size: bytes.length,
  ...more,
});

/** A tar archive (ustar) of one file; without padding, which Go's reader does not ask for. */
function archive(text: string): Buffer {
  const file = Buffer.alloc(LAYER_BYTES - TAR_HEADER, text);
  const header = Buffer.alloc(TAR_HEADER);
  const fields: readonly (readonly [offset: number, value: string])[] = [
    [0, "file"],
    [100, "0000644\0"],
    [108, "0000000\0"],
    [116, "0000000\0"],
    [124, `${file.length.toString(8).padStart(11, "0")}\0`],
    [136, "00000000000\0"],
    [148, "        "],
    [156, "0"],
    [257, "ustar\x0000"],
  ];
  for (const [offset, value] of fields) header.write(value, offset, "latin1");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return Buffer.concat([header, file]);
}

/** Addresses at which the layer lies, by manifest F. */
const urls = ["https://urls-1.example/layer", "https://urls-2.example/layer"];

/** The platform's architecture in Go's words. */
export const architecture = process.arch === "x64" ? "amd64" : process.arch;

/**
 * Makes the contents of one pull.
 * @param salt makes every digest its own: containerd does not fetch again what an earlier pull has left
 */
export function imagesOf(salt: string): Images {
  const layer = content(`${OCI}.layer.v1.tar`, archive(`${salt}\n`));
  const platform = { architecture, os: "linux" };
  const configOf = (layers: readonly Content[]): Content =>
    json(`${OCI}.config.v1+json`, {
      ...platform,
      author: salt,
      rootfs: { type: "layers", diff_ids: layers.map(({ digest }) => digest) },
    });
  const manifestOf = (config: Content, layers: readonly object[]): Content =>
    json(`${OCI}.manifest.v1+json`, {
      schemaVersion: 2,
      mediaType: `${OCI}.manifest.v1+json`,
      config: descriptor(config),
      layers,
    });
  const C = configOf([layer]);
  const emptyConfig = configOf([]);
  const M = manifestOf(C, [descriptor(layer)]);
  const N = manifestOf(emptyConfig, []);
  const F = manifestOf(C, [descriptor(layer, { urls })]);
  const manifests = [descriptor(N, { platform: { architecture: "s390x", os: "linux" } }), descriptor(M, { platform })];
  const I = json(`${OCI}.index.v1+json`, { schemaVersion: 2, mediaType: `${OCI}.index.v1+json`, manifests });
  return { M, C, L: layer, I, N, F, emptyConfig };
}
