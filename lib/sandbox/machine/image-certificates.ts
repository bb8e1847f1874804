/** A certificate in a store of the machine: "Root", "CA", "AuthRoot". */
export interface Certificate {
  readonly store: string;
  readonly thumbprint: string;
  readonly subject: string;
}

/** A few of the certificates in AWS's images; AuthRoot holds the roots of Microsoft's root program. */
export const imageCertificates: readonly Certificate[] = [
  {
    store: "Root",
    thumbprint: "8F43288AD272F3103B6FB1428485EA3014C0BCFE",
    subject: "CN=Microsoft Root Certificate Authority 2011",
  },
  { store: "AuthRoot", thumbprint: "DF3C24F9BFD666761B268073FE06D1CC8D4F82A4", subject: "CN=DigiCert Global Root G2" },
  { store: "AuthRoot", thumbprint: "8DA7F965EC5EFC37910F1C6E59FDC1CC6A6EDE16", subject: "CN=Amazon Root CA 1" },
  { store: "CA", thumbprint: "FEE449EE0E3965A5246F000E87FDE2A065FD89D4", subject: "CN=Root Agency" },
];
