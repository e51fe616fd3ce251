"""A real engine without a download: llama.cpp's own HTTP server with a random model.

Writes a llama-architecture GGUF of half a megabyte (2 layers, 64 wide, a byte-level vocabulary)
beside itself in the given directory and serves it on the given port of 127.0.0.1 until its
standard input ends. Prints "ready" once it listens.

    python server.py DIRECTORY PORT CONTEXT
"""

import sys
from pathlib import Path

import gguf
import numpy
import xllamacpp

LAYERS, WIDTH, HEADS, INNER = 2, 64, 4, 128
BYTE_TOKENS = 256
# One token a word for a few words; every other text is spelt in bytes.
WORDS = ["▁able", "▁about", "▁above", "▁accept", "▁across", "▁action", "▁active", "▁actor"]


def write_model(path: Path, context: int) -> None:
    """Writes a model whose weights are random, and the same each time."""
    special = [b"<unk>", b"<s>", b"</s>"]
    byte_tokens = [f"<0x{byte:02X}>".encode() for byte in range(BYTE_TOKENS)]
    words = [word.encode() for word in WORDS]
    tokens = special + byte_tokens + words
    kinds = (
        [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
        + [gguf.TokenType.BYTE] * BYTE_TOKENS
        + [gguf.TokenType.NORMAL] * len(words)
    )
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(context)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(
        "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n"
        "{% endfor %}assistant:"
    )
    random = numpy.random.default_rng(1)

    def tensor(name: str, *shape: int) -> None:
        writer.add_tensor(name, random.normal(0, 0.5, shape).astype(numpy.float32))

    def ones(name: str) -> None:
        writer.add_tensor(name, numpy.ones(WIDTH, dtype=numpy.float32))

    tensor("token_embd.weight", len(tokens), WIDTH)
    tensor("output.weight", len(tokens), WIDTH)
    ones("output_norm.weight")
    for layer in range(LAYERS):
        ones(f"blk.{layer}.attn_norm.weight")
        ones(f"blk.{layer}.ffn_norm.weight")
        for part in ["attn_q", "attn_k", "attn_v", "attn_output"]:
            tensor(f"blk.{layer}.{part}.weight", WIDTH, WIDTH)
        tensor(f"blk.{layer}.ffn_gate.weight", INNER, WIDTH)
        tensor(f"blk.{layer}.ffn_up.weight", INNER, WIDTH)
        tensor(f"blk.{layer}.ffn_down.weight", WIDTH, INNER)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main() -> None:
    directory, port, context = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    model = directory / "tiny.gguf"
    write_model(model, context)
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(model)
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = port
    parameters.n_parallel = 2
    parameters.n_ctx = 2 * context
    parameters.endpoint_metrics = True
    parameters.cpuparams.n_threads = 1
    server = xllamacpp.Server(parameters)
    print("ready", flush=True)
    sys.stdin.read()
    del server


if __name__ == "__main__":
    main()
