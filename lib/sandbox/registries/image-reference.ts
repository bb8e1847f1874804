/** An image's name, as the CRI plugin normalises it. */
export interface ImageReference {
  /** Registry in the name: "docker.io", "src.example:5000". */
  readonly registry: string;
  readonly repository: string;
  /** Undefined for a reference by digest. */
  readonly tag?: string;
  readonly digest?: string;
  /** The whole name: "docker.io/library/nginx:latest". */
  readonly text: string;
}

/** Is the first part of a name a registry (distribution/reference, splitDockerDomain)? */
const isRegistry = (part: string): boolean => /[.:]/.test(part) || part === "localhost" || part.toLowerCase() !== part;

/**
 * Reads an image's name as containerd's CRI plugin does (distribution/reference, ParseDockerRef): without a registry it
 * is docker.io's, without a tag `latest`, and a digest makes the tag meaningless.
 */
export function readReference(image: string): ImageReference {
  const [named = "", digest] = image.split("@");
  const [, name = named, tag] = /^(.*?)(?::([^:/]+))?$/.exec(named) ?? [];
  const [first = "", ...rest] = name.split("/");
  const hasRegistry = rest.length > 0 && isRegistry(first);
  const registry = hasRegistry && first !== "index.docker.io" ? first : "docker.io";
  const path = hasRegistry ? rest.join("/") : name;
  const repository = registry === "docker.io" && !path.includes("/") ? `library/${path}` : path;
  const object = digest === undefined ? { tag: tag ?? "latest" } : { digest };
  const text = `${registry}/${repository}${digest === undefined ? `:${object.tag}` : `@${digest}`}`;
  return { registry, repository, ...object, text };
}
