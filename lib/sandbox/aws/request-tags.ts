/** IAM's condition keys for tags that a request brings: aws:RequestTag/… each, and aws:TagKeys together. */
export const requestTagContext = (
  tags: Readonly<Record<string, string>>,
): Record<string, string | readonly string[]> => ({
  ...Object.fromEntries(Object.entries(tags).map(([key, value]) => [`aws:RequestTag/${key}`, value])),
  ...(Object.keys(tags).length > 0 ? { "aws:TagKeys": Object.keys(tags) } : {}),
});
