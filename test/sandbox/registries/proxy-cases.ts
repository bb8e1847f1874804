/** A way of setting the proxy's variables, and whether a pull from `src.example` then goes through the proxy. */
export interface ProxyCase {
  readonly shows: string;
  /** NO_PROXY; HTTPS_PROXY names the proxy unless `variables` says otherwise. */
  readonly noProxy?: string;
  /** Variables that name the proxy. */
  readonly variables?: readonly string[];
  /** Address of the registry when it is not the usual one. */
  readonly registry?: string;
  readonly isProxied: boolean;
}

/** Cases by Go's rules (golang.org/x/net/http/httpproxy), which containerd answers in its own lane. */
export const proxyCases: readonly ProxyCase[] = [
  { shows: "without NO_PROXY every name goes through the proxy", isProxied: true },
  { shows: "a name is exempt", noProxy: "src.example", isProxied: false },
  { shows: "a name is exempt whatever its case", noProxy: "SRC.Example", isProxied: false },
  { shows: "a name exempts what is below it", noProxy: "example", isProxied: false },
  { shows: "a name does not exempt what only ends like it", noProxy: "rc.example", isProxied: true },
  { shows: "a leading dot exempts what is below it", noProxy: ".example", isProxied: false },
  { shows: "a leading dot does not exempt the name itself", noProxy: ".src.example", isProxied: true },
  { shows: "a leading asterisk exempts what is below it", noProxy: "*.example", isProxied: false },
  { shows: "an asterisk exempts everything", noProxy: "other.example,*", isProxied: false },
  { shows: "a network exempts addresses, never names that resolve to them", noProxy: "127.0.0.0/8", isProxied: true },
  { shows: "an address does not exempt a name that resolves to it", noProxy: "127.0.1.2", isProxied: true },
  { shows: "a port is part of an entry", noProxy: "src.example:5000", isProxied: true },
  { shows: "the entry's port is the registry's", noProxy: "src.example:443", isProxied: false },
  { shows: "blanks around entries are ignored", noProxy: "other.example, src.example ", isProxied: false },
  { shows: "an entry with a scheme exempts nothing", noProxy: "https://src.example", isProxied: true },
  { shows: "HTTP_PROXY says nothing about https", variables: ["HTTP_PROXY"], isProxied: false },
  { shows: "an address on loopback never goes through the proxy", registry: "127.0.0.1:5000", isProxied: false },
];
