// Storage that answers as S3 does, for a test: it checks the signature of each request (AWS Signature Version 4), keeps objects in memory,
// lists them in pages and takes uploads in parts.
import { createHash, createHmac, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export const S3_KEYS = { S3_ACCESS_KEY_ID: 'key of the tests', S3_SECRET_ACCESS_KEY: 'secret of the tests' };
const PAGE = 3; // small, so that every list has several pages

type Answer = { status: number; body?: string | Buffer; headers?: Record<string, string> };
type S3 = AsyncDisposable & { url: string; objects: Map<string, Buffer>; refused: string[] };

export async function startS3(bucket: string): Promise<S3> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Map<number, Buffer>>();
  const refused: string[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { status, body: text = '', headers } = answer(request, body);
      response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : text);
    });
  });
  const answer = (request: IncomingMessage, body: Buffer): Answer => {
    const url = new URL(request.url ?? '/', 'http://host');
    if (!isSigned(request, url)) {
      refused.push(`${request.method} ${url.pathname}`);
      return failed(403, 'SignatureDoesNotMatch');
    }
    const [, named, ...rest] = url.pathname.split('/');
    if (named !== bucket) return failed(404, 'NoSuchBucket');
    const key = rest.map(decodeURIComponent).join('/');
    if (key === '') return list(url.searchParams);
    const upload = url.searchParams.get('uploadId');
    if (request.method === 'POST' && url.searchParams.has('uploads')) return begin(key);
    if (upload !== null)
      return inParts(request, { key, upload, part: Number(url.searchParams.get('partNumber')), body });
    if (request.method === 'PUT') return stored(key, body);
    if (request.method === 'DELETE') {
      objects.delete(key);
      return { status: 204 };
    }
    const found = objects.get(key);
    return found ? { status: 200, body: found, headers: { etag: etagOf(found) } } : failed(404, 'NoSuchKey');
  };
  const stored = (key: string, body: Buffer): Answer => {
    objects.set(key, body);
    return { status: 200, headers: { etag: etagOf(body) } };
  };
  const begin = (key: string): Answer => {
    const id = randomUUID();
    uploads.set(id, new Map());
    return xml(`<InitiateMultipartUploadResult><Bucket>${bucket}</Bucket><Key>${key}</Key><UploadId>${id}</UploadId>
      </InitiateMultipartUploadResult>`);
  };
  const inParts = (
    { method }: IncomingMessage,
    { key, upload, part, body }: { key: string; upload: string; part: number; body: Buffer },
  ): Answer => {
    const parts = uploads.get(upload);
    if (!parts) return failed(404, 'NoSuchUpload');
    if (method === 'PUT') {
      parts.set(part, body);
      return { status: 200, headers: { etag: etagOf(body) } };
    }
    uploads.delete(upload);
    if (method === 'DELETE') return { status: 204 };
    const whole = Buffer.concat([...parts].sort(([one], [other]) => one - other).map(([, bytes]) => bytes));
    objects.set(key, whole);
    return xml(
      `<CompleteMultipartUploadResult><Key>${key}</Key><ETag>${etagOf(whole)}</ETag></CompleteMultipartUploadResult>`,
    );
  };
  const list = (asked: URLSearchParams): Answer => {
    const prefix = asked.get('prefix') ?? '';
    const after = asked.get('continuation-token') ?? '';
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, PAGE);
    const isCut = keys.length > PAGE;
    const contents = page.map(
      (key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)?.length}</Size></Contents>`,
    );
    return xml(`<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${contents.join('')}
      ${isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : ''}</ListBucketResult>`);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    refused,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const etagOf = (body: Buffer) => `"${createHash('md5').update(body).digest('hex')}"`;
const xml = (body: string): Answer => ({
  status: 200,
  body: `<?xml version="1.0" encoding="UTF-8"?>${body}`,
  headers: { 'content-type': 'application/xml' },
});
const failed = (status: number, code: string): Answer => ({ ...xml(`<Error><Code>${code}</Code></Error>`), status });

/** The signature as https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html computes it. */
function isSigned({ method, headers }: IncomingMessage, url: URL): boolean {
  const header = headers.authorization ?? '';
  const { key, date, region, names, signature } =
    /^AWS4-HMAC-SHA256 Credential=(?<key>[^/]*)\/(?<date>\d{8})\/(?<region>[^/]+)\/s3\/aws4_request, ?SignedHeaders=(?<names>[^,]+), ?Signature=(?<signature>\w+)$/.exec(
      header,
    )?.groups ?? {};
  if (key !== S3_KEYS.S3_ACCESS_KEY_ID || !date || !region || !names) return false;
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const signed = names.split(';').map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`);
  const request = [method, url.pathname, query, signed.join(''), names, headers['x-amz-content-sha256']].join('\n');
  const scope = `${date}/${region}/s3/aws4_request`;
  const hash = createHash('sha256').update(request).digest('hex');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, hash].join('\n');
  const hmac = (secret: string | Buffer, value: string) => createHmac('sha256', secret).update(value).digest();
  const steps = [date, region, 's3', 'aws4_request'];
  const signing = steps.reduce<string | Buffer>(hmac, `AWS4${S3_KEYS.S3_SECRET_ACCESS_KEY}`);
  return hmac(signing, text).toString('hex') === signature;
}

const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
