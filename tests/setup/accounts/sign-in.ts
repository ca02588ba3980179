// Signs in as the login page does.

/** The cookies that a browser would send back. */
export function cookieOf(setCookies: string[]): { cookie: string } {
  return { cookie: setCookies.map((cookie) => cookie.split(';')[0]).join('; ') };
}

/** Signs in at the server under `url`, and returns the session's cookie. Throws when that is refused. */
export async function signIn(url: string, { email, password }: { email: string; password: string }): Promise<string> {
  const answer = await fetch(`${url}/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ email, password }),
  });
  if (!answer.ok) throw new Error(`The sign-in was answered with ${answer.status}.`);
  return cookieOf(answer.headers.getSetCookie()).cookie;
}
