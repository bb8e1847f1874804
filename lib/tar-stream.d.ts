// The part of tar-stream 3 that is used here; the package brings no types.
declare module "tar-stream" {
  interface TarHeader {
    readonly name: string;
    readonly size?: number;
    readonly type?: string;
    readonly linkname?: string;
  }

  interface TarEntry extends AsyncIterable<Buffer> {
    readonly header: TarHeader;
    resume(): void;
  }

  interface Pack extends NodeJS.ReadableStream, AsyncIterable<Buffer> {
    entry(header: TarHeader & { readonly mtime?: Date }, content: Uint8Array | string): void;
    finalize(): void;
  }

  interface Extract extends NodeJS.WritableStream, AsyncIterable<TarEntry> {
    destroy(error?: Error): void;
  }

  export function extract(): Extract;
  export function pack(): Pack;
}
