"""
Trains the cross-encoder reranker-v0 on a CPU: a question, one right passage, two keyword hits that aren't it and one
passage of another question; softmax over the four.

    python train.py LAYERS MINUTES out.pt WEIGHTS_FOLDER DATA_FOLDER/

WEIGHTS_FOLDER has all-MiniLM-L6-v2 as safetensors with config.json and tokenizer.json; DATA_FOLDER the unpacked
training sets, each with corpus.jsonl, queries.jsonl and qrels.tsv or triples.jsonl. Needs torch, transformers,
tokenizers, bm25s, PyStemmer and numpy.
"""

import json, random, sys, time, numpy as np, torch, bm25s, Stemmer, torch.nn as nn
from transformers import BertConfig, BertModel
from tokenizers import Tokenizer

random.seed(0)
torch.manual_seed(0)
torch.set_num_threads(2)
L = int(sys.argv[1])
MINS = float(sys.argv[2])
OUT = sys.argv[3]
MAXLEN = 144
NEG = 3
BQ = 8
P = sys.argv[4]  # folder of the all-MiniLM-L6-v2 weights (safetensors) and tokenizer
D = sys.argv[5]  # folder of the unpacked training sets, with a slash at the end
st = Stemmer.Stemmer('english')


def load(n, cap):
    c = [json.loads(l) for l in open(D + n + '/corpus.jsonl')]
    ids = {x['_id']: i for i, x in enumerate(c)}
    txt = [((x.get('title') or '') + ' ' + x['text']).strip() for x in c]
    qs = {json.loads(l)['_id']: json.loads(l)['text'] for l in open(D + n + '/queries.jsonl')}
    pos = {}
    for l in open(D + n + '/qrels.tsv'):
        a = l.rstrip('\n').split('\t')
        if len(a) >= 3 and a[2].isdigit() and int(a[2]) > 0 and a[1] in ids and a[0] in qs:
            pos.setdefault(a[0], set()).add(ids[a[1]])
    keys = [k for k in pos if 8 <= len(qs[k]) <= 300]
    random.shuffle(keys)
    keys = keys[:cap]
    R = bm25s.BM25()
    R.index(bm25s.tokenize(txt, stopwords='en', stemmer=st, show_progress=False), show_progress=False)
    res, _ = R.retrieve(
        bm25s.tokenize([qs[k] for k in keys], stopwords='en', stemmer=st, show_progress=False),
        k=25,
        show_progress=False,
    )
    out = []
    for k, r in zip(keys, res):
        neg = [int(i) for i in r if int(i) not in pos[k]]
        if len(neg) < NEG:
            continue
        out.append((qs[k], [txt[i] for i in pos[k]], [txt[i] for i in neg[:20]]))
    print(n, len(out), flush=True)
    return out


def load_triples(n, cap):
    c = {
        x['_id']: ((x.get('title') or '') + ' ' + x['text']).strip()
        for x in map(json.loads, open(D + n + '/corpus.jsonl'))
    }
    L_ = [json.loads(l) for l in open(D + n + '/triples.jsonl')]
    random.shuffle(L_)
    out = []
    for x in L_[: cap * 2]:
        q = x['q'].replace('Learn more about: ', '')
        p = [c[i] for i in x['pos'] if i in c]
        ng = [c[i] for i in x['neg'] if i in c]
        if len(q) >= 8 and p and len(ng) >= NEG:
            out.append((q, p, ng))
        if len(out) >= cap:
            break
    print(n, len(out), flush=True)
    return out


ex = []
for n, c in (('train-squad-sent', 12000), ('squad-dev-sent', 10500), ('nq-gold', 3000)):
    ex += load(n, c)
for n, c in (('train-docs-headings', 8000), ('train-medquad', 4000), ('train-code-docstrings', 3000)):
    ex += load_triples(n, c)
random.shuffle(ex)
print('examples', len(ex), flush=True)
tk = Tokenizer.from_file(P + '/tokenizer.json')
tk.enable_truncation(MAXLEN, strategy='only_second')
tk.no_padding()
full = BertModel.from_pretrained(P)
keep = {6: [0, 1, 2, 3, 4, 5], 3: [0, 2, 4], 2: [0, 3], 4: [0, 1, 3, 5]}[L]
full.encoder.layer = nn.ModuleList([full.encoder.layer[i] for i in keep])
full.config.num_hidden_layers = L
head = nn.Linear(384, 1)
params = list(full.parameters()) + list(head.parameters())
opt = torch.optim.AdamW(
    [{'params': full.parameters(), 'lr': 1e-4}, {'params': head.parameters(), 'lr': 1e-3}], weight_decay=0.01
)
full.config.hidden_dropout_prob = 0.1
full.train()
t0 = time.time()
i = 0
run = []
acc = []
steps_est = None


def lr_at(fr):
    return min(1, fr / 0.05) * max(0.02, 1 - fr)


while True:
    fr = (time.time() - t0) / (MINS * 60)
    if fr >= 1:
        break
    for g, b in zip(opt.param_groups, (6e-5, 1e-3)):
        g['lr'] = b * lr_at(fr)
    B = [ex[(i * BQ + j) % len(ex)] for j in range(BQ)]
    i += 1
    pairs = []
    for q, p, n in B:
        pairs.append((q, random.choice(p)))
        pairs += [(q, x) for x in random.sample(n, NEG - 1)] + [(q, random.choice(ex)[1][0])]
    enc = tk.encode_batch(pairs)
    M = max(len(e.ids) for e in enc)
    ids = torch.zeros(len(enc), M, dtype=torch.long)
    tt = torch.zeros_like(ids)
    m = torch.zeros_like(ids)
    for r, e in enumerate(enc):
        k = len(e.ids)
        ids[r, :k] = torch.tensor(e.ids)
        tt[r, :k] = torch.tensor(e.type_ids)
        m[r, :k] = 1
    with torch.autocast('cpu', dtype=torch.bfloat16):
        h = full(input_ids=ids, token_type_ids=tt, attention_mask=m).last_hidden_state
    hm = (h.float() * m[..., None]).sum(1) / m.sum(1, keepdim=True)
    s = head(hm).view(BQ, 1 + NEG)
    loss = nn.functional.cross_entropy(s, torch.zeros(BQ, dtype=torch.long))
    opt.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(params, 1.0)
    opt.step()
    run.append(loss.item())
    acc.append((s.argmax(1) == 0).float().mean().item())
    if i % 100 == 0:
        print(i, f'{time.time() - t0:.0f}s loss {np.mean(run[-100:]):.3f} acc {np.mean(acc[-100:]):.3f}', flush=True)
print('steps', i, 'queries', i * BQ)
torch.save({'bert': full.state_dict(), 'head': head.state_dict(), 'config': full.config.to_dict()}, OUT)
