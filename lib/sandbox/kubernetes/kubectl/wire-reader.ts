/** One field of a protobuf message on the wire: a number for varints, bytes for length-delimited values. */
export interface WireField {
  readonly number: number;
  readonly value: bigint | Uint8Array;
}

/** Thrown for bytes that are not a protobuf message. */
export class Malformed extends Error {
  override readonly name = "Malformed";
}

function varint(bytes: Uint8Array, start: number): { value: bigint; end: number } {
  let value = 0n;
  for (let index = start, shift = 0n; index < bytes.length && shift < 70n; index += 1, shift += 7n) {
    const byte = bytes[index] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return { value, end: index + 1 };
  }
  throw new Malformed("proto: varint overflows or ends early");
}

/**
 * Splits a message into its fields (https://protobuf.dev/programming-guides/encoding/). Kubernetes' messages use only
 * varints and length-delimited values.
 */
export function* fieldsOnWire(bytes: Uint8Array): Generator<WireField> {
  for (let position = 0; position < bytes.length; ) {
    const tag = varint(bytes, position);
    const first = varint(bytes, tag.end);
    const number = Number(tag.value >> 3n);
    const wireType = Number(tag.value & 7n);
    if (wireType === 0) {
      yield { number, value: first.value };
      position = first.end;
      continue;
    }
    const end = first.end + Number(first.value);
    if (wireType !== 2 || end > bytes.length) throw new Malformed(`proto: illegal wireType ${wireType}`);
    yield { number, value: bytes.subarray(first.end, end) };
    position = end;
  }
}
