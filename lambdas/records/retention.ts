/**
 * Default number of days for which the ledger keeps an operation after its end: audit trails must be kept for twelve
 * months (PCI DSS 4.0, 10.5.1), and auditors come some weeks later.
 */
export const RETENTION_DAYS = 400;

/**
 * Upper bound in days on an operation's duration, with a large margin: what is written before its end expires no
 * earlier than the operation's record, which expires some days after the end.
 */
export const OPERATION_DAYS = 45;
