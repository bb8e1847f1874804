import { expect, test } from "vitest";
import { isStandard } from "../../bin/discover/vcpus.ts";

test("the quota of standard instances counts the usual families, and none that has a quota of its own", () => {
  for (const type of ["m6i.xlarge", "c5.large", "r6a.2xlarge", "t3.medium", "im4gn.large", "z1d.large", "a1.metal"])
    expect(isStandard(type), type).toBe(true);
  for (const type of [
    "dl1.24xlarge",
    "inf1.xlarge",
    "mac2.metal",
    "trn1.2xlarge",
    "p4d.24xlarge",
    "g5.xlarge",
    "hpc6a.48xlarge",
  ])
    expect(isStandard(type), type).toBe(false);
});
