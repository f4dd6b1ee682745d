import { describe, expect, it } from 'vitest';
import { isQuestion } from '../../src/retrieval/index.js';
import { cpuMsOf } from '../cpu-time.js';

describe('what reads like a question', () => {
  it.each([
    'How many hours until the glaze kiln reaches cone ten?',
    'how big is the tower',
    'what causes rust',
    "what's a kiln",
    'whats a kiln',
    'who founded the city',
    'in which year was the bridge built',
    'to whom was the letter sent',
    'and how do I cancel?',
    'hi, how do I cancel an order',
    'can expired points be restored',
    'is it safe to open the kiln',
    "doesn't the kiln cool overnight",
    'will the kiln cool overnight',
    'where can i find pressure data .',
    'what problems of heat conduction have been solved .',
    'when was the bridge built',
    'refund after 45 minutes?',
    'the kiln is cold, right? I want to open it',
    '¿cuándo abre el museo',
    'Wann öffnet das Museum?',
    'متى يفتح المتحف؟',
    'πότε ανοίγει το μουσείο\u037e',
    '仓库钥匙在哪里',
    '如何更新日历',
    '這座橋是誰設計的',
    '这样可以吗',
    'カレンダーはどうやって更新しますか',
    '富士山の高さはいくつ',
    'なぜ空は青い',
    '도서관은 언제 열어요',
    '이용할 수 있습니까',
  ])('yes: %s', (query) => expect(isQuestion(query)).toBe(true));

  it.each([
    'kiln temperature',
    'NR5A2 is important in reverse cholesterol transport in humans.',
    'the crystalline lens in vertebrates, including humans.',
    'When the kiln is cold, open it.',
    'Where the glaze is thick, it runs.',
    'do not disturb sign',
    'may 2020 report figures',
    'will smith films list',
    'might and magic guide',
    'https://host.test/search?q=kiln&page=2',
    'how',
    'E1043',
    '任何问题',
    '几何学导论',
    '仓库钥匙在抽屉',
    'カレンダー更新手順',
    '도서관이용안내',
    '',
    '   ',
  ])('no: %s', (query) => expect(isQuestion(query)).toBe(false));

  it('takes time in proportion to the length of the query', () => {
    for (const unit of ['what ', '?x', 'か', '哪', ' ', '. ', 'isn'])
      expect(cpuMsOf(() => isQuestion(unit.repeat(20_000 / unit.length)))).toBeLessThan(20);
  });
});
