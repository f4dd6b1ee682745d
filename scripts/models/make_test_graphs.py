"""
Writes the tiny graphs of test/inference/graphs: models of a few hundred bytes whose outputs can be told in the head.

    python make_test_graphs.py ../../test/inference/graphs

States of a token are [id, 1, 1, 1] unless said otherwise; logits are made from the sum of all ids. Needs onnx.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper

#: The WordPiece id of the word "zebra", of which the poisoned graph makes NaN.
ZEBRA = 29145

INT = T.INT64


def constant(name, values, dtype=np.float32):
    return numpy_helper.from_array(np.array(values, dtype=dtype), name)


def save(folder: Path, name: str, nodes, output, shape, constants=(), extra_inputs=(), integer=INT, out_type=T.FLOAT):
    inputs = [h.make_tensor_value_info('input_ids', integer, ['batch', 'tokens'])]
    inputs += [h.make_tensor_value_info(extra, kind, ['batch', 'tokens']) for extra, kind in extra_inputs]
    graph = h.make_graph(nodes, name, inputs, [h.make_tensor_value_info(output, out_type, shape)], list(constants))
    model = h.make_model(graph, opset_imports=[h.make_opsetid('', 13)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, str(folder / f'{name}.onnx'))


def states(result='last_hidden_state', numerator='floats'):
    """[batch, tokens] → [batch, tokens, 4]: the value, then ones."""
    return [
        h.make_node('Cast', ['input_ids'], ['floats'], to=T.FLOAT),
        h.make_node('Unsqueeze', [numerator, 'last_axis'], ['column']),
        h.make_node('Mul', ['column', 'first_only'], ['spread']),
        h.make_node('Add', ['spread', 'rest_only'], [result]),
    ]


STATE_CONSTANTS = [
    constant('last_axis', [-1], np.int64),
    constant('first_only', [1, 0, 0, 0]),
    constant('rest_only', [0, 1, 1, 1]),
]


def embedders(folder: Path) -> None:
    shape = ['batch', 'tokens', 4]
    save(folder, 'states', states(), 'last_hidden_state', shape, STATE_CONSTANTS)
    # 0 / (id - zebra) is 0 for every token but one.
    poisoned = [
        *states('clean'),
        h.make_node('Sub', ['column', 'zebra'], ['distance']),
        h.make_node('Div', ['nothing', 'distance'], ['poison']),
        h.make_node('Add', ['clean', 'poison'], ['last_hidden_state']),
    ]
    poison = [constant('zebra', [[[ZEBRA]]]), constant('nothing', [[[0]]])]
    save(folder, 'poisoned', poisoned, 'last_hidden_state', shape, [*STATE_CONSTANTS, *poison])
    half = [*states('wide'), h.make_node('Cast', ['wide'], ['last_hidden_state'], to=T.FLOAT16)]
    save(folder, 'half', half, 'last_hidden_state', shape, STATE_CONSTANTS, out_type=T.FLOAT16)
    sentence = [*states('each'), h.make_node('ReduceMean', ['each'], ['sentence_embedding'], axes=[1], keepdims=0)]
    save(folder, 'sentence', sentence, 'sentence_embedding', ['batch', 4], STATE_CONSTANTS)
    narrow = [('position_ids', T.INT32), ('attention_mask', T.INT32)]
    save(folder, 'int32', states(), 'last_hidden_state', shape, STATE_CONSTANTS, narrow, integer=T.INT32)
    pictures = [('pixel_values', T.FLOAT)]
    save(folder, 'pictures', states(), 'last_hidden_state', shape, STATE_CONSTANTS, pictures)


def cross_encoders(folder: Path) -> None:
    total = [
        h.make_node('Cast', ['input_ids'], ['floats'], to=T.FLOAT),
        h.make_node('ReduceSum', ['floats', 'token_axis'], ['total'], keepdims=1),
    ]
    axis = constant('token_axis', [1], np.int64)
    for count, factors in ((1, [0.001]), (2, [-0.001, 0.002]), (3, [1, 2, 3])):
        nodes = [*total, h.make_node('Mul', ['total', 'factors'], ['logits'])]
        save(folder, f'logits{count}', nodes, 'logits', ['batch', count], [axis, constant('factors', [factors])])
    nodes = [
        *total,
        h.make_node('Mul', ['total', 'factors'], ['flat']),
        h.make_node('Unsqueeze', ['flat', 'last_axis'], ['logits']),
    ]
    constants = [axis, constant('factors', [[0.001]]), constant('last_axis', [-1], np.int64)]
    save(folder, 'logits-n11', nodes, 'logits', ['batch', 1, 1], constants)


target = Path(sys.argv[1])
target.mkdir(parents=True, exist_ok=True)
embedders(target)
cross_encoders(target)
