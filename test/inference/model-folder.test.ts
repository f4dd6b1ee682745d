import { chmod, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readModelFolder } from '../../src/inference/model-folder.js';
import { CROSS_ENCODER, copyOfModel, graphFolder, removeFolders } from './support.js';

afterAll(removeFolders);

describe('an embedded model', () => {
  it('is found by its name', async () => {
    const spec = await readModelFolder('all-MiniLM-L6-v2', 'embedding');
    expect(spec).toMatchObject({
      name: 'all-MiniLM-L6-v2',
      precision: 'int8',
      pooling: 'mean',
      normalized: true,
      windowTokens: 256,
      dims: 384,
      prefixes: { query: '', passage: '' },
    });
    const reranker = await readModelFolder('reranker-v0', 'cross-encoder');
    expect(reranker).toMatchObject({ precision: 'int8', windowTokens: 512, labels: ['LABEL_0'] });
  });

  it('is not opened as the other kind', async () => {
    await expect(readModelFolder('reranker-v0', 'embedding')).rejects.toMatchObject({
      code: 'SLUICE_MODEL_INVALID',
      message: expect.stringMatching(/cross-encoder, but embedding was asked for/),
    });
  });
});

describe('a folder', () => {
  it('keeps its fingerprint under another name', async () => {
    const folder = await copyOfModel('all-MiniLM-L6-v2');
    const moved = join(dirname(folder), 'other');
    await rename(folder, moved);
    const [original, renamed] = await Promise.all(
      ['all-MiniLM-L6-v2', moved].map((model) => readModelFolder(model, 'embedding')),
    );
    expect(renamed!.modelSha256).toBe(original!.modelSha256);
    expect(renamed!.tokenizerSha256).toBe(original!.tokenizerSha256);
  });

  it('with a file that leads nowhere but in a circle is not told to lack it', async () => {
    const folder = await graphFolder('states');
    await rm(join(folder, 'tokenizer.json'));
    await symlink('tokenizer.json', join(folder, 'tokenizer.json'));
    await expect(readModelFolder(folder, 'embedding')).rejects.toMatchObject({
      code: 'SLUICE_MODEL_INVALID',
      message: expect.stringMatching(/tokenizer\.json is part of a model, but cannot be read: ELOOP/),
    });
  });

  it.runIf(process.getuid?.() === 0).each([
    ['', 0o000],
    ['model.onnx', 0o600],
    ['config.json', 0o600],
  ])("that another user may not read at '%s' is told so", async (file, mode) => {
    const folder = await graphFolder('states');
    await chmod(dirname(folder), 0o755);
    await chmod(folder, 0o755);
    await chmod(join(folder, file), mode);
    process.seteuid!(65534);
    try {
      await expect(readModelFolder(folder, 'embedding')).rejects.toMatchObject({
        code: 'SLUICE_MODEL_INVALID',
        message: expect.stringMatching(
          /is part of a model, but cannot be read: EACCES.*; check who may read it/,
        ),
      });
    } finally {
      process.seteuid!(0);
    }
  });

  it.each(['model.onnx', 'tokenizer.json', 'config.json'])(
    'without %s is refused by that name',
    async (file) => {
      const folder = await graphFolder('states');
      await rm(join(folder, file));
      await expect(readModelFolder(folder, 'embedding')).rejects.toMatchObject({
        code: 'SLUICE_MODEL_INVALID',
        message: expect.stringMatching(new RegExp(`lacks ${file}; a model folder holds model.onnx`)),
      });
    },
  );

  it('that does not exist is refused with the names that do', async () => {
    await expect(readModelFolder('no-such-model', 'embedding')).rejects.toMatchObject({
      code: 'SLUICE_MODEL_INVALID',
      message: expect.stringMatching(/no model folder at .*no-such-model.*all-MiniLM-L6-v2/),
    });
  });

  it('with a broken settings file is refused by that name', async () => {
    const folder = await graphFolder('states');
    await writeFile(join(folder, 'config.json'), '{');
    await expect(readModelFolder(folder, 'embedding')).rejects.toThrow(/config\.json is not JSON/);
  });

  it('changes its fingerprint with one byte of its model', async () => {
    const folder = await graphFolder('states');
    const before = await readModelFolder(folder, 'embedding');
    await writeFile(join(folder, 'model.onnx'), 'other bytes');
    expect((await readModelFolder(folder, 'embedding')).modelSha256).not.toBe(before.modelSha256);
  });

  it('counts external weights into the fingerprint', async () => {
    const folder = await graphFolder('states');
    const before = await readModelFolder(folder, 'embedding');
    await writeFile(join(folder, 'model.onnx_data'), 'weights');
    expect((await readModelFolder(folder, 'embedding')).modelSha256).not.toBe(before.modelSha256);
  });
});

