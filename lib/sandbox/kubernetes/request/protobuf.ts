import { unsupportedMedia } from "../model/failure.ts";

/** Media type of Kubernetes' protobuf form. */
export const PROTOBUF = "application/vnd.kubernetes.protobuf";

/** placeholder until kubectl was watched */
export function decodeProtobuf(_body: Uint8Array): unknown {
  throw unsupportedMedia(["application/json", "application/yaml"]);
}
