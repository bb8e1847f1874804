/**
 * Default number of days for which the ledger keeps an operation after its end: audit trails must be kept for twelve
 * months (PCI DSS 4.0, 10.5.1), and auditors come some weeks later.
 */
export const RETENTION_DAYS = 400;
