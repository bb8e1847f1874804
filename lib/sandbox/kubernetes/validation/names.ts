// Rules and messages of k8s.io/apimachinery/pkg/util/validation 0.34 (from 0.35 on lengths are counted in bytes).

const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const namePart = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

const subdomainRule =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelRule =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const namePartRule =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const tooLong = (limit: number): string => `must be no more than ${limit} characters`;

/** Finds the error of a name as a DNS subdomain; undefined for a valid one. */
export function subdomainFault(name: string): string | undefined {
  if (name.length > 253) return tooLong(253);
  return subdomain.test(name) ? undefined : subdomainRule;
}

/** Finds the error of a name as a DNS label (namespaces, services). */
export function labelFault(name: string): string | undefined {
  if (name.length > 63) return tooLong(63);
  return label.test(name) ? undefined : labelRule;
}

/** Finds the error of a name that may be any path segment (RBAC objects). */
export const segmentFault = (name: string): string | undefined =>
  name === "." || name === ".." || /[/%]/.test(name) ? "may not contain '/' or '%', nor be '.' or '..'" : undefined;

/** Finds the error of the key of a label, annotation, taint or finalizer: [prefix/]name. */
export function keyFault(key: string): string | undefined {
  const parts = key.split("/");
  if (parts.length > 2)
    return `a qualified name ${namePartRule.slice("name part ".length)} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
  const [prefix, name] = parts.length === 2 ? parts : [undefined, parts[0]];
  if (prefix === "") return "prefix part must be non-empty";
  if (prefix !== undefined && subdomainFault(prefix)) return `prefix part ${subdomainFault(prefix)}`;
  if (!name) return "name part must be non-empty";
  if (name.length > 63) return `name part ${tooLong(63)}`;
  return namePart.test(name) ? undefined : namePartRule;
}

/** Finds the error of a label's value. */
export function valueFault(value: string): string | undefined {
  if (value.length > 63) return tooLong(63);
  return labelValue.test(value) ? undefined : labelValueRule;
}
