import { trustedAuthoritiesInput } from "../../inputs/trust/input.ts";
import type { DoctorCheck } from "./check.ts";
import { inputCheck, type RecordsReader } from "./input-facts.ts";

/** Compares the authorities that the cluster trusts with what Windows nodes were given. */
export const trustedAuthoritiesCheck = (read: RecordsReader): DoctorCheck =>
  inputCheck(trustedAuthoritiesInput, "the trusted authorities", read, {
    own: async ({ content: { remarks = [], asked = [] } }) => [
      ...(remarks.length > 0 ? [{ kind: "authorities-remarks", remarks } as const] : []),
      ...(asked.length > 0 ? [{ kind: "authorities-asked", roots: asked.length } as const] : []),
    ],
  });
