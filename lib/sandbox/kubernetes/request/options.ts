import { badRequest, type Cause, forbiddenField, invalid, unsupported } from "../model/failure.ts";

/** The options that each verb accepts (meta/v1). */
const kinds: Readonly<Record<string, string>> = {
  create: "CreateOptions",
  update: "UpdateOptions",
  patch: "PatchOptions",
  delete: "DeleteOptions",
  deletecollection: "DeleteOptions",
  list: "ListOptions",
};

const fieldValidations = ["", "Ignore", "Strict", "Warn"];
const matches = ["Exact", "NotOlderThan"];
const propagations = ["Background", "Foreground", "Orphan"];
const APPLY = "application/apply-patch+yaml";

const oneOf = (query: URLSearchParams, field: string, allowed: readonly string[]): Cause[] =>
  query
    .getAll(field)
    .filter((value) => !allowed.includes(value))
    .map((value) => unsupported(field, value, allowed));

function listCauses(query: URLSearchParams): Cause[] {
  if (!query.get("resourceVersionMatch")) return [];
  const forbidden = (why: string): Cause => forbiddenField("resourceVersionMatch", `resourceVersionMatch ${why}`);
  return [
    ...(query.get("resourceVersion") ? [] : [forbidden("is forbidden unless resourceVersion is provided")]),
    ...(query.get("continue") ? [forbidden("is forbidden when continue is provided")] : []),
    ...oneOf(query, "resourceVersionMatch", matches),
  ];
}

/** Checks dryRun, a list of stages: the error shows the whole list. */
function dryRunCauses(query: URLSearchParams): Cause[] {
  const stages = query.getAll("dryRun");
  return stages.every((stage) => stage === "All") ? [] : [unsupported("dryRun", stages, ["All"])];
}

const writeCauses = (query: URLSearchParams, mediaType: string): Cause[] => [
  ...dryRunCauses(query),
  ...oneOf(query, "fieldValidation", fieldValidations),
  ...oneOf(query, "propagationPolicy", propagations),
  ...(query.has("force") && mediaType !== APPLY && mediaType !== ""
    ? [forbiddenField("force", "may not be specified for non-apply patch")]
    : []),
];

const INTEGERS = ["limit", "timeoutSeconds", "gracePeriodSeconds"];

/** Throws 400 for a parameter that must be a number and is not, with the error of Go's strconv. */
function checkNumbers(query: URLSearchParams): void {
  for (const field of INTEGERS) {
    const value = query.get(field);
    if (value && !/^-?\d+$/.test(value)) throw badRequest(`strconv.ParseInt: parsing "${value}": invalid syntax`);
  }
  const version = query.get("resourceVersion");
  if (version && !/^\d+$/.test(version))
    throw badRequest(
      `resourceVersion: Invalid value: "${version}": strconv.ParseUint: parsing "${version}": invalid syntax`,
    );
}

/**
 * Checks the parameters of a request (k8s.io/apimachinery/pkg/apis/meta/v1/validation): a misspelt dry run must not
 * become a change.
 * @param patchType media type of a patch, "" for any other request
 * @throws 400, 422
 */
export function checkOptions(verb: string, query: URLSearchParams, patchType: string): void {
  checkNumbers(query);
  const kind = kinds[verb];
  if (!kind) return;
  const causes = verb === "list" ? listCauses(query) : writeCauses(query, patchType);
  if (causes.length > 0) throw invalid({ kind, group: "meta.k8s.io" }, "", causes);
}
