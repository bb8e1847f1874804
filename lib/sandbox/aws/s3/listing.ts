import { AwsError } from "../../core/aws-service.ts";
import { element, textElement, XML_DECLARATION } from "../xml.ts";
import type { Version } from "./objects.ts";

const NAMESPACE = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
/** At most a thousand keys a page (API Reference, ListObjectsV2). */
const LARGEST_PAGE = 1_000;

const time = (version: Version): string => new Date(version.modifiedAt).toISOString();

const pageSize = (query: URLSearchParams): number => {
  const asked = query.get("max-keys");
  const size = asked === null ? LARGEST_PAGE : Number(asked);
  if (!Number.isInteger(size) || size < 0)
    throw new AwsError("InvalidArgument", "Provided max-keys not an integer or within integer range");
  return Math.min(size, LARGEST_PAGE);
};

/** Finds the name under which a key is listed: itself, or its common prefix up to the delimiter. */
function groupOf(key: string, prefix: string, delimiter: string): string {
  const at = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
  return at < 0 ? key : key.slice(0, at + delimiter.length);
}

interface Page {
  readonly entries: readonly {
    readonly name: string;
    readonly versions: readonly Version[];
    readonly isPrefix: boolean;
  }[];
  readonly next: string | undefined;
}

function pageOf(versions: readonly Version[], query: URLSearchParams, after: string): Page {
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const matching = versions.filter((version) => version.key.startsWith(prefix));
  const groups = Map.groupBy(matching, (version) => groupOf(version.key, prefix, delimiter));
  const entries = [...groups]
    .filter(([name]) => name > after)
    .map(([name, inside]) => ({
      name,
      versions: inside,
      isPrefix: delimiter !== "" && name.endsWith(delimiter) && name !== inside[0]?.key,
    }));
  const page = entries.slice(0, pageSize(query));
  return { entries: page, next: entries.length > page.length ? page.at(-1)?.name : undefined };
}

const prefixes = (page: Page): string =>
  page.entries
    .filter((entry) => entry.isPrefix)
    .map((entry) => element("CommonPrefixes", textElement("Prefix", entry.name)))
    .join("");

const described = (version: Version): string =>
  [
    textElement("Key", version.key),
    textElement("LastModified", time(version)),
    version.deleted
      ? ""
      : textElement("ETag", version.etag) + textElement("Size", version.size) + textElement("StorageClass", "STANDARD"),
  ].join("");

const header = (bucket: string, query: URLSearchParams, page: Page): string =>
  [
    textElement("Name", bucket),
    textElement("Prefix", query.get("prefix") ?? ""),
    textElement("MaxKeys", pageSize(query)),
    textElement("Delimiter", query.get("delimiter") ?? undefined),
    textElement("IsTruncated", page.next !== undefined),
  ].join("");

const document = (name: string, content: string): string =>
  `${XML_DECLARATION}<${name} ${NAMESPACE}>${content}</${name}>`;

const encodedToken = (name: string | undefined): string | undefined =>
  name === undefined ? undefined : Buffer.from(name).toString("base64");

/**
 * ListObjectsV2: the newest version of each key that is not deleted.
 * @param versions of one bucket, by key and the newest first
 */
export function listObjects(bucket: string, versions: readonly Version[], query: URLSearchParams): string {
  const newest = versions.filter((version, at) => versions[at - 1]?.key !== version.key && !version.deleted);
  const token = query.get("continuation-token");
  const after = token === null ? (query.get("start-after") ?? "") : Buffer.from(token, "base64").toString();
  const page = pageOf(newest, query, after);
  const contents = page.entries
    .filter((entry) => !entry.isPrefix)
    .map((entry) => element("Contents", entry.versions.map(described).join("")));
  const next = textElement("NextContinuationToken", encodedToken(page.next));
  const count = textElement("KeyCount", page.entries.length);
  return document("ListBucketResult", header(bucket, query, page) + count + next + contents.join("") + prefixes(page));
}

/** ListObjectVersions: every version and deletion marker; a page holds all versions of a key. */
export function listVersions(bucket: string, versions: readonly Version[], query: URLSearchParams): string {
  const page = pageOf(versions, query, query.get("key-marker") ?? "");
  const isLatest = (version: Version): boolean => versions.find((other) => other.key === version.key) === version;
  const entries = page.entries
    .filter((entry) => !entry.isPrefix)
    .flatMap((entry) => entry.versions)
    .map((version) =>
      element(
        version.deleted ? "DeleteMarker" : "Version",
        described(version) + textElement("VersionId", version.id) + textElement("IsLatest", isLatest(version)),
      ),
    );
  const next = textElement("NextKeyMarker", page.next);
  return document("ListVersionsResult", header(bucket, query, page) + next + entries.join("") + prefixes(page));
}
