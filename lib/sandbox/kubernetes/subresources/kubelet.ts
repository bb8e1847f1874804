import type { WireResponse } from "../../core/wire.ts";
import { ApiFailure } from "../model/failure.ts";
import { known } from "../model/resources.ts";
import type { Node, Pod } from "../model/shapes.ts";
import { storedObject } from "../verbs/read.ts";
import type { ApiCall, Server } from "../verbs/server.ts";

/** Subresources that the API server forwards to the kubelet of a pod's node. */
export const kubeletSubresources = ["log", "exec", "attach", "portforward", "proxy"];

/** Finds the node whose kubelet receives a request. */
function nodeOf({ objects }: Server, call: ApiCall, pod: Pod): Node | undefined {
  const name = call.type.plural === "nodes" ? call.name : pod.spec?.nodeName;
  return name ? objects.get<Node>(known("nodes"), undefined, name) : undefined;
}

/** Error of k8s.io/apimachinery, errors.NewGenericServerResponse, as the log's streamer calls it (without a verb). */
const unauthorized = ({ type, subresource, name }: ApiCall): ApiFailure =>
  new ApiFailure(
    401,
    "Unauthorized",
    `the server has asked for the client to provide credentials ( ${type.plural}/${subresource} ${name})`,
  );

const broken = (address: string, why: string): ApiFailure =>
  new ApiFailure(500, "InternalError", `Get "https://${address}:10250/": ${why}`);

/**
 * Calls the kubelet of a pod or Node. A log is one line that says so: no containers are simulated, and more would be
 * invented.
 * @throws ApiFailure 404 for a missing object; 401 when the kubelet does not trust the API server; 500 when it is
 * unreachable; 501 for a request that needs a container
 */
export function proxyToKubelet(server: Server, call: ApiCall): WireResponse {
  const object = storedObject(server, call) as Pod;
  const node = nodeOf(server, call, object);
  const address = node?.status?.addresses?.find(({ type }) => type === "InternalIP")?.address ?? "";
  const answer = server.callKubelet(address);
  if (answer === "unreachable") throw broken(address, `dial tcp ${address}:10250: connect: connection refused`);
  if (answer === "no-certificate") throw broken(address, "remote error: tls: internal error");
  if (answer === "unauthorized") throw unauthorized(call);
  if (answer === "answers" && call.subresource === "log") {
    const body = `The kubelet of ${node?.metadata.name} answers; the sandbox runs no container that could say more.\n`;
    return { status: 200, headers: { "content-type": "text/plain" }, body };
  }
  const what = `${call.type.plural} "${object.metadata.name}" has no ${call.subresource} here`;
  throw new ApiFailure(501, "", `${what}: the sandbox simulates nodes and pods, but runs no containers`);
}
