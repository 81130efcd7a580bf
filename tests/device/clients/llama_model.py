"""Writes a small language model of Llama's kind, whose weights are random numbers of a seed, with rows of four types."""

import sys

import gguf
import numpy as np

WORDS, WIDTH, LAYERS, HEADS, GROUPS, INNER = 288, 256, 3, 4, 2, 512
TYPES = gguf.GGMLQuantizationType
random = np.random.default_rng(7)
writer = gguf.GGUFWriter(sys.argv[1], "llama")
writer.add_block_count(LAYERS)
writer.add_context_length(256)
writer.add_embedding_length(WIDTH)
writer.add_feed_forward_length(INNER)
writer.add_head_count(HEADS)
writer.add_head_count_kv(GROUPS)
writer.add_layer_norm_rms_eps(1e-5)
writer.add_rope_dimension_count(WIDTH // HEADS)
writer.add_vocab_size(WORDS)
kinds = gguf.TokenType
words = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
words += [f"w{number}" for number in range(WORDS - len(words))]
writer.add_tokenizer_model("llama")
writer.add_token_list(words)
writer.add_token_scores([0.0] * WORDS)
writer.add_token_types([kinds.UNKNOWN] + [kinds.CONTROL] * 2 + [kinds.BYTE] * 256 + [kinds.NORMAL] * (WORDS - 259))
writer.add_bos_token_id(1)
writer.add_eos_token_id(2)


def matrix(name, rows, columns, kind, scale):
    values = (random.standard_normal((rows, columns)) * scale).astype(np.float32)
    writer.add_tensor(f"{name}.weight", gguf.quants.quantize(values, kind), raw_dtype=kind)


def ones(name):
    writer.add_tensor(f"{name}.weight", np.ones(WIDTH, np.float32))


matrix("token_embd", WORDS, WIDTH, TYPES.Q8_0, 1.0)
matrix("output", WORDS, WIDTH, TYPES.Q8_0, 0.5)
ones("output_norm")
for layer, kind in enumerate([TYPES.Q4_0, TYPES.F16, TYPES.Q5_0]):
    block, scale = f"blk.{layer}.", WIDTH**-0.5
    ones(block + "attn_norm")
    ones(block + "ffn_norm")
    matrix(block + "attn_q", WIDTH, WIDTH, kind, scale)
    matrix(block + "attn_k", WIDTH // HEADS * GROUPS, WIDTH, kind, scale)
    matrix(block + "attn_v", WIDTH // HEADS * GROUPS, WIDTH, kind, scale)
    matrix(block + "attn_output", WIDTH, WIDTH, kind, scale)
    matrix(block + "ffn_gate", INNER, WIDTH, kind, 2 * scale)
    matrix(block + "ffn_up", INNER, WIDTH, kind, scale)
    matrix(block + "ffn_down", WIDTH, INNER, kind, INNER**-0.5)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
