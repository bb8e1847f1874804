import { expect, test } from "vitest";
import { describeEach } from "./each.ts";
import { comparable, expectedOf, isRequest, notRun, runVectors, struckRows } from "./expected.ts";
import { hostsOf, olderRows, type Vector, vectors } from "./vectors.ts";

const orderOf = ({ id, criHeaders, configPathIsList: isPathList, ...vector }: Vector) => ({
  ...vector,
  salt: id,
  settings: { ...(criHeaders ? { headers: criHeaders } : {}), ...(isPathList ? { isPathList } : {}) },
});

describeEach(hostsOf(vectors), ({ version, containerd }) => {
  test.each(runVectors)("$id: $shows", async (vector) => {
    const { ok, requests, isWhole, error } = expectedOf(vector, version);
    const record = await containerd().pull(orderOf(vector));
    const made = record.requests.filter(isRequest);
    if (isWhole) expect(made).toEqual(requests);
    else expect(made.map(([method, url]) => `${method} ${url}`)).toEqual(requests.map((one) => `${one[0]} ${one[1]}`));
    expect(record.ok).toBe(ok);
    if (error) expect(comparable(record.message)).toBe(comparable(error));
  });
});

test("what is not run, or is struck out of the answers of 1.7, is a vector", () => {
  const ids = vectors.map(({ id }) => id);
  expect(Object.keys(notRun).filter((id) => !ids.includes(id))).toEqual([]);
  const rows = olderRows.map(({ id }) => id);
  expect(rows.filter((id) => !ids.includes(id))).toEqual([]);
  expect(struckRows.filter((id) => !rows.includes(id))).toEqual([]);
});
