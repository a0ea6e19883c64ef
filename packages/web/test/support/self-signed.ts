// A certificate that nobody vouches for, for a proxy in a test: X.509 version 1, a name and a key.
import { generateKeyPairSync, sign } from 'node:crypto';

export function createCertificate(name: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(element(0x06, Buffer.from('2a8648ce3d040302', 'hex'))); // ecdsa-with-SHA256
  const commonName = sequence(element(0x06, Buffer.from('550403', 'hex')), element(0x0c, Buffer.from(name)));
  const holder = sequence(element(0x31, commonName));
  const validity = sequence(
    ...['200101000000Z', '491231235959Z'].map((at) => element(0x17, Buffer.from(at))),
  );
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const serial = element(0x02, Buffer.from([1]));
  const body = sequence(serial, algorithm, holder, validity, holder, spki);
  const signature = element(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const base64 = sequence(body, algorithm, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${(base64.match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

const sequence = (...parts: Buffer[]) => element(0x30, ...parts);

/** Of the distinguished encoding: a tag, a length, and what it holds. */
function element(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
