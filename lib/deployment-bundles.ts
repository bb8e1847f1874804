import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  CONFIGURATION_FILE,
  type FrontDoorConfiguration,
  frontDoorConfiguration,
} from "../lambdas/front-door/configuration.ts";
import { bundleAll } from "./constructs/bundle.ts";
import { entries } from "./functions.ts";

/** Names of the bundles of a deployment. */
type Name = keyof typeof entries;

/** Everything that a deployment needs. */
export const everyBundle = Object.keys(entries) as readonly Name[];

/**
 * Bundles handlers as they are deployed; the front door's bundle includes its configuration.
 * @param folder gets one folder per name
 * @param configuration validated
 * @returns name → the folder of its bundle
 */
export async function deploymentBundles<Wanted extends Name>(
  names: readonly Wanted[],
  folder: string,
  configuration: FrontDoorConfiguration,
): Promise<Record<Wanted, string>> {
  const wanted = Object.fromEntries(names.map((name) => [name, entries[name]])) as Record<Wanted, string>;
  const bundles: Partial<Record<Name, string>> = await bundleAll(wanted, folder);
  const bundled = bundles["front-door"];
  if (bundled)
    await writeFile(join(bundled, CONFIGURATION_FILE), JSON.stringify(frontDoorConfiguration(configuration)));
  return bundles as Record<Wanted, string>;
}
