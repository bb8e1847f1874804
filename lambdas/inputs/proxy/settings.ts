import { z } from "zod";
import { NO_NODE_CHANGED, Refused } from "../../errors.ts";
import { shapeFaultOf } from "../shape-fault.ts";
import { documentsIn, lineOf } from "../yaml-lines.ts";
import { type ProxyAddress, proxyAddressOf } from "./address.ts";
import { entryFault, exemptsAll, wrongEntry } from "./no-proxy.ts";

/** Names of the fields, in the object and in the file. */
const fields = ["httpProxy", "httpsProxy", "noProxy"] as const;
type Field = (typeof fields)[number];

const text = z.string().nullish();
const shape = { httpProxy: text, httpsProxy: text, noProxy: text };
type Values = { readonly [Name in Field]?: string | null | undefined };

/** A cluster's proxy. */
export interface ProxySettings {
  /** Null if requests by http need no proxy. */
  readonly http: ProxyAddress | null;
  /** Null if requests by https need no proxy. */
  readonly https: ProxyAddress | null;
  /** Entries that need no proxy, with commas between them. */
  readonly noProxy: string;
}

/** Settings of a cluster without a proxy. */
const none: ProxySettings = { http: null, https: null, noProxy: "" };

/**
 * Users and passwords that a machine takes from a secret (Get-FilledText of files.ps1). Go ignores a proxy whose address has a
 * percent sign without two digits behind it, and asks without the proxy (net/url, unescape; httpproxy, config.init).
 */
const CREDENTIAL = /^(?:[A-Za-z0-9+=:._~-]|%[0-9A-Fa-f]{2})+$/;

/** Makes the refusal of a field's value. */
type Refuse = (field: Field, message: string) => Refused;

function addressIn(values: Values, field: "httpProxy" | "httpsProxy", refuse: Refuse): ProxyAddress | null {
  const value = values[field]?.trim();
  if (!value) return null;
  const address = proxyAddressOf(value);
  if (typeof address === "string") throw refuse(field, address);
  if (address.credential !== null && !CREDENTIAL.test(address.credential))
    throw refuse(
      field,
      "user and password may have letters, digits and -._~+=:, and %20 and the like for others, %25 for a percent sign",
    );
  return address;
}

/** @throws Refused that names the field of a wrong value */
function settingsOf(values: Values, refuse: Refuse): ProxySettings {
  const noProxy = values.noProxy ?? "";
  const wrong = wrongEntry(noProxy);
  if (wrong !== undefined) throw refuse("noProxy", entryFault(wrong));
  if (exemptsAll(noProxy)) return none;
  const [http, https] = [addressIn(values, "httpProxy", refuse), addressIn(values, "httpsProxy", refuse)];
  return http || https ? { http, https, noProxy } : none;
}

/** Object of OpenShift with the cluster's proxy. */
const proxyName = "Proxy/cluster";

// Only the status holds for the cluster: an operator validates the specification first (openshift/api, config/v1).
const served = z.object({ spec: z.object(shape).nullish(), status: z.object(shape).nullish() });

/**
 * Reads the cluster's object.
 * @throws Refused that names the field of a wrong value, or if the specification names a proxy and the status none
 */
export function servedProxy(value: unknown): ProxySettings {
  const refuse = (path: string, message: string): Refused =>
    new Refused(`${proxyName}: ${path}: ${message}, ${NO_NODE_CHANGED}`);
  const { success, data, error } = served.safeParse(value);
  if (!success) {
    const { path, message } = shapeFaultOf(error);
    throw refuse(path.join(".") || "the object", message);
  }
  const settings = settingsOf(data.status ?? {}, (field, message) => refuse(`status.${field}`, message));
  const isWanted = Boolean(data.spec?.httpProxy || data.spec?.httpsProxy) && !exemptsAll(data.spec?.noProxy ?? "");
  if (settings === none && isWanted) throw refuse("status", "names no proxy, but the specification does");
  return settings;
}

/**
 * Reads the file of a cluster without this object.
 * @param from source of the text, for the error message
 * @throws Refused that names the line and the field of a wrong value
 */
export function proxyFile(yaml: string, from: string): ProxySettings {
  const { events, documents } = documentsIn(yaml, from);
  const refuse = (path: readonly PropertyKey[], message: string): Refused => {
    const field = path.length > 0 ? `${path.join(".")}: ` : "";
    return new Refused(`${from}: line ${lineOf(yaml, events, [0, ...path])}: ${field}${message}, ${NO_NODE_CHANGED}`);
  };
  const [value, ...others] = documents.filter((one) => one !== null);
  if (others.length > 0) throw refuse([], "one document is expected");
  const { success, data, error } = z.strictObject(shape).safeParse(value ?? {});
  if (success) return settingsOf(data, (field, message) => refuse([field], message));
  const { path, message } = shapeFaultOf(error);
  throw refuse(path, message);
}
