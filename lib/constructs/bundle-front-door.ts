import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Plugin } from "esbuild";
import {
  CONFIGURATION_FILE,
  type DoorConfiguration,
  doorConfiguration,
} from "../../lambdas/front-door/configuration.ts";
import { bundle } from "./bundle.ts";

/**
 * What the front door's packages import and it never reaches. Bolt's receivers for servers and sockets and its OAuth pages:
 * the door hands it Lambda's receiver and answers `authorize` by itself. The credential providers of the AWS SDK: Lambda
 * gives credentials in the environment, and the door hands them to each client.
 */
const NEVER_REACHED = [
  "express",
  "raw-body",
  "form-data",
  "@slack/socket-mode",
  "@slack/oauth",
  "@aws-sdk/credential-provider-node",
];

const named = NEVER_REACHED.map((name) => name.replaceAll("/", "\\/")).join("|");

/** An empty module in place of each: what did reach for it would fail at once, with the name of what it lacks. */
const leftOut: Plugin = {
  name: "left out",
  setup: (build) => {
    build.onResolve({ filter: new RegExp(`^(${named})$`) }, ({ path }) => ({ path, namespace: "left-out" }));
    build.onLoad({ filter: /./, namespace: "left-out" }, () => ({ contents: "module.exports = {};" }));
  },
};

/**
 * Bundles the front door as it is deployed: small, because Slack waits three seconds, a cold start included.
 * @param entry the handler's file
 * @param folder is emptied first; holds the code and the door's part of the configuration afterwards
 */
export async function bundleFrontDoor(entry: string, folder: string, configuration: DoorConfiguration): Promise<void> {
  await bundle(entry, folder, [leftOut]);
  await writeFile(join(folder, CONFIGURATION_FILE), JSON.stringify(doorConfiguration(configuration)));
}