describe('settings as hubs have them', () => {
  const read = async (files: Record<string, unknown>) =>
    readModelFolder(await graphFolder('states', files), 'embedding');

  it('takes pooling from 1_Pooling', async () => {
    const cls = {
      '1_Pooling/config.json': { pooling_mode_cls_token: true, pooling_mode_mean_tokens: false },
    };
    expect((await read(cls)).pooling).toBe('cls');
    expect((await read({ '1_Pooling/config.json': { pooling_mode_mean_tokens: true } })).pooling).toBe(
      'mean',
    );
    await expect(read({ '1_Pooling/config.json': { pooling_mode_max_tokens: true } })).rejects.toThrow(
      /pooling_mode_max_tokens, but only mean and cls/,
    );
  });

  it('takes the window from the sentence model, never more than there are positions', async () => {
    const config = { model_type: 'bert', max_position_embeddings: 512 };
    const window = async (files: Record<string, unknown>) => (await read(files)).windowTokens;
    expect(await window({ 'config.json': config })).toBe(512);
    expect(
      await window({ 'config.json': config, 'sentence_bert_config.json': { max_seq_length: 128 } }),
    ).toBe(128);
    expect(await window({ 'config.json': config, 'tokenizer_config.json': { model_max_length: 1e30 } })).toBe(
      512,
    );
    expect(await window({ 'config.json': config, 'tokenizer_config.json': { model_max_length: 64 } })).toBe(
      64,
    );
    expect(await window({ 'config.json': { model_type: 'xlm-roberta', max_position_embeddings: 514 } })).toBe(
      512,
    );
    expect(await window({ 'config.json': config, 'sluice.json': { windowTokens: 999 } })).toBe(512);
  });

  it('takes prompts, the step of normalizing and a projection', async () => {
    const spec = await read({
      'config.json': { hidden_size: 4 },
      'config_sentence_transformers.json': { prompts: { query: 'query: ', document: 'passage: ' } },
      'modules.json': [{ type: 'sentence_transformers.models.Transformer' }],
    });
    expect(spec).toMatchObject({
      prefixes: { query: 'query: ', passage: 'passage: ' },
      normalized: false,
      dims: 4,
    });
    const projected = await read({
      'config.json': { hidden_size: 4 },
      'modules.json': [{ type: 'a.Dense' }],
    });
    expect(projected.dims).toBeNull();
  });

  it('tells a cross-encoder by its architecture, and its labels', async () => {
    const folder = await graphFolder('logits2', {
      'config.json': { ...CROSS_ENCODER, id2label: { 1: 'relevant', 0: 'irrelevant' } },
    });
    expect(await readModelFolder(folder, 'cross-encoder')).toMatchObject({
      name: basename(folder),
      labels: ['irrelevant', 'relevant'],
      precision: 'fp32',
    });
  });

  it('lets the caller ask for a smaller window only', async () => {
    const folder = await graphFolder('states', { 'config.json': { max_position_embeddings: 512 } });
    expect((await readModelFolder(folder, 'embedding', { windowTokens: 100 })).windowTokens).toBe(100);
    for (const windowTokens of [0, 7, 513, 1.5, Number.NaN]) {
      await expect(readModelFolder(folder, 'embedding', { windowTokens })).rejects.toMatchObject({
        code: 'SLUICE_USAGE',
      });
    }
  });
});
