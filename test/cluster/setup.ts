import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { kubeconfig, openCluster } from "../sandbox/kubernetes/https.ts";
import { prepare } from "./prepare.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Kubeconfig of the server that the suites are to ask; undefined for the sandbox in this process. */
    readonly kubeconfig: string | undefined;
    /** Speed of the server's clock, as a multiple of the host's; undefined for the sandbox in this process. */
    readonly speed: number | undefined;
    /** Is a controller manager at work on that server? */
    readonly controllers: boolean | undefined;
  }
}

/** The simulated server's pace: pods start in less than a second, and a Node without a kubelet stays Ready for twelve. */
const SPEED = 4;

const FOLDER = ".ci-output";
const FILE = `${FOLDER}/simulated-kubeconfig.json`;

const base64 = (text: string): string => Buffer.from(text).toString("base64");

let close = async (): Promise<void> => undefined;

/**
 * Opens the simulated server behind HTTPS and writes an administrator's kubeconfig for it.
 * @returns the file, which is read like any other kubeconfig
 */
async function simulated(): Promise<string> {
  const cluster = await openCluster(SPEED);
  const { certificate, key } = await cluster.api.adminCredentials();
  const user = { "client-certificate-data": base64(certificate), "client-key-data": base64(key) };
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(FILE, kubeconfig(cluster.url, cluster.api.authorityPem, user), { mode: 0o600 });
  close = async () => {
    rmSync(FILE, { force: true });
    await cluster.close();
  };
  return FILE;
}

/** Chooses the server: the one that CASEMENT_KUBECONFIG names, else the simulated one; then applies what the suites need. */
export async function setup({ provide }: TestProject): Promise<void> {
  const named = process.env.CASEMENT_KUBECONFIG;
  const text = readFileSync(named ?? (await simulated()), "utf8");
  provide("controllers", await prepare(text));
  provide("kubeconfig", text);
  provide("speed", named ? 1 : SPEED);
  console.log(`The suites ask ${named ? `the server of ${named}` : "the simulated API server over HTTPS"}.`);
}

/** Ends the simulated server, if that was asked. */
export const teardown = (): Promise<void> => close();
