import type { Filter } from "@aws-sdk/client-ec2";
import { AwsError } from "../../core/aws-service.ts";
import { like } from "../wildcard.ts";
import type { Tags } from "./records.ts";

/** Filter name → the values that an item has for it. */
export type FilterFields<Item> = Readonly<Record<string, (item: Item) => readonly (string | undefined)[]>>;

/** Applies the filters of a description to the records behind it. */
export const readingAs = <Item, Shape>(
  fields: FilterFields<Shape>,
  described: (item: Item) => Shape,
): FilterFields<Item> =>
  Object.fromEntries(Object.entries(fields).map(([name, values]) => [name, (item: Item) => values(described(item))]));

/** At most 200 values in a filter (User Guide, "Filtering considerations"). */
const MOST_VALUES = 200;

const tagValues = (name: string, tags: Tags): readonly (string | undefined)[] | undefined => {
  if (name === "tag-key") return Object.keys(tags);
  return name.startsWith("tag:") ? [tags[name.slice(4)]] : undefined;
};

function checkFilter(filter: Filter, known: boolean): asserts filter is Required<Filter> {
  const { Name: name, Values: values } = filter;
  if (!name) throw new AwsError("MissingParameter", "The request must contain the parameter filter.Name");
  if (!known) throw new AwsError("InvalidParameterValue", `The filter '${name}' is invalid`);
  if (!values || values.length === 0) throw new AwsError("InvalidParameterValue", "The filter 'null' is invalid");
  if (values.length > MOST_VALUES)
    throw new AwsError(
      "FilterLimitExceeded",
      `The maximum number of filter values specified on a single call is ${MOST_VALUES}.`,
    );
}

/**
 * Applies EC2's filters: an item must match every filter by any of its values; `*` and `?` are wildcards.
 * @param fields values to filter by, beside tags
 * @throws AwsError InvalidParameterValue for a filter that does not exist
 */
export function filtered<Item>(
  items: readonly Item[],
  filters: readonly Filter[] | undefined,
  fields: FilterFields<Item>,
  tagsOf: (item: Item) => Tags = () => ({}),
): Item[] {
  for (const { Name: name = "", ...rest } of filters ?? []) {
    checkFilter({ Name: name, ...rest }, Object.hasOwn(fields, name) || name === "tag-key" || name.startsWith("tag:"));
  }
  const holds = (item: Item, { Name: name = "", Values: wanted = [] }: Filter): boolean => {
    const values = tagValues(name, tagsOf(item)) ?? fields[name]?.(item) ?? [];
    return values.some((value) => value !== undefined && wanted.some((pattern) => like(pattern, value)));
  };
  return items.filter((item) => (filters ?? []).every((filter) => holds(item, filter)));
}

/** Paging fields of a request. */
export interface PageRequest {
  readonly MaxResults?: number | undefined;
  readonly NextToken?: string | undefined;
}

const tokenOf = (key: string): string => Buffer.from(`after ${key}`).toString("base64url");

function keyOf(token: string): string {
  const [, key] = /^after (.+)$/.exec(Buffer.from(token, "base64url").toString()) ?? [];
  if (!key) throw new AwsError("InvalidNextToken", "The specified NextToken is not valid.");
  return key;
}

/**
 * One page of sorted items.
 * @param id sort key of an item
 * @param bounds smallest and largest MaxResults: 5 to 1,000 in the API Reference of DescribeSecurityGroups,
 * DescribeSubnets and DescribeTags; where it names no range (DescribeInstances, DescribeVolumes …) the same is assumed
 */
export function paged<Item>(
  items: readonly Item[],
  request: PageRequest,
  id: (item: Item) => string,
  bounds: readonly [least: number, most: number] = [5, 1_000],
): { page: Item[]; NextToken?: string } {
  const { MaxResults: size = bounds[1], NextToken: token } = request;
  if (size < bounds[0] || (request.MaxResults !== undefined && size > bounds[1]))
    throw new AwsError(
      "InvalidParameterValue",
      `Value ( ${size} ) for parameter maxResults is invalid. Expecting a value between ${bounds[0]} and ${bounds[1]}.`,
    );
  const sorted = [...items].sort((one, other) => (id(one) < id(other) ? -1 : 1));
  const rest = token === undefined ? sorted : sorted.filter((item) => id(item) > keyOf(token));
  const page = rest.slice(0, size);
  const last = page.at(-1);
  return last !== undefined && rest.length > page.length ? { page, NextToken: tokenOf(id(last)) } : { page };
}
