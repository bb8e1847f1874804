import { sha256 } from "../../cluster/authorities.ts";
import { proxySecret } from "../../cluster/proxy-secret.ts";
import type { Configuration } from "../../configuration/configuration.ts";
import { NO_NODE_CHANGED, Refused } from "../../errors.ts";
import { nodesDeniedByProxy } from "../../health/proxy-denials.ts";
import type { SecretVersion } from "../../machine/actions.ts";
import type { Action } from "../../machine/plan.ts";
import { typeThis } from "../../messages/command/syntax.ts";
import type { SentInput } from "../../records/machine-record.ts";
import type { FoundObjects, Input, InputFacts, ObjectReference, TextFile } from "../input.ts";
import { confirmedPaths, expectationAt, refuseEmptied, removedPaths } from "../sent-files.ts";
import { readsOf, textOfKey } from "../sources.ts";
import { type ProxySettings, proxyFile, servedProxy } from "./settings.ts";
import { byRemoval, proxyVariables, variableAt, variableFiles } from "./variables.ts";

const served: ObjectReference = {
  group: "config.openshift.io",
  version: "v1",
  plural: "proxies",
  kind: "Proxy",
  name: "cluster",
};

/**
 * Reads the proxy of a cluster.
 * @param found objects of each reference of `reads`
 * @throws Refused that names the object and the field of a wrong value
 */
function proxyFrom(found: FoundObjects, configuration: Pick<Configuration, "cluster">): ProxySettings {
  const source = textOfKey(found, configuration, "proxy.yaml");
  return source === null ? servedProxy(found[0]?.[0]) : proxyFile(source.text, source.from);
}

const setting = (
  path: string,
  value: Extract<Action, { do: "service-variable" }>["value"],
  sent: SentInput | undefined,
): Action => ({ do: "service-variable", ...variableAt(path), value, ...expectationAt(path, sent) });

/** Value of a variable; the machine fills one with a user and a password. */
const plannedValue = ({ text, secret }: TextFile) =>
  secret ? { from: "template" as const, base64: Buffer.from(text).toString("base64"), ...secret } : text;

/** Users and passwords of a proxy, as its secret has them. */
const credentialsOf = ({ http, https }: ProxySettings): Readonly<Record<string, string>> => ({
  ...(http?.credential ? { http: http.credential } : {}),
  ...(https?.credential ? { https: https.credential } : {}),
});

/** The version of the secret that fills the content's holes. @throws Refused as long as the secret has no value */
function secretFor(settings: ProxySettings, { secret }: InputFacts): SecretVersion | undefined {
  if (Object.keys(credentialsOf(settings)).length === 0) return undefined;
  if (secret) return { secretId: secret.secretId, version: secret.version };
  throw new Refused(
    `the password of the cluster's proxy is not stored for the machines yet, ${NO_NODE_CHANGED}; the schedule proxy stores it within five minutes`,
  );
}

/**
 * @throws Refused if the file has no proxy any more, which a person has not asked for. An object without a proxy is the
 * decision of whoever edited it.
 */
function checkProxyLeft({ http, https }: ProxySettings, facts: InputFacts): void {
  const hadAny = confirmedPaths(facts.given).size > 0;
  if (http || https || !hadAny || facts.configuration.cluster.inputs === "openshift") return;
  refuseEmptied(facts, "the cluster has no proxy any more, but nodes have its variables");
}

/**
 * The cluster's proxy: variables in the environment of the services that pull images. Writing them disturbs nothing,
 * because a service's process reads them when it starts.
 */
export const proxyInput: Input & { readonly name: "proxy" } = {
  name: "proxy",
  rule: "proxy",
  request: { command: "reconcile", targets: { kind: "all" }, dryRun: false },
  identityOf: (files) => sha256(JSON.stringify(files.map(({ path, text, secret }) => [path, text, secret?.version]))),
  secretOf: ({ cluster }) => proxySecret(cluster.name),
  secretFields: (found, configuration) => credentialsOf(proxyFrom(found, configuration)),
  reads: readsOf([served]),
  content: (found, facts) => {
    const settings = proxyFrom(found, facts.configuration);
    checkProxyLeft(settings, facts);
    const files = variableFiles(proxyVariables(settings, facts.configuration.cluster), secretFor(settings, facts));
    return { sha256: proxyInput.identityOf(files), files };
  },
  actions: (content, sent) => [
    ...content.files.map((file) => setting(file.path, plannedValue(file), sent)),
    ...removedPaths(content, sent, () => false)
      .toSorted(byRemoval)
      .map((path) => setting(path, null, sent)),
  ],
  keeps: () => false,
  // They pull nothing until they have another password.
  urgentNodes: nodesDeniedByProxy,
  isWithout: ({ files }) => files.length === 0,
  comparedFile: () => null,
  proof: "applied",
  isUndone: true,
  retryHours: { change: 1, proof: null },
  waitsForStops: true,
  words: {
    kind: "proxy",
    noun: "proxy",
    title: "Proxy",
    explains:
      "The cluster's proxy changed; containerd and the kubelet use it from their next start, so nodes that run need a reboot.",
    failed: "The proxy could not be written",
    consequence: "A node that failed pulls as before.",
    runbook: "docs/runbook.md#proxy",
    next: `${typeThis("proxy")} shows every node`,
    unread: "The proxy cannot be kept up to date",
    meanwhile: "Nodes keep the proxy that they have.",
    readAgain: "The proxy is kept up to date again.",
    change: "write the variables of the proxy",
    emptied: "Variables that Casement set before would be removed.",
    written: "proxy written",
    left: "the node pulls as before; {win} proxy shows it",
  },
};
