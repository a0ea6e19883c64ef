// The address of a proxy in front of the server: one origin, written exactly as a browser writes it.
import { z } from 'zod';

const example = 'such as https://toolyard.example.com';
const loopbackNames = ['127.0.0.1', 'localhost', '[::1]'];

/** Anything else would be a Host or an Origin that no browser sends, or one that others may send, too. */
export const PublicUrl = z.string().superRefine((text, context) => {
  const problem = findProblem(text);
  if (problem) context.addIssue({ code: 'custom', message: problem });
});

function findProblem(text: string): string | undefined {
  if (text.includes('*')) return `a pattern is not accepted; name one host, ${example}`;
  const url = URL.parse(text);
  if (!url || url.origin === 'null') return `not an address of a website; write scheme and host, ${example}`;
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `${url.protocol} is not a protocol of browsers; write https, ${example}`;
  if (url.username || url.password)
    return `a user name or password does not belong here; write ${url.origin}`;
  if (url.pathname !== '/' || url.search || url.hash)
    return `the page must be at the root of its host, without a path; write ${url.origin} and let the proxy pass on every path`;
  if (url.protocol === 'http:' && !loopbackNames.includes(url.hostname))
    return `http is not encrypted, and logins would cross the network; write https://${url.host} and let the proxy do TLS`;
  if (text.endsWith('/')) return `write it without the slash at the end: ${url.origin}`;
  return text === url.origin ? undefined : `write it as browsers do: ${url.origin}`;
}
