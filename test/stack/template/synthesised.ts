import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { CasementStack } from "../../../lib/casement-stack.ts";
import type { Deployment } from "../../../lib/deployment.ts";
import { entries, type FunctionName } from "../../../lib/functions.ts";
import type { Payload } from "../../../lib/release-content.ts";
import { exampleWith, type Loose } from "../example.ts";

/** Handlers that say nothing: what the template holds does not depend on their code. */
function emptyBundles(): Record<FunctionName | "release", string> {
  const folders = Object.keys(entries).map((name) => {
    const folder = mkdtempSync(join(tmpdir(), "casement-bundle-"));
    writeFileSync(join(folder, "index.mjs"), `export const handler = () => "${name}";\n`);
    return [name, folder] as const;
  });
  return Object.fromEntries(folders) as Record<FunctionName | "release", string>;
}

/** One resource of a template. */
export interface Resource {
  readonly id: string;
  readonly Type: string;
  readonly Properties: Loose;
  readonly DeletionPolicy?: string;
  readonly UpdateReplacePolicy?: string;
}

/** A stack that was synthesised in this process. */
export interface Synthesised {
  readonly app: App;
  readonly stack: CasementStack;
  readonly template: Template;
  /** Every resource of a CloudFormation type. */
  ofType(type: string): Resource[];
}

/** Synthesises the stack of a deployment, by default the example's. */
export function synthesised(deployment: Deployment = exampleWith({}), payload: Payload | null = null): Synthesised {
  const context = JSON.parse(readFileSync("cdk.json", "utf8")).context;
  // CloudFormation's own validation takes seconds for each stack; `cdk synth` runs it in the lane "ric".
  const outdir = mkdtempSync(join(tmpdir(), "casement-synth-"));
  // The tree of constructs is for the console's viewers and costs as much as the template.
  const app = new App({ outdir, context, builtinCloudFormationValidation: false, treeMetadata: false });
  const stack = new CasementStack(app, "casement-prod-west", { deployment, payload, bundles: emptyBundles() });
  const template = Template.fromStack(stack);
  const ofType = (type: string): Resource[] =>
    Object.entries(template.findResources(type)).map(([id, resource]) => ({ id, ...resource }) as Resource);
  return { app, stack, template, ofType };
}

/** CloudFormation's functions as text: a reference reads "<LogicalId>", an attribute "<LogicalId.Arn>". */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const { Ref, "Fn::GetAtt": attribute, "Fn::Join": join } = value as Loose;
  if (typeof Ref === "string") return `<${Ref}>`;
  if (Array.isArray(attribute)) return `<${attribute.join(".")}>`;
  if (Array.isArray(join)) return (plain(join[1]) as string[]).join(String(join[0]));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
}
