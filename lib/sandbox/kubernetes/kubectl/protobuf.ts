import { ApiFailure, badRequest, unsupportedMedia } from "../model/failure.ts";
import { type Fields, timestamp } from "../model/object.ts";
import { type FieldType, messages } from "./protobuf-schema.ts";
import { fieldsOnWire, Malformed } from "./wire-reader.ts";

/** Media type of Kubernetes' protobuf form. */
export const PROTOBUF = "application/vnd.kubernetes.protobuf";

/** First bytes of such a body: "k8s" and a zero byte (k8s.io/apimachinery/pkg/runtime/serializer/protobuf). */
const MAGIC = Buffer.from("k8s\0");

type Value = bigint | Uint8Array;

const bytesOf = (value: Value): Uint8Array => (typeof value === "bigint" ? new Uint8Array() : value);
const textOf = (value: Value): string => Buffer.from(bytesOf(value)).toString("utf8");
const numberOf = (value: Value): number => (typeof value === "bigint" ? Number(BigInt.asIntN(64, value)) : 0);

const partsOf = (value: Value): Map<number, Value> =>
  new Map([...fieldsOnWire(bytesOf(value))].map((field) => [field.number, field.value]));

const partText = (parts: ReadonlyMap<number, Value>, number: number): string =>
  textOf(parts.get(number) ?? new Uint8Array());

/** meta/v1 Time: seconds; a zero time has no fields at all. */
function timeOf(value: Value): string | undefined {
  const seconds = partsOf(value).get(1);
  return seconds === undefined ? undefined : timestamp(numberOf(seconds) * 1000);
}

/** meta/v1 MicroTime: seconds and billionths; a zero time has no fields at all. */
function microTimeOf(value: Value): string | undefined {
  const parts = partsOf(value);
  const [seconds, nanos] = [parts.get(1), numberOf(parts.get(2) ?? 0n)];
  if (seconds === undefined) return undefined;
  const micros = String(Math.floor(nanos / 1000)).padStart(6, "0");
  return timestamp(numberOf(seconds) * 1000).replace("Z", `.${micros}Z`);
}

/** util/intstr IntOrString: 0 is a number, 1 a text. */
function amountOf(value: Value): number | string {
  const parts = partsOf(value);
  return numberOf(parts.get(1) ?? 0n) === 0 ? numberOf(parts.get(2) ?? 0n) : partText(parts, 3);
}

/** A Go type that is a list of texts, such as certificates/v1 ExtraValue: a message whose field 1 is repeated. */
const listOf = (value: Value): string[] => [...fieldsOnWire(bytesOf(value))].map((item) => textOf(item.value));

const scalars: Readonly<Record<string, (value: Value) => unknown>> = {
  text: textOf,
  number: numberOf,
  flag: (value) => numberOf(value) !== 0,
  bytes: (value) => Buffer.from(bytesOf(value)).toString("base64"),
  time: timeOf,
  micro: microTimeOf,
  quantity: (value) => partText(partsOf(value), 1),
  amount: amountOf,
  list: listOf,
  Ignored: () => undefined,
};

const isZero = (value: unknown): boolean => value === "" || value === 0 || value === false || value === undefined;

const read = (type: string, value: Value): unknown =>
  scalars[type]?.(value) ?? (type in scalars ? undefined : message(type, bytesOf(value)));

function put(object: Fields, field: FieldType, wire: Value): void {
  if (field.map) {
    const entry = partsOf(wire);
    object[field.name] = {
      ...(object[field.name] as Fields),
      [partText(entry, 1)]: read(field.type, entry.get(2) ?? new Uint8Array()),
    };
    return;
  }
  const value = read(field.type, wire);
  if (field.name === "-") Object.assign(object, value);
  else if (field.repeated) object[field.name] = [...((object[field.name] as unknown[]) ?? []), value];
  else if (field.keepsZero || !isZero(value)) object[field.name] = value;
}

/** Refuses a field that the schema does not know: it would be lost silently. */
const unknownField = (type: string, number: number): ApiFailure =>
  new ApiFailure(
    415,
    "UnsupportedMediaType",
    `the sandbox's protobuf reader knows no field ${number} of ${type}; send application/json`,
  );

function message(type: string, bytes: Uint8Array): Fields {
  const fields = messages.get(type);
  if (!fields) throw unsupportedMedia(["application/json", "application/yaml"]);
  const object: Fields = {};
  for (const { number, value } of fieldsOnWire(bytes)) {
    const field = fields.get(number);
    if (!field) throw unknownField(type, number);
    put(object, field, value);
  }
  return object;
}

/**
 * Reads an object in Kubernetes' protobuf form, which client-go uses for every type that it has in Go.
 * @throws 400 for invalid bytes, 415 for a kind or a field that this reader does not know
 */
export function decodeProtobuf(body: Uint8Array): Fields {
  if (!Buffer.from(body.subarray(0, 4)).equals(MAGIC)) {
    throw badRequest("provided data does not appear to be a protobuf message, expected prefix 6b 38 73 00");
  }
  try {
    const envelope = partsOf(body.subarray(4));
    const meta = partsOf(envelope.get(1) ?? new Uint8Array());
    const [apiVersion, kind] = [partText(meta, 1), partText(meta, 2)];
    const type = messages.has(`${apiVersion} ${kind}`) ? `${apiVersion} ${kind}` : kind;
    return { apiVersion, kind, ...message(type, bytesOf(envelope.get(2) ?? new Uint8Array())) };
  } catch (error) {
    if (error instanceof Malformed) throw badRequest(error.message);
    throw error;
  }
}
