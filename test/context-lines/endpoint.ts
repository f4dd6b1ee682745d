import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Question {
  model: string;
  messages: { role: string; content: string }[];
  max_tokens: number;
  authorization: string | undefined;
}

/** Answers a question: a line, or anything that a real service may do instead. */
export type Answer =
  | string
  | { status: number; headers?: Record<string, string>; body?: string }
  | { raw: string }
  | { afterMs: number; line: string }
  | 'drop the connection';

export interface Endpoint {
  url: string;
  questions: Question[];
  /** Most requests that were under way at once. */
  readonly widest: number;
  close(): Promise<void>;
}

/** The passage that a question is about. */
export function passageOf({ messages }: Question): string {
  return /<passage>\n([\s\S]*)\n<\/passage>/.exec(messages[1]!.content)![1]!;
}

/** A chat/completions endpoint on the loopback. */
export async function startEndpoint(
  answer: (question: Question, number: number) => Answer = (question) =>
    `This is about ${passageOf(question).slice(0, 20)}.`,
  port = 0,
): Promise<Endpoint> {
  const questions: Question[] = [];
  let underWay = 0;
  let widest = 0;
  const server = createServer((request, response) => {
    widest = Math.max(widest, ++underWay);
    response.on('close', () => underWay--);
    void respond(request, response);
  });
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const part of request) body += part;
    const question = { ...JSON.parse(body), authorization: request.headers.authorization } as Question;
    questions.push(question);
    const given = answer(question, questions.length);
    if (given === 'drop the connection') return void request.socket.destroy();
    if (typeof given === 'string') return send(response, given);
    if ('raw' in given) return void response.end(given.raw);
    if ('afterMs' in given) return void setTimeout(() => send(response, given.line), given.afterMs);
    response.writeHead(given.status, given.headers).end(given.body ?? 'no');
  }
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    questions,
    get widest() {
      return widest;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, line: string): void {
  response.setHeader('content-type', 'application/json');
  response.end(
    JSON.stringify({
      choices: [{ message: { role: 'assistant', content: line } }],
      usage: { prompt_tokens: 100, completion_tokens: 10 },
    }),
  );
}
