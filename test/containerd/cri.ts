import { type ClientHttp2Session, connect, constants } from "node:http2";
import { connect as connectSocket } from "node:net";
import type { Credentials } from "./vectors.ts";

/** Result of a call of CRI: gRPC's status (0 is OK) and its message. */
export interface CallResult {
  readonly status: number;
  readonly message: string;
}

const LENGTH_DELIMITED = 2;

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}

/** Encodes a field of protobuf that holds text or another message. */
function field(number: number, value: string | Buffer | undefined): Buffer {
  if (value === undefined) return Buffer.alloc(0);
  const bytes = Buffer.from(value);
  return Buffer.concat([Buffer.from([...varint((number << 3) | LENGTH_DELIMITED), ...varint(bytes.length)]), bytes]);
}

/** Encodes runtime.v1.PullImageRequest (cri-api/pkg/apis/runtime/v1/api.proto). */
function pullRequest(image: string, credentials?: Credentials): Buffer {
  const spec = field(1, image);
  const auth =
    credentials &&
    Buffer.concat([
      field(1, credentials.username),
      field(2, credentials.password),
      field(4, credentials.serverAddress),
    ]);
  return Buffer.concat([field(1, spec), field(2, auth)]);
}

/** Puts gRPC's prefix before a message: not compressed, its length. */
function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Opens containerd's socket. */
export const openCri = (path: string): ClientHttp2Session =>
  connect("http://localhost", { createConnection: () => connectSocket(path) });

/** gRPC's status of a call that its client gave up. */
const CANCELLED = 1;

/**
 * Calls one method of runtime.v1.ImageService.
 * @param signal gives the call up, as a kubelet does whose deadline has passed
 */
function call(session: ClientHttp2Session, method: string, message: Buffer, signal: AbortSignal): Promise<CallResult> {
  const { promise, resolve, reject } = Promise.withResolvers<CallResult>();
  const stream = session.request({
    ":method": "POST",
    ":path": `/runtime.v1.ImageService/${method}`,
    "content-type": "application/grpc",
    te: "trailers",
  });
  const noteResult = (headers: Readonly<Record<string, unknown>>): void => {
    if (headers["grpc-status"] === undefined) return;
    const text = decodeURIComponent(String(headers["grpc-message"] ?? ""));
    resolve({ status: Number(headers["grpc-status"]), message: text });
  };
  const giveUp = (): void => stream.close(constants.NGHTTP2_CANCEL);
  signal.addEventListener("abort", giveUp, { once: true });
  stream.on("response", noteResult);
  stream.on("trailers", noteResult);
  stream.on("error", reject);
  stream.on("close", () => resolve({ status: CANCELLED, message: "given up" }));
  stream.resume();
  stream.end(framed(message));
  return promise.finally(() => signal.removeEventListener("abort", giveUp));
}

/** Asks for an image, as the kubelet does. */
export const pullImage = (
  session: ClientHttp2Session,
  order: { readonly image: string; readonly credentials?: Credentials | undefined },
  signal: AbortSignal,
): Promise<CallResult> => call(session, "PullImage", pullRequest(order.image, order.credentials), signal);

/** Lists images: containerd answers it as soon as its CRI serves. */
export const listImages = (session: ClientHttp2Session, signal: AbortSignal): Promise<CallResult> =>
  call(session, "ListImages", Buffer.alloc(0), signal);
