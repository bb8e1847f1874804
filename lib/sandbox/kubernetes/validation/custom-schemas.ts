import type { ResourceType } from "../model/resources.ts";

/** Schema of a custom resource or of one of its values, in the words of a CustomResourceDefinition. */
export interface CustomSchema {
  readonly type: "object" | "array" | "string" | "boolean";
  readonly properties?: Readonly<Record<string, CustomSchema>>;
  readonly required?: readonly string[];
  readonly items?: CustomSchema;
  readonly pattern?: Pattern;
  readonly enum?: readonly string[];
  readonly minLength?: number;
  /** In characters. */
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  /** The list type "set": no item may occur twice. */
  readonly isSet?: true;
  readonly rule?: Rule;
}

/** Pattern of a text. */
interface Pattern {
  /** As the definition spells it, for Go's engine, whose time is linear. */
  readonly shown: string;
  /** The same language, without the nested repetitions for which JavaScript's engine needs exponential time. */
  readonly matcher: RegExp;
}

/** One of x-kubernetes-validations, whose expression is a function here. */
interface Rule {
  readonly message: string;
  readonly holds: (value: unknown) => boolean;
}

// openshift/api of August 2026: config/v1 and operator/v1alpha1, zz_generated.crd-manifests.

const label = "(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])";
const shownMirror = `^(${label}(?:(?:\\.${label})+)?(?::[0-9]+)?)(?:(?:/[a-z0-9]+(?:(?:(?:[._]|__|[-]*)[a-z0-9]+)+)?)+)?$`;
const shownWildcard = `^\\*(?:\\.${label})+$`;

const name = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const mirrorMatcher = `${name}(?:\\.${name})*(?::[0-9]+)?(?:/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)*`;

const mirror: Pattern = { shown: shownMirror, matcher: new RegExp(`^${mirrorMatcher}$`) };
const source: Pattern = {
  shown: `${shownWildcard}|${shownMirror}`,
  matcher: new RegExp(`^(?:\\*(?:\\.${name})+|${mirrorMatcher})$`),
};

const text: CustomSchema = { type: "string" };
const texts: CustomSchema = { type: "array", items: text };

const object = (properties: Readonly<Record<string, CustomSchema>>, ...required: readonly string[]): CustomSchema => ({
  type: "object",
  properties,
  required,
});

const resource = (parts: { readonly spec: CustomSchema; readonly status?: CustomSchema }): CustomSchema =>
  object({ apiVersion: text, kind: text, metadata: { type: "object" }, ...parts }, "spec");

const mirrors = object(
  {
    source: { type: "string", pattern: source },
    mirrors: { type: "array", items: { type: "string", pattern: mirror }, isSet: true },
    mirrorSourcePolicy: { type: "string", enum: ["NeverContactSource", "AllowContactingSource"] },
  },
  "source",
);

/** List of registrySources, whose entries have neither a scheme nor a tag or a digest. */
const registries: CustomSchema = {
  type: "array",
  maxItems: 1024,
  items: {
    type: "string",
    minLength: 1,
    maxLength: 256,
    rule: {
      message:
        "each registry must be a valid hostname[:port][/path] or wildcard *.hostname format without tags or digests",
      holds: (value) => source.matcher.test(String(value)),
    },
  },
};

const importMode: CustomSchema = { type: "string", enum: ["", "Legacy", "PreserveOriginal"] };

const image = resource({
  spec: object({
    additionalTrustedCA: object({ name: text }, "name"),
    allowedRegistriesForImport: {
      type: "array",
      items: object({ domainName: text, insecure: { type: "boolean" } }),
    },
    externalRegistryHostnames: texts,
    imageStreamImportMode: importMode,
    registrySources: {
      ...object({
        insecureRegistries: registries,
        blockedRegistries: registries,
        allowedRegistries: registries,
        containerRuntimeSearchRegistries: { ...texts, minItems: 1, isSet: true },
      }),
      rule: {
        message: "Only one of blockedRegistries or allowedRegistries may be set",
        holds: (value) => !("blockedRegistries" in Object(value) && "allowedRegistries" in Object(value)),
      },
    },
  }),
  status: object({
    externalRegistryHostnames: texts,
    imageStreamImportMode: importMode,
    internalRegistryHostname: text,
  }),
});

const proxy = resource({
  spec: object({
    httpProxy: text,
    httpsProxy: text,
    noProxy: text,
    readinessEndpoints: texts,
    trustedCA: object({ name: text }, "name"),
  }),
  status: object({ httpProxy: text, httpsProxy: text, noProxy: text }),
});

const mirrorSet = (field: string): CustomSchema =>
  resource({ spec: object({ [field]: { type: "array", items: mirrors } }), status: object({}) });

const repositories: CustomSchema = { type: "array", items: object({ source: text, mirrors: texts }, "source") };

const schemas: Readonly<Record<string, CustomSchema>> = {
  "ImageDigestMirrorSet.config.openshift.io": mirrorSet("imageDigestMirrors"),
  "ImageTagMirrorSet.config.openshift.io": mirrorSet("imageTagMirrors"),
  "ImageContentSourcePolicy.operator.openshift.io": resource({
    spec: object({ repositoryDigestMirrors: repositories }),
  }),
  "Image.config.openshift.io": image,
  "Proxy.config.openshift.io": proxy,
};

/** Finds the schema of a custom resource; undefined where the simulator takes objects as they come. */
export const customSchemaOf = ({ kind, group }: Pick<ResourceType, "kind" | "group">): CustomSchema | undefined =>
  schemas[`${kind}.${group}`];
