import { X509Certificate } from "node:crypto";
import type { CertificateStore } from "../../../../lambdas/machine/plan.ts";
import type { Machine } from "../machine.ts";
import { Fault } from "../scripts/causes.ts";
import { readRecord, writeRecord } from "../scripts/records.ts";
import { type ActionHandler, CMDLET_MS } from "./applying.ts";

/** Record of the certificates that Casement added, as "Root\\<thumbprint>". */
const RECORD = "C:\\Casement\\authorities.json";

interface Named {
  readonly store: CertificateStore;
  readonly thumbprint: string;
}

const nameOf = ({ store, thumbprint }: Named): string => `${store}\\${thumbprint}`;

/** Get-Added of certificates.ps1: a record that is lost or damaged names nothing. */
function addedOn(machine: Machine): readonly string[] {
  const added = readRecord(machine, RECORD)?.added;
  return Array.isArray(added) ? added.map(String) : [];
}

/**
 * The logical store Root shows AuthRoot as well: both are physical stores of it (Microsoft, "System Store Locations",
 * CERT_PHYSICAL_STORE_AUTH_ROOT_NAME).
 */
const isStored = ({ state }: Machine, { store, thumbprint }: Named): boolean =>
  state.certificates.some(
    (one) => one.thumbprint === thumbprint && (one.store === store || (store === "Root" && one.store === "AuthRoot")),
  );

/** Reads a certificate as X509Certificate2 does. @throws Fault if it is another one than the plan names */
function read(base64: string, wanted: string): X509Certificate {
  const certificate = new X509Certificate(Buffer.from(base64, "base64"));
  const found = certificate.fingerprint.replaceAll(":", "");
  if (found !== wanted) throw new Fault("content-differs", `it has thumbprint ${found}`);
  return certificate;
}

/** Adds a certificate to a store that does not have it; records it first. */
export const certificate: ActionHandler<"certificate"> = async ({ machine, process }, action) => {
  if (isStored(machine, action)) return false;
  const { store, thumbprint, base64 } = action;
  const { subject } = read(base64, thumbprint);
  const added = addedOn(machine);
  if (!added.includes(nameOf(action))) writeRecord(machine, RECORD, { added: [...added, nameOf(action)] });
  await process.pause(machine.duration(...CMDLET_MS.importCertificate));
  machine.state.certificates.push({ store, thumbprint, subject: subject.split("\n").join(", ") });
  machine.save();
  return true;
};

/** Removes a certificate from its store if the record names it. */
export const removeCertificate: ActionHandler<"remove-certificate"> = async ({ machine, process }, action) => {
  const added = addedOn(machine);
  if (!added.includes(nameOf(action))) return false;
  const { certificates } = machine.state;
  const at = certificates.findIndex(({ store, thumbprint }) => nameOf(action) === `${store}\\${thumbprint}`);
  if (at >= 0) certificates.splice(at, 1);
  machine.save();
  await process.pause(machine.duration(...CMDLET_MS.importCertificate));
  writeRecord(machine, RECORD, { added: added.filter((name) => name !== nameOf(action)) });
  return at >= 0;
};
