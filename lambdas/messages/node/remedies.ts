import type { StageOf } from "../../stages.ts";
import type { Remedy } from "../operation/remedy.ts";

const notChanged: readonly Remedy[] = [
  {
    says: [],
    cause: "the API server refuses to change the Node, or does not answer",
    remedy: "run the doctor, which checks each permission",
  },
];

/** Known failures of a cordon and an uncordon, whichever workflow they belong to. */
export const cordonRemedies: Readonly<Record<StageOf<"cordon">, readonly Remedy[]>> = {
  cordon: notChanged,
  uncordon: notChanged,
};
