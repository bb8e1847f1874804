import { AwsError } from "../core/aws-service.ts";
import type { Fault } from "./signature.ts";

/** Errors that the endpoint itself may find, before a service is called. */
export type EndpointErrorKind = Fault | "throttled" | "broken";

type Words = readonly [code: string, message: string, status: number];

const wrongSignature =
  "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.";
const wrongRegion = "Credential should be scoped to a valid region.";
const notValidated = "AWS was not able to validate the provided access credentials";

/** AWS JSON services (Common Errors of their API references; dynalite's recorded answers agree). */
const jsonWords: Readonly<Record<EndpointErrorKind, Words>> = {
  missing: ["MissingAuthenticationTokenException", "Missing Authentication Token", 400],
  incomplete: ["IncompleteSignatureException", "Authorization header is not complete.", 400],
  expired: ["InvalidSignatureException", "Signature expired: the request was signed more than 15 minutes ago.", 400],
  lapsed: ["InvalidSignatureException", "Signature expired: the request's own time is over.", 400],
  "unknown-key": ["UnrecognizedClientException", "The security token included in the request is invalid.", 400],
  "bad-token": ["UnrecognizedClientException", "The security token included in the request is invalid.", 400],
  "expired-token": ["ExpiredTokenException", "The security token included in the request is expired", 400],
  "wrong-region": ["InvalidSignatureException", wrongRegion, 400],
  wrong: ["InvalidSignatureException", wrongSignature, 400],
  "body-changed": ["InvalidSignatureException", wrongSignature, 400],
  throttled: ["ThrottlingException", "Rate exceeded", 400],
  broken: ["InternalServerError", "An internal error occurred.", 500],
};

/** EC2 API Reference, "Error codes for the Amazon EC2 API". */
const ec2Words: Readonly<Record<EndpointErrorKind, Words>> = {
  missing: ["MissingAuthenticationToken", "Request is missing Authentication Token", 403],
  incomplete: ["IncompleteSignature", "The request signature does not conform to AWS standards.", 400],
  expired: ["RequestExpired", "Request has expired.", 400],
  lapsed: ["RequestExpired", "Request has expired.", 400],
  "unknown-key": ["AuthFailure", notValidated, 401],
  "bad-token": ["AuthFailure", notValidated, 401],
  "expired-token": ["RequestExpired", "Request has expired.", 400],
  "wrong-region": ["AuthFailure", wrongRegion, 401],
  wrong: ["AuthFailure", notValidated, 401],
  "body-changed": ["AuthFailure", notValidated, 401],
  throttled: ["RequestLimitExceeded", "Request limit exceeded.", 503],
  broken: ["InternalError", "An internal error has occurred", 500],
};

/** S3 API Reference, "Error responses". */
const s3Words: Readonly<Record<EndpointErrorKind, Words>> = {
  missing: ["AccessDenied", "Access Denied", 403],
  incomplete: ["AuthorizationHeaderMalformed", "The authorization header that you provided is not valid.", 400],
  expired: ["RequestTimeTooSkewed", "The difference between the request time and the current time is too large.", 403],
  lapsed: ["AccessDenied", "Request has expired", 403],
  "unknown-key": ["InvalidAccessKeyId", "The AWS Access Key Id you provided does not exist in our records.", 403],
  "bad-token": ["InvalidToken", "The provided token is malformed or otherwise invalid.", 400],
  "expired-token": ["ExpiredToken", "The provided token has expired.", 400],
  "wrong-region": ["AuthorizationHeaderMalformed", wrongRegion, 400],
  wrong: ["SignatureDoesNotMatch", wrongSignature, 403],
  "body-changed": [
    "XAmzContentSHA256Mismatch",
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
    400,
  ],
  throttled: ["SlowDown", "Please reduce your request rate.", 503],
  broken: ["InternalError", "We encountered an internal error. Please try again.", 500],
};

/** Lambda speaks REST and answers with HTTP's own statuses (Lambda API Reference, "Invoke", Errors). */
const lambdaWords: Readonly<Record<EndpointErrorKind, Words>> = {
  ...jsonWords,
  missing: ["MissingAuthenticationTokenException", "Missing Authentication Token", 403],
  "unknown-key": ["UnrecognizedClientException", "The security token included in the request is invalid.", 403],
  "bad-token": ["UnrecognizedClientException", "The security token included in the request is invalid.", 403],
  "expired-token": ["ExpiredTokenException", "The security token included in the request is expired", 403],
  "wrong-region": ["InvalidSignatureException", wrongRegion, 403],
  wrong: ["InvalidSignatureException", wrongSignature, 403],
  expired: ["InvalidSignatureException", "Signature expired: the request was signed more than 15 minutes ago.", 403],
  lapsed: ["InvalidSignatureException", "Signature expired: the request's own time is over.", 403],
  throttled: ["TooManyRequestsException", "Rate Exceeded.", 429],
  broken: ["ServiceException", "An error occurred and the request cannot be processed.", 500],
};

const dialects: Readonly<Record<string, typeof jsonWords>> = { ec2: ec2Words, s3: s3Words, lambda: lambdaWords };

/**
 * Makes the endpoint's refusal in the words of a service.
 * @param service name in the credential scope; an unknown one gets a JSON service's answer
 */
export function endpointError(service: string, kind: EndpointErrorKind): AwsError {
  const [code, message, status] = (dialects[service] ?? jsonWords)[kind];
  return new AwsError(code, message, status);
}
