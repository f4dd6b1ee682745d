import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Request {
  input: string[];
  model: string;
  authorization: string | undefined;
}

type Answer = { status?: number; headers?: Record<string, string>; body: unknown };

/** An embeddings service on this machine: `answer` says what it returns, `requests` what it was asked. */
export async function startService(answer: (request: Request, count: number) => Answer | Promise<Answer>) {
  const requests: Request[] = [];
  const server = createServer(async (incoming: IncomingMessage, response: ServerResponse) => {
    let text = '';
    for await (const piece of incoming) text += piece;
    const request = { ...JSON.parse(text), authorization: incoming.headers.authorization } as Request;
    requests.push(request);
    const { status = 200, headers = {}, body } = await answer(request, requests.length);
    response.writeHead(status, headers);
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { url: `http://127.0.0.1:${port}/v1/embeddings`, requests, close };
}

/** The vector that the service makes of a text: its length and its first code unit. */
export const vectorOf = (text: string) => [text.length + 1, (text.charCodeAt(0) || 0) / 100];

export const dataOf = (input: string[]) => input.map((text, index) => ({ index, embedding: vectorOf(text) }));
