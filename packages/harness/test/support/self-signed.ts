// A certificate that nobody vouches for but itself, for servers in tests: X.509 version 3, with names and a key.
import { generateKeyPairSync, sign } from 'node:crypto';

export function createCertificate(...names: string[]): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(element(0x06, Buffer.from('2a8648ce3d040302', 'hex'))); // ecdsa-with-SHA256
  const commonName = sequence(
    element(0x06, Buffer.from('550403', 'hex')),
    element(0x0c, Buffer.from('test')),
  );
  const holder = sequence(element(0x31, commonName));
  const validity = sequence(
    ...['200101000000Z', '491231235959Z'].map((at) => element(0x17, Buffer.from(at))),
  );
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const version = element(0xa0, element(0x02, Buffer.from([2])));
  const serial = element(0x02, Buffer.from([1]));
  const isAuthority = sequence(element(0x01, Buffer.from([0xff])));
  const isNamed = sequence(...names.map((name) => element(0x82, Buffer.from(name))));
  const extensions = element(
    0xa3,
    sequence(toExtension('551d13', isAuthority), toExtension('551d11', isNamed)),
  );
  const body = sequence(version, serial, algorithm, holder, validity, holder, spki, extensions);
  const signature = element(0x03, Buffer.from([0]), sign('sha256', body, privateKey));
  const base64 = sequence(body, algorithm, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${(base64.match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

function toExtension(id: string, value: Buffer): Buffer {
  return sequence(element(0x06, Buffer.from(id, 'hex')), element(0x04, value));
}

const sequence = (...parts: Buffer[]) => element(0x30, ...parts);

/** Of the distinguished encoding: a tag, a length, and what it holds. */
function element(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}
