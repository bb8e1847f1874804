import { qualified, type ResourceType } from "./resources.ts";

/** One cause in a Status: a field and its error. */
export interface Cause {
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

/** The `details` of a Status. */
export interface Details {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
  readonly retryAfterSeconds?: number;
}

/** An error of the API server, sent as a `Status` object with the same code. */
export class ApiFailure extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: Details;
  /** Seconds that the server tries before it answers. */
  readonly afterSeconds: number;
  constructor(code: number, reason: string, message: string, details: Details = {}, afterSeconds = 0) {
    super(message);
    this.name = "ApiFailure";
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.afterSeconds = afterSeconds;
  }
}

/** An error from before the API's encoders: the response is plain text. */
export class PlainFailure extends ApiFailure {}

/** Returns the same failure with a delay: the server tries for some seconds first. */
export const slowly = ({ code, reason, message, details }: ApiFailure, seconds: number): ApiFailure =>
  new ApiFailure(code, reason, message, details, seconds);

/** Builds the `details` that name a failure's object. */
const about = (type: ResourceType, name: string): Details => ({
  ...(name ? { name } : {}),
  ...(type.group ? { group: type.group } : {}),
  kind: type.plural,
});

// The sentences are those of k8s.io/apimachinery/pkg/api/errors: clients and people match on them.

/** 404 for an object. */
export const notFound = (type: ResourceType, name: string): ApiFailure =>
  new ApiFailure(404, "NotFound", `${qualified(type)} "${name}" not found`, about(type, name));

/** 404 for a path without a resource. */
export const noSuchResource = (): ApiFailure =>
  new ApiFailure(404, "NotFound", "the server could not find the requested resource");

/** 409 for a name that is taken. */
export const alreadyExists = (type: ResourceType, name: string): ApiFailure =>
  new ApiFailure(409, "AlreadyExists", `${qualified(type)} "${name}" already exists`, about(type, name));

/** 409 for a write that is based on another state of the object. */
export const conflict = (type: ResourceType, name: string, why: string): ApiFailure =>
  new ApiFailure(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${qualified(type)} "${name}": ${why}`,
    about(type, name),
  );

/** Reason why a stale resourceVersion is refused. */
export const modified = "the object has been modified; please apply your changes to the latest version and try again";

/** 403 from authorisation or admission. */
export const forbidden = (type: ResourceType, name: string, why: string, causes?: readonly Cause[]): ApiFailure =>
  new ApiFailure(403, "Forbidden", `${qualified(type)}${name ? ` "${name}"` : ""} is forbidden: ${why}`, {
    ...about(type, name),
    ...(causes ? { causes } : {}),
  });

/** 403 for a creation in a namespace that is being deleted (plugin/pkg/admission/namespace/lifecycle). */
export const namespaceTerminating = (type: ResourceType, name: string, namespace: string): ApiFailure =>
  forbidden(type, name, `unable to create new content in namespace ${namespace} because it is being terminated`, [
    {
      reason: "NamespaceTerminating",
      message: `namespace ${namespace} is being terminated`,
      field: "metadata.namespace",
    },
  ]);

/** 400 for an invalid request. */
export const badRequest = (message: string): ApiFailure => new ApiFailure(400, "BadRequest", message);

/** 405 for a verb that the resource does not have. */
export const notAllowed = (): ApiFailure =>
  new ApiFailure(405, "MethodNotAllowed", "the server does not allow this method on the requested resource");

/** 410 for a version or continue token that the server no longer holds. */
export const expired = (message: string): ApiFailure => new ApiFailure(410, "Expired", message);

/** Seconds that the server waits for a version (blockTimeout of the watch cache). */
const VERSION_AWAITED = 3;

/** 504 for a version that the server has not reached (storage.NewTooLargeResourceVersionError). */
export const versionTooLarge = (wanted: string, current: number): ApiFailure => {
  const causes = [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }];
  const said = `Timeout: Too large resource version: ${wanted}, current: ${current}`;
  return slowly(new ApiFailure(504, "Timeout", said, { causes, retryAfterSeconds: 1 }), VERSION_AWAITED);
};

/** 401: the request comes without valid credentials, or with credentials that have expired. */
export const unauthorized = (): ApiFailure => new ApiFailure(401, "Unauthorized", "Unauthorized");

/** 415 of the patch handler. */
export const unsupportedMedia = (accepted: readonly string[]): ApiFailure =>
  new ApiFailure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );

/** 406: none of the forms that the client accepts can be written. */
export const notAcceptable = (accepted: readonly string[]): ApiFailure =>
  new ApiFailure(406, "NotAcceptable", `only the following media types are accepted: ${accepted.join(", ")}`);

/** 422 with one cause per wrong field. */
export function invalid(
  type: Pick<ResourceType, "kind" | "group">,
  name: string,
  causes: readonly Cause[],
): ApiFailure {
  const lines = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const said = lines.length === 1 ? lines[0] : `[${lines.join(", ")}]`;
  const kind = type.group ? `${type.kind}.${type.group}` : type.kind;
  return new ApiFailure(422, "Invalid", `${kind} "${name}" is invalid: ${said}`, {
    ...(name ? { name } : {}),
    ...(type.group ? { group: type.group } : {}),
    ...(type.kind ? { kind: type.kind } : {}),
    causes,
  });
}

/** The field must be given. */
export const required = (field: string, why = ""): Cause => ({
  reason: "FieldValueRequired",
  message: why ? `Required value: ${why}` : "Required value",
  field,
});

/** The field's value is wrong. */
export const wrong = (field: string, value: unknown, why: string): Cause => ({
  reason: "FieldValueInvalid",
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});

/** The field's value is none of those allowed. */
export const unsupported = (field: string, value: unknown, allowed: readonly string[]): Cause => ({
  reason: "FieldValueNotSupported",
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${allowed.map((one) => `"${one}"`).join(", ")}`,
  field,
});

/** The field may not be set or changed. */
export const forbiddenField = (field: string, why: string): Cause => ({
  reason: "FieldValueForbidden",
  message: `Forbidden: ${why}`,
  field,
});

/** Builds the Status object of a failure. */
export const statusOf = (failure: ApiFailure): Record<string, unknown> => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: failure.message,
  ...(failure.reason ? { reason: failure.reason } : {}),
  ...(Object.keys(failure.details).length > 0 ? { details: failure.details } : {}),
  code: failure.code,
});

/** Builds the Status of a success that returns no object. */
export const success = (code: number, details?: Details): Record<string, unknown> => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  ...(details ? { details } : {}),
  ...(code === 201 ? { code } : {}),
});
