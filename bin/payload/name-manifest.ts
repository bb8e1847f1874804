import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";

/**
 * Adds aws.payloadManifest to a configuration, as the first line of its part `aws`; nothing else of the text changes.
 * @param text a configuration that names no manifest
 * @param name path of the manifest, relative to the configuration
 * @returns null for a file of another style, such as JSON, which a person must edit
 */
export function withPayloadManifest(text: string, name: string): string | null {
  const changed = text.replace(
    /^aws:[^\S\n]*(?:#.*)?\n(?:\s*#.*\n)*(?=([^\S\n]+)[\w-]+:)/m,
    (head, indentation: string) => `${head}${indentation}payloadManifest: ${JSON.stringify(name)}\n`,
  );
  const { aws, ...rest } = Object(parse(text));
  return isDeepStrictEqual(parse(changed), { ...rest, aws: { ...aws, payloadManifest: name } }) ? changed : null;
}
