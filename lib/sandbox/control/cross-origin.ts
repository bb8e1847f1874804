const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * Refuses requests of other origins. A page on the web can make a browser on this machine send requests to loopback:
 * under a name that it re-points here (DNS rebinding: the Host header shows the name) or across origins (the Origin
 * header shows the page). Requests in process carry neither header.
 * @param headers lower-case names
 * @returns one sentence with the reason; undefined when the request is accepted
 */
export function crossOriginRefusal(headers: Readonly<Record<string, string>>): string | undefined {
  const { host, origin } = headers;
  if (host !== undefined && !LOOPBACK.test(host)) return "This address is answered on loopback only.";
  if (origin !== undefined && origin !== `http://${host}`) return "Pages of another origin may not use the sandbox.";
  return undefined;
}
