import { AwsError, type AwsService } from "../core/aws-service.ts";
import { textOf, type WireResponse } from "../core/wire.ts";
import { element, textElement, XML_DECLARATION } from "./xml.ts";

const xml = (body: string, status = 200): WireResponse => ({
  status,
  headers: { "content-type": "text/xml" },
  body: `${XML_DECLARATION}${body}`,
});

/**
 * Builds the part of STS that says who a caller is. It needs no permission (API Reference, GetCallerIdentity).
 * @param arnOf the ARN of a principal's session or user
 */
export const sts = (accountId: string, arnOf: (principal: string) => string): AwsService => ({
  name: "sts",
  action: (request) => new URLSearchParams(textOf(request)).get("Action") ?? "unknown",
  answer: async (action, _request, { principal }) => {
    if (action !== "GetCallerIdentity") throw new AwsError("InvalidAction", `no action ${action}`, 400);
    const identity = textElement("Arn", arnOf(principal)) + textElement("Account", accountId);
    return xml(element("GetCallerIdentityResponse", element("GetCallerIdentityResult", identity)));
  },
  refuse: ({ code, message, status }) =>
    xml(
      element("ErrorResponse", element("Error", textElement("Code", code) + textElement("Message", message))),
      status,
    ),
});
