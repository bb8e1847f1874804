import { spoken, wordsOf } from "./evidence.ts";
import type { Journey } from "./journey.ts";

/** All words of the threads, one message a line. */
export const threadOf = (here: Journey): string => spoken(here).thread.map(wordsOf).join("\n");

/** State of a certificate signing request: Approved, Denied, or pending. */
export function requestState(here: Journey, name: string): string {
  const csr = here.simulator.kubernetes
    .objects("certificatesigningrequests", "certificates.k8s.io")
    .find(({ metadata }) => metadata.name === name) as { status?: { conditions?: { type: string }[] } } | undefined;
  return csr?.status?.conditions?.[0]?.type ?? "pending";
}
