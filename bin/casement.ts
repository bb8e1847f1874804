import { join } from "node:path";
import { Annotations, App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { CasementStack } from "../lib/casement-stack.ts";
import { readDeployment } from "../lib/deployment.ts";
import { deploymentBundles, everyBundle } from "../lib/deployment-bundles.ts";
import { payloadWarnings, readPayload } from "../lib/release-content.ts";

/** The annotated example, which `cdk synth` uses without a configuration. */
const EXAMPLE = "docs/configuration.example.yaml";

/** Folder for the bundles; CDK copies them into its own output. */
const BUNDLES = join("node_modules", ".cache", "casement", "bundles");

/** Synthesises the stack of one configuration file. */
async function synthesise(): Promise<void> {
  const app = new App();
  const named: unknown = app.node.tryGetContext("configuration");
  const path = typeof named === "string" ? named : (process.env.CASEMENT_CONFIGURATION ?? EXAMPLE);
  if (path === EXAMPLE)
    console.error(
      `No file is named by CASEMENT_CONFIGURATION or -c configuration=FILE: this is the stack of ${EXAMPLE}.`,
    );
  const warnings: string[] = [];
  const now = Date.now();
  const deployment = readDeployment(path, now, (sentence) => void warnings.push(sentence));
  const payload = readPayload(deployment, path);
  const bundles = await deploymentBundles(everyBundle, BUNDLES, deployment);
  const stack = new CasementStack(app, `casement-${deployment.cluster.name}`, { deployment, payload, bundles });
  for (const [index, sentence] of warnings.entries())
    Annotations.of(stack).addWarningV2(`casement:moved-key-${index}`, `${path}: ${sentence}`);
  const today = new Date(now).toISOString().slice(0, 10);
  for (const [index, sentence] of (payload ? payloadWarnings(payload, today) : []).entries())
    Annotations.of(stack).addWarningV2(`casement:payload-version-${index}`, `aws.payloadManifest: ${sentence}`);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  app.synth();
}

try {
  await synthesise();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
