import type { z } from "zod";

/** The first fault of an object, with the path of its field. */
export interface ShapeFault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The first fault that a schema found. */
export const shapeFaultOf = ({ issues: [issue] }: z.ZodError): ShapeFault => ({
  path: issue?.code === "unrecognized_keys" ? [...issue.path, issue.keys[0] ?? ""] : (issue?.path ?? []),
  message: issue?.code === "unrecognized_keys" ? "unknown field" : (issue?.message ?? "wrong shape"),
});
