// Recognises e-mail addresses of services that give anybody a mailbox for ten minutes. With those, one person could begin any number of trials.

/** True for a listed domain and its subdomains. The list of 55,000 domains is loaded on first use: 1 MB. */
export async function isThrowaway(email: string): Promise<boolean> {
  const { default: list } = await import('mailchecker');
  const domains: ReadonlySet<string> = list.blacklist();
  const labels = email.slice(email.lastIndexOf('@') + 1).split('.');
  return labels.some((_, index) => domains.has(labels.slice(index).join('.')));
}
