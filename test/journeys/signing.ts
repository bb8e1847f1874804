import { spoken, wordsOf } from "./evidence.ts";
import type { World } from "./world.ts";

/** All words of the threads, one message a line. */
export const threadOf = (here: World): string => spoken(here).thread.map(wordsOf).join("\n");

/** State of a certificate signing request: Approved, Denied, or pending. */
export function requestState(here: World, name: string): string {
  const csr = here.simulator.kubernetes
    .objects("certificatesigningrequests", "certificates.k8s.io")
    .find(({ metadata }) => metadata.name === name) as { status?: { conditions?: { type: string }[] } } | undefined;
  return csr?.status?.conditions?.[0]?.type ?? "pending";
}
