import { z } from "zod";
import { authoritiesIn, lostAuthority, sha256 } from "../cluster/authorities.ts";
import { KUBELET_CLIENTS } from "../cluster/node-keys.ts";
import type { Configuration } from "../configuration/configuration.ts";
import { NO_NODE_CHANGED, Refused } from "../errors.ts";
import { textFile } from "../machine/actions.ts";
import { typeThis } from "../messages/command/syntax.ts";
import { profileOf } from "../profiles/list.ts";
import type { Input, ObjectReference } from "./input.ts";

/** The object that publishes the authorities behind the API server's calls to kubelets. */
export const controllerConfig = {
  group: "machineconfiguration.openshift.io",
  version: "v1",
  plural: "controllerconfigs",
  kind: "ControllerConfig",
  name: "machine-config-controller",
} as const satisfies ObjectReference;

const OBJECT = `${controllerConfig.kind} ${controllerConfig.name}`;
const FIELD = `${OBJECT}, spec.kubeAPIServerServingCAData,`;

/** openshift/api, machineconfiguration/v1: base64, like every []byte. WMCO reads the same field. */
const shape = z.object({ spec: z.object({ kubeAPIServerServingCAData: z.string() }) });

/** Reads the bundle of a ControllerConfig. @returns PEM; empty for an object of another shape */
export const publishedBundle = (found: unknown): string =>
  Buffer.from(shape.safeParse(found).data?.spec.kubeAPIServerServingCAData ?? "", "base64").toString("utf8");

/**
 * Reads the authorities of a published bundle.
 * @param then consequence of an unreadable bundle, for the error message
 * @throws Refused if the bundle cannot be read
 */
export const publishedAuthorities = (pem: string, then?: string) => authoritiesIn(pem, FIELD, then);

const fileOf = (configuration: Configuration): string => profileOf(configuration).kubeletClients("").path;

/**
 * The authorities by which kubelets verify the API server. The cluster replaces them about once a year, and kubelets
 * reload the file without a restart.
 */
export const kubeletClientsInput: Input = {
  name: "kubeletClients",
  rule: "authority",
  request: { command: "authority" },
  // The annotation of Nodes and the records of the last release have the hash of the file.
  identityOf: ([file]) => sha256(file?.text ?? ""),
  reads: () => [controllerConfig],
  content: (found, { configuration, given, now }) => {
    const pem = publishedBundle(found[0]?.[0]);
    const authorities = publishedAuthorities(pem, NO_NODE_CHANGED);
    const lost = lostAuthority(
      authorities,
      given.map((one) => one.authorities ?? []),
      now,
    );
    if (lost)
      throw new Refused(
        `${OBJECT} holds fewer authorities than nodes were given: ${lost.subject}, valid until ${lost.notAfter}, is missing, ${NO_NODE_CHANGED}`,
      );
    return { sha256: sha256(pem), files: [{ path: fileOf(configuration), text: pem }], authorities };
  },
  actions: ({ files }) => files.map(({ path, text }) => textFile(path, text)),
  keeps: () => false,
  isWithout: () => false,
  comparedFile: fileOf,
  proof: "log",
  isUndone: false,
  retryHours: { change: 1, proof: 24 },
  waitsForStops: false,
  annotation: KUBELET_CLIENTS,
  words: {
    kind: "authority",
    noun: "authority",
    title: "Kubelets' client authority",
    explains:
      "The cluster replaced the authority behind `kubectl logs` and `exec`; nodes get the new file without a restart.",
    failed: "The kubelets' client authority could not be updated",
    consequence: "kubectl logs and exec may fail there.",
    runbook: "docs/runbook.md#kubelet-client-authority",
    next: `${typeThis("doctor")} checks every node`,
    unread: "The kubelets' client authority cannot be kept up to date",
    meanwhile:
      "Nodes keep the authorities that they have; `kubectl logs` fails on them once the cluster uses a new one.",
    readAgain: "The kubelets' client authority is kept up to date again.",
    change: "replace the kubelet's client authority",
    emptied: "Nodes would keep the authorities that they have.",
    written: "authority written",
    left: "the kubelet trusts the authorities that it has",
  },
};
