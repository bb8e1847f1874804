import { describe, expect, it } from "vitest";
import { faultOf, type Key, type Signature, signatureOf } from "../../../lib/sandbox/aws/signature.ts";
import { percentEncoded } from "../../../lib/sandbox/core/wire.ts";
import { type Vector, vectors } from "./signature-vectors.ts";

const HOUR = 3_600_000;
const escapedPath = (path: string): string => path.split("/").map(percentEncoded).join("/");
const millisecondsOf = (time = ""): number =>
  Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));

/** Builds the request as sent on the wire, with the published signature or another one. */
function requestOf({ service, keyId, method, path, query, headers, body, signature }: Vector, claimed = signature) {
  const day = headers["x-amz-date"]?.slice(0, 8);
  const authorization = `AWS4-HMAC-SHA256 Credential=${keyId}/${day}/us-east-1/${service}/aws4_request, SignedHeaders=${Object.keys(headers).sort().join(";")}, Signature=${claimed}`;
  const pairs = Object.entries(query).map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`);
  const url = `${escapedPath(path)}${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`;
  return { method, url, headers: { ...headers, authorization }, body: Buffer.from(body) };
}

const judged = (vector: Vector, change: { signature?: string; key?: Partial<Key>; lateBy?: number } = {}) => {
  const request = requestOf(vector, change.signature);
  const token = vector.headers["x-amz-security-token"];
  const key = { secret: vector.secret, principal: "x", ...(token ? { sessionToken: token } : {}), ...change.key };
  const hostNow = millisecondsOf(vector.headers["x-amz-date"]) + (change.lateBy ?? 0);
  return faultOf(request, signatureOf(request) as Signature, key, { region: "us-east-1", hostNow });
};

describe("signatures at the AWS endpoint", () => {
  // Every service but S3 escapes a path twice, which the suite's nameless service does not (get-utf8).
  it.for(vectors.filter(({ name }) => name !== "get-utf8"))("match AWS's published ones: $name", (vector) => {
    expect(judged(vector)).toBeUndefined();
    expect(judged(vector, { signature: vector.signature.replace(/^./, (digit) => (digit === "0" ? "1" : "0")) })).toBe(
      "wrong",
    );
  });

  it("are invalid with expired credentials", () => {
    const vector = vectors.find(({ name }) => name === "get-vanilla-with-session-token") as Vector;
    const signed = millisecondsOf(vector.headers["x-amz-date"]);
    expect(judged(vector, { key: { until: signed + HOUR } })).toBeUndefined();
    expect(judged(vector, { key: { until: signed } })).toBe("expired-token");
  });
});
