"""
Exports a trained cross-encoder to ONNX, float32 and dynamic int8 per channel.

    python export.py trained.pt OUTPUT_FOLDER mean

Needs torch, transformers, onnx, onnxruntime and numpy.
"""

import sys, torch, torch.nn as nn, onnx, json, os, shutil, numpy as np
from transformers import BertConfig, BertModel

src, out, pool = sys.argv[1:4]
os.makedirs(out, exist_ok=True)
ck = torch.load(src, weights_only=False)
cfg = BertConfig(**{k: v for k, v in ck['config'].items() if k in BertConfig().to_dict()})
cfg.num_hidden_layers = sum(1 for k in ck['bert'] if k.endswith('attention.self.query.weight'))
cfg._attn_implementation = 'eager'
m = BertModel(cfg)
m.load_state_dict(ck['bert'])
m.eval()
h = nn.Linear(384, 1)
h.load_state_dict(ck['head'])


class W(nn.Module):
    def __init__(s):
        super().__init__()
        s.m = m
        s.h = h

    def forward(s, input_ids, attention_mask, token_type_ids):
        x = s.m(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids).last_hidden_state
        if pool == 'cls':
            p = x[:, 0]
        else:
            a = attention_mask.to(x.dtype).unsqueeze(-1)
            p = (x * a).sum(1) / a.sum(1)
        return s.h(p)


w = W().eval()
ids = torch.randint(1000, 20000, (2, 32))
am = torch.ones_like(ids)
tt = torch.zeros_like(ids)
f = out + '/fp32.onnx'
torch.onnx.export(
    w,
    (ids, am, tt),
    f,
    input_names=['input_ids', 'attention_mask', 'token_type_ids'],
    output_names=['logits'],
    dynamic_axes={k: {0: 'batch', 1: 'sequence'} for k in ('input_ids', 'attention_mask', 'token_type_ids')}
    | {'logits': {0: 'batch'}},
    opset_version=17,
    dynamo=False,
)
from onnxruntime.quantization import quantize_dynamic, QuantType

quantize_dynamic(
    f, out + '/model.onnx', weight_type=QuantType.QInt8, per_channel=True, extra_options={'MatMulConstBOnly': True}
)
import onnxruntime as ort

a = ort.InferenceSession(f).run(
    None, {'input_ids': ids.numpy(), 'attention_mask': am.numpy(), 'token_type_ids': tt.numpy()}
)[0]
b = ort.InferenceSession(out + '/model.onnx').run(
    None, {'input_ids': ids.numpy(), 'attention_mask': am.numpy(), 'token_type_ids': tt.numpy()}
)[0]
print(a.ravel(), b.ravel(), w(ids, am, tt).detach().numpy().ravel())
print(os.path.getsize(out + '/model.onnx') / 1e6)
