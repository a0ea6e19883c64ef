// What secrets look like in a text: keys of known makers by their shape, and what stands where a secret belongs.
// Pure. Whoever wrote the text, the time it takes is in proportion to its length: every repetition has a bound, or ends
// where the expression does.

export const redacted = '[redacted]';

/** Not in the middle of a word. */
const apart = '(?<![A-Za-z0-9])';

const keys = [
  // Ours.
  'tyd_[\\w-]{10,}',
  // Anthropic, OpenAI, OpenRouter and all who took over their habit.
  'sk-(?:ant|proj|svcacct|admin)-[\\w-]{12,}',
  'sk-(?=[\\w-]{0,200}\\d)[\\w-]{16,}',
  // Google.
  'AIza[\\w-]{30,}',
  'ya29\\.[\\w-]{16,}',
  'GOCSPX-[\\w-]{16,}',
  // xAI, Groq, Hugging Face, Replicate.
  'xai-[\\w-]{20,}',
  'gsk_\\w{20,}',
  'hf_[A-Za-z0-9]{20,}',
  'r8_[A-Za-z0-9]{20,}',
  // GitHub, GitLab, npm, PyPI.
  'gh[opsur]_[A-Za-z0-9]{16,}',
  'github_pat_\\w{20,}',
  'glpat-[\\w-]{16,}',
  'npm_[A-Za-z0-9]{30,}',
  'pypi-[\\w-]{30,}',
  // Slack, Stripe, AWS, SendGrid.
  'xox[a-z]-[\\w-]{10,}',
  'xapp-[\\w-]{10,}',
  '[rs]k_(?:live|test)_[A-Za-z0-9]{10,}',
  '(?:AKIA|ASIA)[0-9A-Z]{16}',
  'SG\\.[\\w-]{16,64}\\.[\\w-]{16,}',
  // A JSON Web Token. It begins where its run of characters does: a try at each `-` would take for ever.
  '(?<![\\w-])eyJ[\\w-]{8,4096}\\.[\\w-]{8,4096}\\.[\\w-]*',
].join('|');

const privateKey = '-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)';
const wholes = new RegExp(`${apart}(?:${keys})|${privateKey}`, 'g');

/** Quotes, escaped ones among them, and spaces. */
const around = '[\\\\"\'`\\s]{0,6}';
const secretWord =
  '(?:api[-_]?key|access[-_]?key|private[-_]?key|secret|token|passw(?:or)?d|passphrase|credentials?)';

/** As far as a value without quotes goes. */
const bare = '[^\\s"\'`,;&(){}<>[\\]\\\\]{6,}';

/** Each keeps what says that a secret follows. */
const places: readonly RegExp[] = [
  // Authorization: Bearer …, whatever the scheme and however many its parts
  new RegExp(
    `${apart}((?:proxy-)?authorization${around}[:=]${around})[^\\s"'\`\\\\][^\\r\\n"'\`\\\\]*`,
    'gi',
  ),
  // ["authorization", "Basic …"]
  /((?:authorization|cookie|api[-_]?key)\\?["'`]\s{0,4},\s{0,4}\\?["'`])[^"'`\\\r\n]+/gi,
  new RegExp(`${apart}(bearer\\s{1,4})[\\w.~+/=-]{16,}`, 'gi'),
  // Cookie: name=…; other=…
  new RegExp(`${apart}((?:set-)?cookie${around}[:=]${around})[\\w.-]{1,100}=[^\\r\\n"'\`\\\\]+`, 'gi'),
  // https://host/?code=…, https://host/#login=…
  new RegExp(
    `([?&;#](?:code|login|[\\w-]{0,40}(?:${secretWord}|key|auth|sig|signature))=)[^&;#\\s"'\`<>\\\\)]+`,
    'gi',
  ),
  // https://name:password@host
  /(:\/\/)[^\s/?#@:"'<>]{0,200}:[^\s/?#"'<>]{1,400}(?=@)/g,
  // password: "several words", as it is and within JSON
  new RegExp(
    `(${secretWord}${around}[:=]\\s{0,6}(["'\`]))(?:(?!\\2)[^\\\\\\r\\n]|\\\\[^\\r\\n]){6,4000}`,
    'gi',
  ),
  new RegExp(`(${secretWord}${around}[:=]\\s{0,6}\\\\(["'\`]))(?:(?!\\2)[^\\\\\\r\\n]){6,4000}`, 'gi'),
  // SOME_API_KEY=…, "password": "…"
  new RegExp(`(${secretWord}${around}[:=]${around})${bare}`, 'gi'),
  // pwd=…, which is more often a directory
  new RegExp(`((?<![A-Za-z])pwd${around}[:=]${around})(?![/.~$]|[A-Z]:)${bare}`, 'gi'),
];

/** The text without whatever looks like a secret in it. */
export function redactSecretPatterns(text: string): string {
  if (text.length < 8) return text;
  return places.reduce(
    (shown, place) => shown.replace(place, `$1${redacted}`),
    text.replace(wholes, redacted),
  );
}
