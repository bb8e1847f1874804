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
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

const EMPTY = "must be non-empty";
const tooLong = (limit: number): string => `must be no more than ${limit} characters`;

/** Lists what is wrong with a text that has a limit and a pattern: both are judged. */
const faultsOf = (text: string, limit: number, pattern: RegExp, rule: string): string[] => [
  ...(text.length > limit ? [tooLong(limit)] : []),
  ...(pattern.test(text) ? [] : [rule]),
];

/** Lists the errors of a name as a DNS subdomain. */
export const subdomainFaults = (name: string): string[] => faultsOf(name, 253, subdomain, subdomainRule);

/** Lists the errors of a name as a DNS label (namespaces, services). */
export const labelFaults = (name: string): string[] => faultsOf(name, 63, label, labelRule);

/** Lists the errors of a name that may be any path segment (RBAC objects). */
export const segmentFaults = (name: string): string[] =>
  name === "." || name === ".." || /[/%]/.test(name) ? ["may not contain '/' or '%', nor be '.' or '..'"] : [];

/** Lists the errors of the key of a label, annotation, taint or finalizer: [prefix/]name (IsQualifiedName). */
export function keyFaults(key: string): string[] {
  const parts = key.split("/");
  if (parts.length > 2)
    return [
      `a qualified name ${namePartRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const [prefix, name = ""] = parts.length === 2 ? parts : [undefined, parts[0]];
  const ofPrefix = prefix === "" ? [EMPTY] : prefix === undefined ? [] : subdomainFaults(prefix);
  const ofName = [...(name === "" ? [EMPTY] : []), ...faultsOf(name, 63, namePart, namePartRule)];
  return [...ofPrefix.map((fault) => `prefix part ${fault}`), ...ofName.map((fault) => `name part ${fault}`)];
}

/** Lists the errors of a label's value. */
export const valueFaults = (value: string): string[] => faultsOf(value, 63, labelValue, labelValueRule);
