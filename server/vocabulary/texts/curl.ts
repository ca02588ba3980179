// A request to the API as a line for a shell, which reads the key from the environment variable FOOTFALL_KEY.

/** `url`: with every character encoded that means something to a shell, or to curl itself, as URLSearchParams does. */
export const curlOf = (url: string): string => `curl --fail-with-body -H "Authorization: Bearer $FOOTFALL_KEY" \\
  '${url}'`;
