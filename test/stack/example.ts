import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { type Deployment, deploymentOf } from "../../lib/deployment.ts";

/** A part of a template or of a configuration file, before anybody has checked it. */
export type Loose = Record<string, unknown>;

/** Time at which configurations are judged, in milliseconds since the epoch. */
export const NOW = Date.UTC(2026, 11, 1);

const parsed: Loose = parse(readFileSync("docs/configuration.example.yaml", "utf8"));

/** A copy of the repository's annotated example, parsed and not yet checked. */
export const example = (): Loose => structuredClone(parsed);

/** The example with other values in its section `aws`. */
export const exampleWith = (aws: Loose): Deployment => {
  const file = example();
  return deploymentOf({ ...file, aws: { ...(file.aws as Loose), ...aws } }, NOW);
};
