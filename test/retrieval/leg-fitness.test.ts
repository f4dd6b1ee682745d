import { describe, expect, it } from 'vitest';
import { legFitness } from '../../src/retrieval/index.js';
import { TOY_FINGERPRINT } from './memory-index.js';

const english = { ...TOY_FINGERPRINT, kind: 'onnx', name: 'all-MiniLM-L6-v2' };

describe('which legs fit a query', () => {
  it.each(['why is the kiln cold', 'naïve café Ångström', 'Docker の更新手順 update', '12345', '??'])(
    'an English model reads %s',
    (query) => expect(legFitness(query, english).vectors).toBeNull(),
  );

  it.each([
    '仓库钥匙在抽屉',
    '更新并部署build之后',
    'カレンダー更新手順',
    'где ключ от склада',
    'أين المفتاح',
  ])('an English model is unfit for %s', (query) =>
    expect(legFitness(query, english).vectors).toBe(
      'all-MiniLM-L6-v2 reads English, and most letters of the query are outside the Latin script',
    ),
  );

  it.each([
    [{ name: 'paraphrase-multilingual-MiniLM-L12-v2' }],
    [{ name: 'bge-m3' }],
    [{ name: 'my-own-model' }],
    [{ kind: 'remote' }],
  ])('a model that is not known to be English is trusted: %j', (change) => {
    expect(legFitness('仓库钥匙', { ...english, ...change }).vectors).toBeNull();
  });

  it.each(['bge-small-en-v1.5', 'e5-small-v2', 'all-mpnet-base-v2', 'reranker-v0'])(
    '%s is known to be English',
    (name) => {
      expect(legFitness('仓库钥匙', { ...english, name }).vectors).toContain(name);
    },
  );

  it('the keyword leg is unfit for a query without letters and digits', () => {
    expect(legFitness('?! …', english).keywords).toBe('the query holds no term');
    expect(legFitness('C++', english).keywords).toBeNull();
    expect(legFitness('钥匙', english).keywords).toBeNull();
  });
});
