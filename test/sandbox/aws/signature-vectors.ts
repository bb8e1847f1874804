/** A request and the signature that AWS publishes for it. */
export interface Vector {
  readonly name: string;
  readonly service: string;
  readonly keyId: string;
  readonly secret: string;
  readonly method: "GET" | "POST";
  /** Not escaped; starts with "/". */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** The signed headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signature: string;
}

const suite = {
  service: "service",
  keyId: "AKIDEXAMPLE",
  secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  method: "GET",
  path: "/",
  query: {},
  body: "",
} as const;
const headers = { host: "example.amazonaws.com", "x-amz-date": "20150830T123600Z" };
const unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/**
 * Figures of AWS's Signature Version 4 test suite (the SDKs carry it, botocore under tests/unit/auth/aws4_testsuite), region
 * us-east-1, and of the Amazon S3 API Reference, "Signature calculations for the Authorization header", example "GET Object".
 */
export const vectors: readonly Vector[] = [
  {
    ...suite,
    name: "get-vanilla",
    headers,
    signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
  },
  {
    ...suite,
    name: "get-unreserved",
    path: `/${unreserved}`,
    headers,
    signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f",
  },
  {
    ...suite,
    name: "get-utf8",
    path: "/\u1234",
    headers,
    signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85",
  },
  {
    ...suite,
    name: "get-vanilla-query-order-key-case",
    query: { Param2: "value2", Param1: "value1" },
    headers,
    signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  },
  {
    ...suite,
    name: "get-vanilla-query-order-encoded",
    query: { "Param-3": "Value3", Param: "Value2", "\u1234": "Value1" },
    headers,
    signature: "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac",
  },
  {
    ...suite,
    name: "get-vanilla-query-unreserved",
    query: { [unreserved]: unreserved },
    headers,
    signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197",
  },
  {
    ...suite,
    name: "get-header-value-trim",
    headers: { ...headers, "my-header1": " value1", "my-header2": ' "a   b   c"' },
    signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
  },
  {
    ...suite,
    name: "get-vanilla-with-session-token",
    headers: { ...headers, "x-amz-security-token": "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267" },
    signature: "07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8",
  },
  {
    ...suite,
    name: "post-vanilla",
    method: "POST",
    headers,
    signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  },
  {
    ...suite,
    name: "post-x-www-form-urlencoded",
    method: "POST",
    headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
    body: "Param1=value1",
    signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  },
  {
    name: "the S3 reference's GET Object",
    service: "s3",
    keyId: "AKIAIOSFODNN7EXAMPLE",
    secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    method: "GET",
    path: "/test.txt",
    query: {},
    headers: {
      host: "examplebucket.s3.amazonaws.com",
      range: "bytes=0-9",
      "x-amz-content-sha256": EMPTY,
      "x-amz-date": "20130524T000000Z",
    },
    body: "",
    signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  },
];
