import type { Tag, TagSpecification } from "@aws-sdk/client-ec2";
import { AwsError } from "../../core/aws-service.ts";
import type { Tags } from "./records.ts";

/** User Guide, "Tag restrictions". */
const MOST_TAGS = 50;
const LONGEST_KEY = 128;
const LONGEST_VALUE = 256;

const invalid = (message: string): AwsError => new AwsError("InvalidParameterValue", message);

function checkTag({ Key: key = "", Value: value = "" }: Tag): void {
  if (key === "") throw invalid("Tag keys must not be empty.");
  if (/^aws:/i.test(key)) throw invalid(`Tag keys starting with 'aws:' are reserved for internal use`);
  if ([...key].length > LONGEST_KEY) throw invalid(`Tag key exceeds the maximum length of ${LONGEST_KEY} characters`);
  if ([...value].length > LONGEST_VALUE)
    throw invalid(`Tag value exceeds the maximum length of ${LONGEST_VALUE} characters`);
}

/**
 * Reads tags of a request.
 * @throws AwsError InvalidParameterValue for a key or value that EC2 does not accept, or a key given twice
 */
export function tagsFrom(list: readonly Tag[] = []): Tags {
  const tags: Record<string, string> = {};
  for (const tag of list) {
    checkTag(tag);
    const key = tag.Key ?? "";
    if (Object.hasOwn(tags, key)) throw invalid(`Duplicate tag key '${key}' specified.`);
    tags[key] = tag.Value ?? "";
  }
  return checkedCount(tags);
}

/** @throws AwsError TagLimitExceeded for more than fifty tags of a resource */
export function checkedCount(tags: Tags): Tags {
  if (Object.keys(tags).length > MOST_TAGS)
    throw new AwsError("TagLimitExceeded", "The maximum number of Tags for a resource has been reached.");
  return tags;
}

const taggable = ["instance", "volume", "network-interface", "spot-instances-request", "elastic-gpu"];

/** Reads the tags at creation by resource type (RunInstances, TagSpecification.N). */
export function tagsByType(specifications: readonly TagSpecification[] = []): Readonly<Record<string, Tags>> {
  const result: Record<string, Tags> = {};
  for (const { ResourceType: type = "", Tags: tags } of specifications) {
    if (!taggable.includes(type)) throw invalid(`'${type}' is not a valid taggable resource type for this operation.`);
    if (result[type]) throw invalid(`Found duplicate resource type '${type}' in tag specifications.`);
    result[type] = tagsFrom(tags);
  }
  return result;
}

/** Lists tags as EC2 returns them, by key. */
export const tagList = (tags: Tags): Tag[] =>
  Object.entries(tags)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([Key, Value]) => ({ Key, Value }));

/** Condition keys for tags that a resource has. */
export const resourceTagContext = (tags: Tags): Record<string, string> =>
  Object.fromEntries(
    Object.entries(tags).flatMap(([key, value]) => [
      [`aws:ResourceTag/${key}`, value],
      [`ec2:ResourceTag/${key}`, value],
    ]),
  );
